import { Engine, NodeId } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { ServedBrowsers } from "./browsers.ts"
import { nextSignal } from "./stopping.ts"

/** Drain state of the server: components read it to find out whether the server is stopping. */
export class Drain extends Context.Service<
  Drain,
  {
    /** The server is being stopped. */
    draining: boolean
    /** An operator has the node drain, which can be undone. */
    requested: boolean
  }
>()("webagent-server/Drain") {
  static readonly layer = Layer.sync(Drain, () => ({ draining: false, requested: false }))
}

/** Number of sessions and browsers that this node runs. */
export const held = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const node = yield* NodeId
  const [row] = yield* sql<{ readonly sessions: number; readonly browsers: number }>`SELECT
    (SELECT count(*) FROM sessions WHERE lease_node = ${node}) AS sessions,
    (SELECT count(*) FROM browsers WHERE stopped_at_ms IS NULL AND node = ${node}) AS browsers`
  return { sessions: Number(row?.sessions), browsers: Number(row?.browsers) }
})

/**
 * When the server stops: `/health` says so, nothing is begun any more, and what runs may end by itself for this long. A
 * second signal ends the wait.
 */
export const layerDrain = (within: Duration.Duration) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const drain = yield* Drain
      const engine = yield* Engine
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const here = Effect.provide(
        Effect.orElseSucceed(held, () => ({ sessions: 0, browsers: 0 })),
        context
      )
      const announced = Effect.gen(function* () {
        const { sessions: count } = yield* here
        if (count === 0) return
        yield* Effect.logInfo(
          `Draining: ${count} ${count === 1 ? "run" : "runs"} still running, waiting up to ${Duration.format(within)}. A second signal stops the server now.`
        )
      })
      const { kind } = yield* ServedBrowsers
      const ending = Effect.gen(function* () {
        const { browsers: count } = yield* here
        yield* Effect.logInfo(
          `Stopping. Browsers (${count} in use) end. The next start finishes recordings that are not written yet.`
        )
      })
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          drain.draining = true
          return Effect.interruptible(Effect.raceFirst(engine.drain(within), Effect.andThen(announced, nextSignal)))
        }).pipe(Effect.tap(() => (kind === "chromium" ? ending : Effect.void)))
      )
    })
  )
