import { type Agent, type BrowserPool, Engine, LocalWork, type Records, Store, Work } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Behavior } from "../behavior/Behavior.ts"
import { type IdCounts, SeededIds } from "../behavior/SeededIds.ts"

/** Makes the store of an engine that starts with these records. */
export type Stores<R> = (records: Records) => Layer.Layer<Store, never, R>

/** An engine that runs, and its parts. */
interface RunningEngine {
  readonly engine: Engine["Service"]
  readonly store: Store["Service"]
  readonly ids: SeededIds["Service"]
  /** Ends its agents and browsers without a word in its store. */
  readonly abandon: Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

/** Holds one engine at a time. */
export interface EngineSlot {
  /** Passes each call to the engine that runs at that moment. */
  readonly engine: Engine["Service"]
  readonly current: () => RunningEngine
  /** Closes the engine and starts another one, which continues with these records. */
  readonly replace: (records: Records, ids: IdCounts) => Effect.Effect<void>
}

/** Starts an engine. Its scope closes the engine that runs by then. */
export const make = Effect.fnUntraced(function* <R>(stores: Stores<R>, first: Records) {
  const context = yield* Effect.context<Agent | Behavior | BrowserPool | R | Scope.Scope>()
  const { seed } = yield* Behavior
  const replacing = yield* Semaphore.make(1)

  const start = Effect.fnUntraced(function* (records: Records, ids: IdCounts) {
    let abandon: Effect.Effect<void> = Effect.void
    const work = Layer.effect(
      Work,
      Effect.map(Work, (local) => ({
        ...local,
        serve: (hands) => {
          abandon = hands.abandon
          return local.serve(hands)
        }
      }))
    ).pipe(Layer.provide(LocalWork.layer))
    const layer = Engine.layerOf.pipe(
      Layer.provide(work),
      Layer.provideMerge([stores(records), SeededIds.layer(seed, ids)]),
      Layer.fresh
    )
    const scope = yield* Scope.fork(yield* Effect.scope)
    const built = yield* Layer.buildWithScope(layer, scope)
    const running: RunningEngine = {
      engine: Context.get(built, Engine),
      store: Context.get(built, Store),
      ids: Context.get(built, SeededIds),
      abandon,
      close: Scope.close(scope, Exit.void)
    }
    return running
  })

  let running = yield* start(first, {})

  const replace = Effect.fnUntraced(
    function* (records: Records, ids: IdCounts) {
      const { abandon, close } = running
      // its agents are gone at once; its browsers may take a while to stop
      const stopped = yield* Effect.forkChild(abandon, { startImmediately: true })
      // an engine must not see the request that restores it
      running = yield* Fiber.join(Effect.runForkWith(context)(start(records, ids)))
      yield* Fiber.join(stopped)
      yield* close
    },
    replacing.withPermits(1),
    Effect.uninterruptible
  )

  const now = <A, E, S>(use: (engine: Engine["Service"]) => Effect.Effect<A, E, S>): Effect.Effect<A, E, S> =>
    Effect.suspend(() => use(running.engine))

  const engine = Engine.of({
    once: (...args) => now(({ once }) => once(...args)),
    createSession: (...args) => now(({ createSession }) => createSession(...args)),
    openSession: (...args) => now(({ openSession }) => openSession(...args)),
    session: (id) => now(({ session }) => session(id)),
    turn: (id) => now(({ turn }) => turn(id)),
    steps: (id) => now(({ steps }) => steps(id)),
    modelCalls: (id) => now(({ modelCalls }) => modelCalls(id)),
    events: {
      eventsAfter: (...args) => now(({ events }) => events.eventsAfter(...args)),
      eventsOf: (...args) => now(({ events }) => events.eventsOf(...args)),
      newestEvent: now(({ events }) => events.newestEvent),
      oldestEvent: now(({ events }) => events.oldestEvent),
      hints: running.engine.events.hints
    },
    stepsIn: (browserId) => Stream.suspend(() => running.engine.stepsIn(browserId)),
    queue: (...args) => now(({ queue }) => queue(...args)),
    createBrowser: (...args) => now(({ createBrowser }) => createBrowser(...args)),
    controlOf: (id) => now(({ controlOf }) => controlOf(id)),
    takeControl: (...args) => now(({ takeControl }) => takeControl(...args)),
    releaseControl: (...args) => now(({ releaseControl }) => releaseControl(...args)),
    stopBrowser: (id) => now(({ stopBrowser }) => stopBrowser(id)),
    saveBrowser: (id) => now(({ saveBrowser }) => saveBrowser(id)),
    browser: (id) => now(({ browser }) => browser(id)),
    connectBrowser: (...args) => now(({ connectBrowser }) => connectBrowser(...args)),
    ask: (...args) => now(({ ask }) => ask(...args)),
    answer: (...args) => now(({ answer }) => answer(...args)),
    cancelTurn: (...args) => now(({ cancelTurn }) => cancelTurn(...args)),
    acceptsModel: (model) => now(({ acceptsModel }) => acceptsModel(model)),
    acceptsSecrets: (secrets) => now(({ acceptsSecrets }) => acceptsSecrets(secrets)),
    replays: now(({ replays }) => replays),
    acceptsReplay: (of) => now(({ acceptsReplay }) => acceptsReplay(of)),
    acceptsCountry: (country) => now(({ acceptsCountry }) => acceptsCountry(country)),
    models: now(({ models }) => models),
    stopSession: (id) => now(({ stopSession }) => stopSession(id)),
    purgeSession: (id) => now(({ purgeSession }) => purgeSession(id)),
    stopIdleSession: (...args) => now(({ stopIdleSession }) => stopIdleSession(...args)),
    drain: (within) => now(({ drain }) => drain(within)),
    lists: {
      turns: (...args) => now(({ lists }) => lists.turns(...args)),
      sessions: (...args) => now(({ lists }) => lists.sessions(...args)),
      browsers: (...args) => now(({ lists }) => lists.browsers(...args)),
      turnCounts: (...args) => now(({ lists }) => lists.turnCounts(...args)),
      sessionCounts: (...args) => now(({ lists }) => lists.sessionCounts(...args)),
      browserCounts: (...args) => now(({ lists }) => lists.browserCounts(...args)),
      spend: (...args) => now(({ lists }) => lists.spend(...args)),
      costliest: (...args) => now(({ lists }) => lists.costliest(...args))
    },
    shareSession: (id) => now(({ shareSession }) => shareSession(id)),
    unshareSession: (id) => now(({ unshareSession }) => unshareSession(id))
  })

  const slot: EngineSlot = { engine, current: () => running, replace }
  return slot
})
