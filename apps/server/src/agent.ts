import type { Limits, Secret } from "@webagent/agent"
import { ModelConfig, ModelCost } from "@webagent/agent/options"
import { Agent } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ServedBrowsers } from "./browsers.ts"
import { type UserError, usage } from "@webagent/cli/UserError"

/** The agent of a server with a model. */
export interface AgentOptions {
  readonly model: ModelConfig.ModelConfig
  readonly limits: Partial<Limits.Limits>
  readonly judges: boolean
  readonly pictures: boolean
  readonly domains: ReadonlyArray<string> | null
  readonly secrets: ReadonlyArray<Secret>
}

/** The variables of the keys: a flag could be read by other users of the machine. */
export const modelKeyName = "WEBAGENT_MODEL_KEY"
export const fallbackKeyName = "WEBAGENT_FALLBACK_KEY"

export const modelKey = Config.option(Config.Redacted(modelKeyName))
export const fallbackKey = Config.option(Config.Redacted(fallbackKeyName))

/** A model, by its dialect and its name. */
export interface ModelName extends Pick<ModelConfig.ModelConfig, "dialect" | "model"> {}

/** Prices of a model's tokens. */
export interface ModelPrice extends ModelCost.Price {}

/** The model of a text such as `openai:NAME`. */
export const modelFromText = (text: string): Option.Option<ModelName> => Option.fromUndefinedOr(ModelConfig.parse(text))

/** The prices of a text such as `input=3,output=15,cacheRead=0.3`, in USD for a million tokens. */
export const priceFromText = (text: string): Option.Option<ModelPrice> => {
  const pairs = text.split(",").map((pair) => /^\s*(input|output|cacheRead|cacheWrite)=([\d.]+)\s*$/u.exec(pair))
  const prices = Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1], pair[2]]])))
  const { input, output, ...cache } = prices
  if (pairs.includes(null) || input === undefined || output === undefined) return Option.none()
  return Result.getSuccess(Result.try(() => ModelCost.price({ input, output, ...cache })))
}

/** An amount of USD in 1e-12 USD. */
export const costFromText = (text: string): Option.Option<bigint> => {
  const [, whole, fraction = ""] = /^(\d{1,9})(?:\.(\d{1,12}))?$/u.exec(text) ?? []
  return whole === undefined ? Option.none() : Option.some(BigInt(whole + fraction.padEnd(12, "0")))
}

const domain = /^(?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/u

/** The domains of a text such as `example.com,*.example.com,127.0.0.1:8080`. */
export const domainsFromText = (text: string): Option.Option<ReadonlyArray<string>> => {
  const domains = text.split(",").map((one) => one.trim().toLowerCase())
  return domains.every((one) => domain.test(one)) ? Option.some(domains) : Option.none()
}

const SecretsFile = Schema.fromJsonString(
  Schema.Record(
    Schema.String.check(Schema.isPattern(/^[\w.-]{1,64}$/u)),
    Schema.Struct({
      // a shorter text is part of too many others to be hidden in all of them
      value: Schema.String.check(Schema.isMinLength(4)),
      domains: Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(domain)))
    })
  )
)

/** The secrets of a file. What is wrong with it is told without a value. */
export const readSecrets = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(files.readFileString(path), () =>
    usage(`--secrets: cannot read file ${path}. Check the path and its permissions.`)
  )
  const secrets = yield* Effect.mapError(Schema.decodeUnknownEffect(SecretsFile)(text), () =>
    usage(
      `--secrets: ${path} must be a JSON object such as { "shop": { "value": "at least 4 characters", "domains": ["shop.example"] } }.`
    )
  )
  return Object.entries(secrets).map(([name, { domains, value }]): Secret => ({
    name,
    value: Redacted.make(value),
    domains
  }))
})

const none =
  "No model is configured. Start the server with --model, such as --model openai:NAME or --model openai-compatible:NAME --model-url http://127.0.0.1:11434/v1, and put the key of the model in WEBAGENT_MODEL_KEY."

/** The agent of the package, loaded for real browsers only: a simulated server starts without it. */
const loaded = Effect.promise(() => import("@webagent/agent"))

/** The agent of a server with real browsers and no model: each run fails with an error that explains this. */
const layerNone = Layer.effect(
  Agent,
  Effect.zipWith(loaded, Clock.Clock, ({ BrowserAgent }, clock) => ({
    model: "none",
    version: BrowserAgent.version,
    schedule: () => ({
      next: () => ({
        at_ms: clock.currentTimeMillisUnsafe(),
        event: () => ({ _tag: "Failed" as const, error: none, failure: "no_model" as const })
      }),
      stopDelay_ms: () => 0
    })
  }))
)

const layerReal = ({ model, ...options }: AgentOptions) =>
  Layer.unwrap(
    Effect.map(loaded, ({ BrowserAgent, Models }) =>
      BrowserAgent.layer(options).pipe(
        Layer.provide(Models.layer(model)),
        Layer.catch(({ message }) => Layer.effect(Agent, Effect.fail(usage(message))))
      )
    )
  )

/** The agent: with real browsers that of the model, with simulated browsers a simulated one. */
export const layer = (
  options: AgentOptions | undefined,
  simulated: Layer.Layer<Agent>
): Layer.Layer<Agent, UserError> =>
  Layer.unwrap(
    Effect.map(ServedBrowsers, ({ kind }): Layer.Layer<Agent, UserError> => {
      if (kind === "simulated") return simulated
      return options === undefined ? layerNone : layerReal(options)
    })
  )
