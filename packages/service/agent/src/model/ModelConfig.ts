import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import type { Price } from "./ModelCost.ts"

/** The wire formats. `openai-compatible` is what Ollama, vLLM, LM Studio, OpenRouter and others speak. */
export const dialects = ["openai-compatible", "openai", "anthropic", "google"] as const

export type Dialect = (typeof dialects)[number]

/** Which model is asked, and where. */
export interface ModelConfig {
  readonly dialect: Dialect
  readonly model: string
  /** The address of the API, such as `http://127.0.0.1:11434/v1`. Default: the vendor's; for `openai-compatible`, Ollama's. */
  readonly baseUrl?: string | undefined
  readonly apiKey?: Redacted.Redacted | undefined
  /** The place where people set the key, such as an environment variable. Errors name it. */
  readonly keyName?: string | undefined
  /** Without a price the cost of a turn is unknown. */
  readonly price?: Price | undefined
  /** Sends pictures to the model. Default: no. */
  readonly sees?: boolean | undefined
  /** Draws the numbers of elements onto these pictures. Default: no. */
  readonly marks?: boolean | undefined
  /**
   * The size of the model's context in tokens. Requests are kept within it. By default, a page and the past have 40,000
   * characters each, and less after the model's server refused a request as too large.
   */
  readonly contextTokens?: number | undefined
  /** Limits how long one request may take. Default: 10 minutes. */
  readonly requestTimeout?: Duration.Duration | undefined
  /**
   * Limits how long a failing request is retried, counted from its first failure. Default: 5 minutes, or 10 seconds for a
   * model with a fallback, which takes over at once if a request timed out.
   */
  readonly retryFor?: Duration.Duration | undefined
  /** Used for the rest of a turn when this model still fails after its retries. */
  readonly fallback?: ModelConfig | undefined
}

/** Reads `DIALECT:NAME`; a name may contain colons. */
export const parse = (text: string): Pick<ModelConfig, "dialect" | "model"> | undefined => {
  const [, said, model] = /^([^:]+):(.+)$/u.exec(text) ?? []
  const dialect = dialects.find((one) => one === said)
  return dialect === undefined || model === undefined ? undefined : { dialect, model }
}
