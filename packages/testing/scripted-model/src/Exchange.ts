import type { IncomingHttpHeaders, ServerResponse } from "node:http"

/** A request, read alike for every dialect. */
export interface ModelRequest {
  /** `openai-compatible` is chat completions, `openai` responses. */
  readonly dialect: "openai-compatible" | "openai" | "anthropic" | "google"
  readonly model: string
  readonly headers: IncomingHttpHeaders
  /** What was sent. */
  readonly body: Readonly<Record<string, unknown>>
  /** The system message first. */
  readonly messages: ReadonlyArray<{ readonly role: string; readonly text: string; readonly images: number }>
  /** The text of the last message: what the model is asked now. */
  readonly text: string
  /** The names of the tools that are offered. */
  readonly tools: ReadonlyArray<string>
  /** As the dialect writes it. */
  readonly toolChoice: unknown
  /** The JSON Schema of the answer, if one is asked for. */
  readonly schema: unknown
}

export interface ModelMessage {
  readonly text?: string
  /** An input that is text is sent as it is where the dialect sends inputs as text: it need not be JSON. */
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly input: unknown }>
  /** What the model thought, signed where the dialect signs. */
  readonly thought?: string
  /** All input tokens, those read from the cache and written to it included; null answers without usage. */
  readonly usage?: Partial<Record<"input" | "output" | "cacheRead" | "cacheWrite", number>> | null
  /** Why the model stopped, in the words of the dialect. */
  readonly finish?: string
}

export interface ModelFailure {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly message?: string
}

/** What to answer; a function does what it likes with the response. */
export type ModelReply = ModelMessage | ModelFailure | ((response: ServerResponse) => void)
