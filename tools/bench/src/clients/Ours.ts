/** Our clients as `peers/client-worker.mjs` drives them. Bundled, so that no program measures how source is loaded. */
import { type ClientOptions, ClientConfig, layerFetch, Transport } from "@webagent/core"
import { layerUndici } from "@webagent/core/node"
import { PollBudget, PollSchedule } from "@webagent/polling"
import { type Browsers, Runs, type Sessions, V4 } from "@webagent/v4"
import { WebAgent } from "@webagent/v4/promise"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"

/** Settings of the worker. */
interface WorkerSettings {
  readonly name: string
  readonly url: string
  readonly apiKey: string
  /** Polls of a run in the work `run`. */
  readonly polls: number
}

type Loop = (concurrency: number, duration_ms: number) => Promise<number>

/** A client as the worker knows it. */
export interface Client {
  readonly create: Loop
  readonly status: Loop
  readonly get: Loop
  readonly run: Loop
  readonly wait: (ids: ReadonlyArray<string>, onEnd: (run: object) => void, onFailure: (error: unknown) => void) => void
}

const task = "Find a red mug"
const id = "r-0-1"

/** A thousand polls a second in place of 50: for who waits for thousands and would know soon. */
const wide = PollBudget.layer({ perSecond: 1000, burst: 50 })

const budgetOf = (name: string) => (name.endsWith("-wide") ? wide : Layer.empty)

const clientLayer = (options: ClientOptions, http: "undici" | "fetch") =>
  V4.layerServices.pipe(
    Layer.provide(Transport.layer),
    Layer.provide(http === "undici" ? layerUndici : layerFetch),
    Layer.provide(ClientConfig.layer(options))
  )

const closedLoop =
  <E>(
    run: <A>(effect: Effect.Effect<A, E, Runs | Sessions | Browsers>) => Promise<A>,
    call: (runs: Runs["Service"]) => Effect.Effect<unknown, E>
  ): Loop =>
  (concurrency, duration_ms) =>
    run(
      Effect.gen(function* () {
        const runs = yield* Runs
        const end = performance.now() + duration_ms
        let calls = 0
        const one = Effect.whileLoop({
          while: () => performance.now() < end,
          body: () => call(runs),
          step: () => {
            calls++
          }
        })
        yield* Effect.all(
          Array.from({ length: concurrency }, () => one),
          { concurrency: "unbounded", discard: true }
        )
        return calls
      })
    )

/** As an Effect program uses it: one fiber a caller, no promise between two calls. */
const throughEffect = ({ apiKey, name, polls, url }: WorkerSettings, http: "undici" | "fetch"): Client => {
  const options = { baseUrl: url, apiKey }
  const waiting = ManagedRuntime.make(clientLayer(options, http).pipe(Layer.provide(budgetOf(name))))
  // the budget would keep the polls of these runs apart, and the process idle
  const calling = ManagedRuntime.make(clientLayer(options, http).pipe(Layer.provide(PollBudget.layerUnlimited)))
  const schedule = PollSchedule.every("1 millis")
  return {
    create: closedLoop(calling.runPromise, (runs) => runs.create({ task })),
    status: closedLoop(calling.runPromise, (runs) => runs.status(id)),
    get: closedLoop(calling.runPromise, (runs) => runs.get(id)),
    run: closedLoop(calling.runPromise, (runs) =>
      runs.createAndWait({ task: `polls ${polls}` }, { first: 0, schedule })
    ),
    wait: (ids, onEnd, onFailure) =>
      void waiting.runPromise(
        Effect.flatMap(Runs, (runs) =>
          Effect.forEach(
            ids,
            (id) =>
              Effect.match(runs.untilTerminal(id), {
                onSuccess: onEnd,
                onFailure
              }),
            { concurrency: "unbounded", discard: true }
          )
        )
      )
  }
}

const promised =
  (call: () => Promise<unknown>): Loop =>
  async (concurrency, duration_ms) => {
    const end = performance.now() + duration_ms
    let calls = 0
    const one = async () => {
      while (performance.now() < end) {
        await call()
        calls++
      }
    }
    await Promise.all(Array.from({ length: concurrency }, one))
    return calls
  }

/** As a program without Effect uses it. */
const throughPromises = ({ apiKey, name, polls, url }: WorkerSettings, http: "undici" | "fetch"): Client => {
  const sent = http === "undici" ? layerUndici : layerFetch
  const agentWith = (budget: Layer.Layer<PollBudget> | Layer.Layer<never>) =>
    new WebAgent({ baseUrl: url, apiKey, httpClient: { layer: Layer.merge(sent, budget) } })
  const { runs } = agentWith(PollBudget.layerUnlimited)
  const waiting = agentWith(budgetOf(name))
  return {
    create: promised(() => runs.create({ task })),
    status: promised(() => runs.status(id)),
    get: promised(() => runs.get(id)),
    run: promised(() => runs.createAndWait({ task: `polls ${polls}` }, { first: 0, every: 1 })),
    wait: (ids, onEnd, onFailure) => {
      for (const id of ids) waiting.runs.untilTerminal(id).then(onEnd, onFailure)
    }
  }
}

/** The client of a name: `effect-undici`, `promise-fetch-wide`, ... */
export const make = (settings: WorkerSettings): Client => {
  const [api, http] = settings.name.split("-")
  const client = api === "effect" ? throughEffect : throughPromises
  return client(settings, http === "undici" ? "undici" : "fetch")
}
