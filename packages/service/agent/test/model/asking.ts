import {
  type CallSettings,
  CallSettings as Settings,
  type ModelConfig,
  ModelCost,
  Models,
  OnSpent,
  type Spent
} from "@webagent/agent"
import { ScriptedModel } from "@webagent/scripted-model"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const key = "sk-canary-7f3a9c"

export const configOf = (server: ScriptedModel["Service"], dialect: ModelConfig.Dialect): ModelConfig.ModelConfig => ({
  dialect,
  model: "first-1",
  baseUrl: server.baseUrl[dialect],
  apiKey: Redacted.make(key),
  price: ModelCost.price({ input: "3", output: "15", cacheRead: "0.3", cacheWrite: "3.75" })
})

const Search = Tool.make("search", {
  description: "Search a page",
  parameters: Schema.Struct({ text: Schema.String, count: Schema.optional(Schema.Int) }),
  success: Schema.String
})

const Open = Tool.make("open", { parameters: Schema.Struct({ url: Schema.String }), success: Schema.String })

export const toolkit = Toolkit.make(Search, Open)

interface Asking {
  readonly prompt?: Prompt.RawInput
  readonly settings?: CallSettings
  readonly toolChoice?: LanguageModel.ToolChoice<"search" | "open">
}

/** One call with the tools, whose calls come back as the model made them. */
export const call = (
  model: LanguageModel.LanguageModel,
  { prompt = "Find a mug", settings = {}, toolChoice }: Asking = {}
) =>
  model
    .generateText({
      prompt,
      toolkit,
      disableToolCallResolution: true,
      toolCallValidation: "deferred",
      ...(toolChoice === undefined ? {} : { toolChoice })
    })
    .pipe(Effect.provideService(Settings, settings))

/** Runs a test with a scripted model, and what it spends. */
export const withModel = <A, E>(
  dialect: ModelConfig.Dialect,
  test: (
    model: LanguageModel.LanguageModel,
    server: ScriptedModel["Service"],
    spent: Array<Spent>
  ) => Effect.Effect<A, E>,
  change: (config: ModelConfig.ModelConfig) => ModelConfig.ModelConfig = (config) => config
) =>
  Effect.gen(function* () {
    const server = yield* ScriptedModel
    const spent: Array<Spent> = []
    yield* Models.pipe(
      Effect.flatMap(({ forTurn }) => forTurn),
      Effect.flatMap((model) => test(model, server, spent)),
      Effect.provideService(OnSpent, (one) => Effect.sync(() => void spent.push(one))),
      Effect.provide(Models.layer(change(configOf(server, dialect))))
    )
  }).pipe(Effect.provide(ScriptedModel.layer))

export const dialects = ["openai-compatible", "openai", "anthropic", "google"] as const

/**
 * Runs an effect on a clock that jumps ahead by each wait between attempts. A request reaches its `limit` when
 * `expired` completes.
 */
export const unhurried =
  (waits: Array<number>, expired: Effect.Effect<void> = Effect.never, limit = Duration.minutes(10)) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (clock) => {
      let ahead_ms = 0
      const pass = (milliseconds: number) => Effect.sync(() => void (ahead_ms += milliseconds))
      const sleep = (time: Duration.Duration) => {
        const milliseconds = Duration.toMillis(time)
        if (milliseconds === Duration.toMillis(limit)) return Effect.andThen(expired, pass(milliseconds))
        waits.push(milliseconds)
        return pass(milliseconds)
      }
      const now = () => clock.currentTimeMillisUnsafe() + ahead_ms
      return Effect.provideService(
        effect,
        Clock.Clock,
        Object.create(clock, {
          sleep: { value: sleep },
          currentTimeMillisUnsafe: { value: now },
          currentTimeMillis: { value: Effect.sync(now) }
        }) as Clock.Clock
      )
    })
