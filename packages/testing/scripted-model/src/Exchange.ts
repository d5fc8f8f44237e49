import type { IncomingHttpHeaders, ServerResponse } from "node:http"

/** A request, read alike for every dialect. */
export interface ModelRequest {
  /** `openai-compatible` is chat completions, `openai` responses. */
  readonly dialect: "openai-compatible" | "openai" | "anthropic" | "google"
  readonly model: string
  readonly headers: IncomingHttpHeaders
  /** The request body. */
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
  /** The model's thought, signed if the dialect signs. */
  readonly thought?: string
  /** All input tokens, those read from the cache and written to it included; null answers without usage. */
  readonly usage?: Partial<Record<"input" | "output" | "cacheRead" | "cacheWrite", number>> | null
  /** The reason why the model stopped, in the dialect's own words. */
  readonly finish?: string
}

export interface ModelFailure {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly message?: string
}

/** The reply to a request; a function writes the response itself. */
export type ModelReply = ModelMessage | ModelFailure | ((response: ServerResponse) => void)
