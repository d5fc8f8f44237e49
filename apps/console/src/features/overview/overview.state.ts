import type { Browser, Key, Node, Run, Spend } from "@webagent/admin"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Console } from "../../state/client.ts"
import { epoch, putRuns } from "../../state/live.ts"
import { settled } from "../../state/runs.ts"

const none = <A>(): ReadonlyArray<A> => []

/** The start of this day in UTC, as the cost of a day counts it. */
const startOfDay = Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.startOf(now, "day")))

/** Counts of runs, and the newest runs that run or failed. */
export const runFacts = Console.runtime.atom((get) => {
  get(epoch)
  get(settled("runs"))
  return Effect.gen(function* () {
    const client = yield* Console
    const today = yield* startOfDay
    const [newest, running, failed, ofToday] = yield* Effect.all(
      [
        client.runs.list({ query: { limit: 6 } }),
        client.runs.list({ query: { status: "running", limit: 6 } }),
        client.runs.list({ query: { status: "failed", limit: 6 } }),
        client.runs.list({ query: { from: today, limit: 1 } })
      ],
      { concurrency: 4 }
    )
    putRuns([...newest.rows, ...running.rows, ...failed.rows])
    const idsOf = (rows: ReadonlyArray<Run>) => rows.map(({ id }) => id)
    return {
      counts: newest.counts ?? {},
      today,
      countsOfToday: ofToday.counts ?? {},
      newest: idsOf(newest.rows),
      running: idsOf(running.rows),
      failed: idsOf(failed.rows)
    }
  })
})

/** Browsers, nodes, keys and cost. Parts that a key without the scope admin doesn't see are empty. */
export const serverFacts = Console.runtime.atom((get) => {
  get(epoch)
  get(settled("browsers"))
  return Effect.gen(function* () {
    const client = yield* Console
    const [browsers, nodes, keys, spend] = yield* Effect.all(
      [
        Effect.map(client.browsers.list({ query: { status: "active", limit: 100 } }), ({ rows }) => rows).pipe(
          Effect.orElseSucceed(none<Browser>)
        ),
        Effect.orElseSucceed(client.nodes.list(), none<Node>),
        Effect.orElseSucceed(client.keys.list(), none<Key>),
        client.spend.get({ query: { by: "day" } }).pipe(Effect.orElseSucceed((): Spend | undefined => undefined))
      ],
      { concurrency: 4 }
    )
    return { browsers, nodes, keys, spend }
  })
})
