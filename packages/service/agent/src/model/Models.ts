import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Layer from "effect/Layer"
import type * as Response from "effect/ai/Response"
import * as Stream from "effect/Stream"
import * as Telemetry from "effect/ai/Telemetry"
import type * as Prompt from "effect/ai/Prompt"
import type * as AiError from "effect/ai/AiError"
import { type Exchange, exchangeOf } from "./Dialogue.ts"
import { type Connection, connect } from "./AiSdk.ts"
import { type Answer, breakpoint } from "./AiSdkMessages.ts"
import { CallSettings } from "./CallSettings.ts"
import * as GenAiSpans from "./GenAiSpans.ts"
import type { ModelConfig } from "./ModelConfig.ts"
import * as ModelCost from "./ModelCost.ts"
import { type ModelNotInstalled, sentence } from "./ModelError.ts"

/** The time that a call took, including its retries. */
interface Timed {
  /** The model that was asked: the configured one, or a fallback. */
  readonly model: string
  /** When it was asked, in milliseconds since 1970. */
  readonly at_ms: number
  readonly duration_ms: number
}

/** The usage of a response, as its provider counted it. */
export interface Spent extends Timed {
  readonly usage: Response.Usage
  readonly cost: ModelCost.ModelCost
  /** The cost that limits count, even if cached tokens have no price. */
  readonly estimate: ModelCost.ModelCost
}

/** Is told of every answer, also of one that turns out to be unusable: it is charged like any other. */
export const OnSpent: Context.Reference<(spent: Spent) => Effect.Effect<void>> = Context.Reference(
  "@webagent/agent/OnSpent",
  { defaultValue: (): ((spent: Spent) => Effect.Effect<void>) => () => Effect.void }
)

/** Receives each exchange with a model, to record it. The function makes it, with a change of its texts. */
export const OnExchange: Context.Reference<
  ((make: (change: (text: string) => string) => Exchange) => Effect.Effect<void>) | null
> = Context.Reference("@webagent/agent/OnExchange", {
  defaultValue: (): ((make: (change: (text: string) => string) => Exchange) => Effect.Effect<void>) | null => null
})

/** A call without a response, after its last retry. */
export interface FailedCall extends Timed {
  /** The reason, in a sentence. */
  readonly failure: string
}

/** Receives every call that failed; the next model of the chain may still answer. */
export const OnFailedCall: Context.Reference<(call: FailedCall) => Effect.Effect<void>> = Context.Reference(
  "@webagent/agent/OnFailedCall",
  { defaultValue: (): ((call: FailedCall) => Effect.Effect<void>) => () => Effect.void }
)

/** A model that turns may have, with its fallbacks. */
export interface Model {
  /** The name by which turns ask for it. */
  readonly name: string
  /** The model that is asked first, as its provider knows it. */
  readonly model: string
  readonly sees: boolean
  /** Draws the numbers of elements onto the pictures that it gets. */
  readonly marks: boolean
  /** The size of its context in tokens, if it's configured. */
  readonly contextTokens: number | undefined
  /** True if the price of each model is known, so that a limit of a turn's cost can be held. */
  readonly isPriced: boolean
  /** The model of one turn: when it fails as often as it is tried, its fallback answers for the rest of the turn. */
  readonly forTurn: Effect.Effect<LanguageModel.LanguageModel>
}

/** The configured models: the default, and those that turns may ask for by their names. */
export class Models extends Context.Service<
  Models,
  Model & {
    /** The names of all models, the default first. */
    readonly names: ReadonlyArray<string>
    /** The model with this name; undefined if there is none. */
    readonly named: (name: string) => Model | undefined
  }
>()("@webagent/agent/Models") {
  /** Loads the packages of the dialects that are configured, and no others. `choices` are further models by name. */
  static readonly layer = (
    config: ModelConfig,
    choices: Readonly<Record<string, ModelConfig>> = {}
  ): Layer.Layer<Models, ModelNotInstalled> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const usual = yield* modelOf(config.model, config)
        const others = yield* Effect.forEach(Object.entries(choices), ([name, choice]) => modelOf(name, choice))
        const models = new Map([...others, usual].map((model) => [model.name, model]))
        return {
          ...usual,
          names: [usual.name, ...others.map(({ name }) => name).filter((name) => name !== usual.name)],
          named: (name: string) => models.get(name)
        }
      })
    )
}

const modelOf = (name: string, config: ModelConfig): Effect.Effect<Model, ModelNotInstalled> =>
  Effect.map(Effect.forEach(chain(config), connect), (connections) => ({
    name,
    model: config.model,
    sees: config.sees === true,
    marks: config.sees === true && config.marks === true,
    contextTokens: config.contextTokens,
    isPriced: chain(config).every(({ price }) => price !== undefined),
    forTurn: forTurn(connections)
  }))

/** The message as the last of what stays the same from call to call: providers that ask to be told cache up to it. */
export const cached = <A extends Prompt.Message>(message: A): A => ({
  ...message,
  options: { ...message.options, ...breakpoint }
})

type Chain<A> = Array.NonEmptyReadonlyArray<A>

const chain = (config: ModelConfig): Chain<ModelConfig> => [
  config,
  ...(config.fallback === undefined ? [] : chain(config.fallback))
]

const forTurn = (connections: Chain<Connection>): Effect.Effect<LanguageModel.LanguageModel> =>
  Effect.suspend(() => {
    let left = connections

    const ask = (
      request: LanguageModel.ProviderOptions,
      from: Chain<Connection>
    ): Effect.Effect<ReadonlyArray<Response.PartEncoded>, AiError.AiError> =>
      Effect.flatMap(Clock.currentTimeMillis, (at_ms) => askAt(at_ms, request, from))

    const askAt = (
      at_ms: number,
      request: LanguageModel.ProviderOptions,
      from: Chain<Connection>
    ): Effect.Effect<ReadonlyArray<Response.PartEncoded>, AiError.AiError> => {
      const [connection, ...others] = from
      const { model, price } = connection.config
      const timed = Effect.map(Clock.currentTimeMillis, (now_ms) => ({ model, at_ms, duration_ms: now_ms - at_ms }))
      const answered = (answer: Answer) => {
        const { usage } = answer
        Telemetry.addGenAIAnnotations(request.span, {
          operation: { name: "chat" },
          request: { model },
          usage: { inputTokens: usage.inputTokens.total, outputTokens: usage.outputTokens.total }
        })
        const spent = { usage, cost: ModelCost.of(price, usage), estimate: ModelCost.estimate(price, usage) }
        return Effect.andThen(
          GenAiSpans.answered(request, answer),
          Effect.flatMap(timed, (time) => Effect.flatMap(OnSpent, (tell) => tell({ ...time, ...spent })))
        ).pipe(
          Effect.andThen(
            Effect.flatMap(OnExchange, (tell) =>
              tell === null ? Effect.void : tell((change) => exchangeOf(model, request, answer, change))
            )
          )
        )
      }
      const failed = (error: AiError.AiError) =>
        Effect.flatMap(timed, (time) =>
          Effect.flatMap(OnFailedCall, (tell) => tell({ ...time, failure: sentence(error) }))
        )
      // an answer that arrives with an interruption is charged all the same
      return Effect.uninterruptibleMask((restore) =>
        CallSettings.pipe(
          Effect.flatMap((settings) => restore(connection.ask(request, settings))),
          Effect.tap(answered),
          Effect.tapError(failed)
        )
      ).pipe(
        GenAiSpans.chat(connection.config),
        Effect.map(({ parts }) => parts),
        Effect.catch((error) => {
          if (!error.isRetryable || !Array.isReadonlyArrayNonEmpty(others)) return Effect.fail(error)
          // of calls side by side that fail, the first changes the model
          if (left === from) left = others
          return Effect.andThen(
            Effect.logWarning(`${sentence(error)} Model ${left[0].config.model} answers for the rest of the turn.`),
            ask(request, left)
          )
        })
      )
    }

    return LanguageModel.make({
      generateText: (request) => Effect.map(ask(request, left), (parts) => [...parts]),
      streamText: (request) =>
        Stream.fromIterableEffect(Effect.map(ask(request, left), (parts) => parts.flatMap(streamed)))
    })
  })

/** The parts of a whole answer as those of a stream. */
const streamed = (part: Response.PartEncoded, index: number): ReadonlyArray<Response.StreamPartEncoded> => {
  const id = String(index)
  switch (part.type) {
    case "text":
      return [
        { type: "text-start", id },
        { type: "text-delta", id, delta: part.text },
        { type: "text-end", id }
      ]
    case "reasoning":
      return [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta: part.text },
        { type: "reasoning-end", id }
      ]
    default:
      return [part]
  }
}
