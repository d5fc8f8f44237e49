import { Store, StoreUnavailable } from "@webagent/engine"
import { WriteProbe } from "@webagent/sql"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"

/** Age up to which the outcome of a write counts, in milliseconds, and longest wait for a probe. */
const current_ms = 1000

/** Least time between two log lines about failing writes, in milliseconds. */
const logEvery_ms = 60_000

/** Size of the usual probe, in bytes. */
const smallProbe = 16

/**
 * Size of the probe after a failure, in bytes: more than any transaction of a run. On a full disk a small write may
 * still fit into a gap.
 */
const largeProbe = 262_144

/** Observes whether the database takes writes. */
export class Writes extends Context.Service<
  Writes,
  {
    /** Observes the outcome of a write. The reason for a failure is logged once a minute. */
    readonly observe: <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** The reason why writes fail, or null. Writes a probe, once a second at most, unless another write succeeded. */
    readonly failure: Effect.Effect<string | null>
  }
>()("webagent-server/Writes") {
  static readonly layer = (database: string) => Layer.effect(Writes, make(database))
}

const make = Effect.fnUntraced(function* (database: string) {
  const context = yield* Effect.context<SqlClient.SqlClient>()
  let failure: string | null = null
  let succeeded_ms = Number.NEGATIVE_INFINITY
  let logged_ms = Number.NEGATIVE_INFINITY
  let isLogged = false

  const succeed = Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
    failure = null
    succeeded_ms = now_ms
    if (!isLogged) return Effect.void
    isLogged = false
    return Effect.logInfo(`Writes to ${database} succeed again`)
  })
  const fail = (reason: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
      failure = reason
      if (now_ms - logged_ms < logEvery_ms) return Effect.void
      logged_ms = now_ms
      isLogged = true
      return Effect.logError(`Writes to ${database} fail, so /ready and every create return 503: ${reason}`)
    })
  const observe = <A, E, R>(write: Effect.Effect<A, E, R>) =>
    write.pipe(
      Effect.tap(succeed),
      Effect.tapError((error) => (error instanceof StoreUnavailable ? fail(error.message) : Effect.void))
    )

  const probe = Effect.gen(function* () {
    const began_ms = yield* Clock.currentTimeMillis
    if (failure === null && began_ms - succeeded_ms < current_ms) return
    yield* observe(WriteProbe.write(failure === null ? smallProbe : largeProbe)).pipe(
      Effect.timeoutOrElse({
        duration: current_ms,
        // behind many other writes a probe waits, but those succeed
        orElse: () => (succeeded_ms >= began_ms ? Effect.void : fail(`no write finished within ${current_ms} ms`))
      }),
      Effect.ignore
    )
  })
  return {
    observe,
    failure: yield* Effect.cachedWithTTL(
      Effect.map(Effect.provide(probe, context), () => failure),
      current_ms
    )
  }
})

/** The store, whose commits and heartbeats are observed. */
export const layerObserved = Layer.effect(
  Store,
  Effect.gen(function* () {
    const store = yield* Store
    const { observe } = yield* Writes
    return Store.of({
      ...store,
      commit: (step) => observe(store.commit(step)),
      renew: (...renewal) => observe(store.renew(...renewal))
    })
  })
)
