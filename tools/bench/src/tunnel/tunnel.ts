import { median } from "@webagent/statistics/Robust"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import { type Client, connect } from "../browsers/Devtools.ts"
import { ask } from "../measure/Ask.ts"
import {
  grouped,
  type Heading,
  headingLine,
  inFolder,
  type Options,
  paragraphs,
  plain,
  table
} from "../measure/Report.ts"
import { fromSource, startOurs } from "../measure/ServerProcess.ts"
import { timed, type Times, timesOf } from "../measure/Times.ts"

/** One way to a browser. */
interface Way {
  readonly roundTrip_ms: Times
  /** Messages a second, 64 at a time. */
  readonly pipelined: number
}

/** The result of the bench `tunnel`. */
interface TunnelReport extends Heading {
  readonly owner: Way
  readonly other: Way
  /** Additional time of a round trip through another node, round by round. */
  readonly longer_ms: Times
}

const ready = { method: "GET", path: "/ready", headers: {} }

/** Both ways in turns, so that a busy moment of the machine hits both. */
const measured = async (ways: Readonly<Record<"owner" | "other", Client>>, { quick, rounds }: Options) => {
  const count = rounds ?? (quick ? 5 : 30)
  const all = { owner: [] as Array<number>, other: [] as Array<number> }
  const middles = { owner: [] as Array<number>, other: [] as Array<number> }
  const pipelined = { owner: [] as Array<number>, other: [] as Array<number> }
  const order = ["owner", "other"] as const
  for (let round = -1; round < count; round++) {
    for (const way of round % 2 === 0 ? order : order.toReversed()) {
      const ask = () => ways[way].call("Browser.getVersion")
      const trips: Array<number> = []
      for (let trip = 0; trip < 300; trip++) trips.push(await timed(ask))
      const many_ms = await timed(async () => {
        for (let batch = 0; batch < 20; batch++) await Promise.all(Array.from({ length: 64 }, ask))
      })
      // the first round warms both up
      if (round === -1) continue
      all[way].push(...trips)
      middles[way].push(median(trips))
      pipelined[way].push((20 * 64) / (many_ms / 1000))
    }
  }
  const wayOf = (way: "owner" | "other"): Way => ({
    roundTrip_ms: timesOf(all[way]),
    pipelined: median(pipelined[way])
  })
  return {
    owner: wayOf("owner"),
    other: wayOf("other"),
    longer_ms: timesOf(middles.other.map((time, round) => time - (middles.owner[round] ?? 0)))
  }
}

/** A browser through its node and through another one; both are real servers over one Postgres. */
const throughBoth = (options: Options) =>
  Effect.gen(function* () {
    const { database } = yield* TestPostgres
    const data = yield* database
    const start = (name: string) =>
      Effect.acquireRelease(
        Effect.promise(() => startOurs(fromSource, ["--data", data, "--node", name], { probe: ready })),
        (server) => Effect.promise(server.stop)
      )
    const [owner, other] = [yield* start("owner"), yield* start("other")]
    return yield* Effect.promise(async () => {
      const made = await ask<{ readonly cdpUrl: string }>(`${owner.url}/api/v4/browsers`, "POST", "{}")
      const { pathname, search } = new URL(made.cdpUrl)
      const [direct, tunnelled] = await Promise.all(
        [owner, other].map(({ url }) => connect(`${url.replace(/^http/u, "ws")}${pathname}${search}`))
      )
      if (direct === undefined || tunnelled === undefined) throw new Error("No connection")
      return await measured({ owner: direct, other: tunnelled }, options)
    })
  }).pipe(Effect.scoped, Effect.provide(TestPostgres.layer), Effect.runPromise)

/** Measures the cost of a tunnel. */
export const tunnel = (options: Options): Promise<TunnelReport> => inFolder(() => throughBoth(options))

/** The tables of a report. */
export const markdown = (report: TunnelReport): string => {
  const { longer_ms, other, owner } = report
  return paragraphs(
    headingLine(report, "two servers over one Postgres, simulated browsers; both ways in turns"),
    table(
      ["CDP", "at the browser's node", "through another node"],
      [
        ["round trip, p50 ms", owner.roundTrip_ms.p50.toFixed(3), other.roundTrip_ms.p50.toFixed(3)],
        ["round trip, p95 ms", owner.roundTrip_ms.p95.toFixed(3), other.roundTrip_ms.p95.toFixed(3)],
        ["64 at a time, messages a second", grouped(owner.pipelined), grouped(other.pipelined)]
      ]
    ),
    `A round trip takes ${plain(longer_ms.p50)} ms longer through another node (p95 of the rounds ${plain(longer_ms.p95)} ms).`
  )
}
