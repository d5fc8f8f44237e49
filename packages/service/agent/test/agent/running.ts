import { Engine, IdSource, MemoryStore, Recordings, type SessionRequest, Store, Turn } from "@webagent/engine"
import {
  type ModelFailure,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  ScriptedModel
} from "@webagent/scripted-model"
import { pool } from "@webagent/test-chromium/Launched"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as BrowserAgent from "../../src/agent/BrowserAgent.ts"
import type * as ModelConfig from "../../src/model/ModelConfig.ts"
import * as ModelCost from "../../src/model/ModelCost.ts"
import { Models } from "../../src/model/Models.ts"
import { serve, type Site } from "../support/site.ts"

const ids = Layer.sync(IdSource, () => {
  let count = 0
  return { next: (kind) => Effect.sync(() => `${kind}-${++count}`) }
})

/** An engine with the real agent, a real browser and a scripted model, and the site that tasks are about. */
export class Running extends Context.Service<
  Running,
  {
    readonly engine: Engine["Service"]
    readonly store: Store["Service"]
    readonly model: ScriptedModel["Service"]
    readonly site: Site
    /** The pictures of steps, by their references. */
    readonly pictures: ReadonlyMap<string, Uint8Array>
  }
>()("Running") {
  static readonly layer = (
    options: BrowserAgent.BrowserAgentOptions | ((site: Site) => BrowserAgent.BrowserAgentOptions) = {},
    config: Partial<ModelConfig.ModelConfig> = {},
    /** Models in place of the scripted one. */
    others?: (site: Site) => Layer.Layer<Models>
  ) =>
    Layer.unwrap(
      Effect.map(serve, (site) => {
        const scripted = Layer.unwrap(
          ScriptedModel.useSync(({ baseUrl }) =>
            Models.layer({
              dialect: "openai-compatible",
              model: "scripted-1",
              baseUrl: baseUrl["openai-compatible"],
              apiKey: Redacted.make("sk-scripted"),
              price: ModelCost.price({ input: "3", output: "15", cacheRead: "0.3" }),
              ...config
            })
          )
        )
        const models = others === undefined ? scripted : others(site)
        const agent = BrowserAgent.layer(typeof options === "function" ? options(site) : options)
        const pictures = new Map<string, Uint8Array>()
        const recordings = Layer.succeed(Recordings, {
          find: () => Effect.succeedNone,
          keep: (browserId, name, jpeg) =>
            Effect.sync(() => {
              pictures.set(`${browserId}/${name}`, jpeg)
              return `${browserId}/${name}`
            }),
          forget: () => Effect.void,
          prune: () => Effect.succeed(0)
        })
        const engine = Engine.layer.pipe(
          // each site in a process of its own, as on a machine with much memory
          Layer.provide([Layer.provide(agent, models), Layer.orDie(pool({}, ["--site-per-process"])), ids, recordings])
        )
        return Layer.effect(
          Running,
          Effect.gen(function* () {
            return { engine: yield* Engine, store: yield* Store, model: yield* ScriptedModel, site, pictures }
          })
        ).pipe(
          Layer.provide(engine),
          Layer.provide(Layer.fresh(MemoryStore.layer)),
          Layer.provide(Layer.fresh(ScriptedModel.layer))
        )
      })
    )
}

/** What the model is shown now. */
export const shown = ({ model }: Running["Service"]): string => model.requests.at(-1)?.text ?? ""

/** The number of the element whose name begins so, on the page that the model is shown. */
export const numberOf = (running: Running["Service"], name: string): number => {
  const [, number] = new RegExp(String.raw`\[(\d+) [\w ]+? "${name}`, "u").exec(shown(running)) ?? []
  if (number === undefined) throw new Error(`There is no ${JSON.stringify(name)} in:\n${shown(running)}`)
  return Number(number)
}

type Step =
  | ModelMessage
  | ModelFailure
  | ((running: Running["Service"], request: ModelRequest) => ModelReply | Promise<ModelReply>)

/** A model that answers this, call by call; the last again and again. */
export const script = (running: Running["Service"], ...steps: ReadonlyArray<Step>): void => {
  running.model.requests.length = 0
  running.model.script = (request, count) => {
    const step = steps[Math.min(count, steps.length) - 1] ?? { status: 500 }
    return typeof step === "function" ? step(running, request) : step
  }
}

export const call = (name: string, input: unknown = {}): ModelMessage => ({ calls: [{ name, input }] })

export const done = (output: unknown = "ok", success = true) => call("done", { success, output })

/** Waits until a turn is over. */
export const ended = ({ engine }: Pick<Running["Service"], "engine">, turnId: string): Effect.Effect<Turn.Turn> =>
  Effect.flatMap(Effect.orDie(engine.turn(turnId)), (turn) =>
    Turn.isTerminal(turn.status)
      ? Effect.succeed(turn)
      : Effect.andThen(Effect.sleep("5 millis"), ended({ engine }, turnId))
  )

/** Gives the agent a task and waits for its end. */
export const carriedOut = Effect.fnUntraced(function* (task: string, request: Partial<SessionRequest> = {}) {
  const running = yield* Running
  const { session, turn } = yield* Effect.orDie(
    running.engine.createSession({ task, modelParams: null, thinkingLevel: null, ...request })
  )
  return { session, turn: yield* ended(running, turn.id) }
})

/** Sends a follow-up and waits for its end. */
export const followedUp = Effect.fnUntraced(function* (sessionId: string, text: string) {
  const running = yield* Running
  const { turn } = yield* Effect.orDie(running.engine.queue({ sessionId, text, interrupt: false }))
  return yield* ended(running, turn.id)
})

/** All that the model was told in its last request. */
export const told = ({ model }: Running["Service"]) =>
  model.requests
    .at(-1)
    ?.messages.map(({ text }) => text)
    .join("\n") ?? ""
