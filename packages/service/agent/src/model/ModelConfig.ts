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
  /** Where people set the key, such as an environment variable. Errors name it. */
  readonly keyName?: string | undefined
  /** Without a price the cost of a turn is unknown. */
  readonly price?: Price | undefined
  /** Whether the model is sent pictures. Default: no. */
  readonly sees?: boolean | undefined
  /** Asked for the rest of a turn when this model has failed as often as it is tried. */
  readonly fallback?: ModelConfig | undefined
}

/** Reads `DIALECT:NAME`; a name may contain colons. */
export const parse = (text: string): Pick<ModelConfig, "dialect" | "model"> | undefined => {
  const [, said, model] = /^([^:]+):(.+)$/u.exec(text) ?? []
  const dialect = dialects.find((one) => one === said)
  return dialect === undefined || model === undefined ? undefined : { dialect, model }
}
