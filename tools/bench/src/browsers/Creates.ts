import { median } from "@webagent/statistics/Robust"
import { columns, plain, ratioText, table } from "../measure/Report.ts"
import { ratioOf } from "../measure/Statistics.ts"
import { timed, timesOf } from "../measure/Times.ts"
import { both, inTurns, type Pair } from "../measure/Versions.ts"
import { rested, type Served, warm } from "./Served.ts"

/** The milliseconds of creates, in the order of the rounds. */
export interface Creates {
  /** Of a browser that waits. */
  readonly warm: ReadonlyArray<number>
  /** Of one that doesn't. */
  readonly cold: ReadonlyArray<number>
  /** Of each of ten at once. */
  readonly burst: ReadonlyArray<ReadonlyArray<number>>
}

/** Number of browsers that are created at once. */
const atOnce = 10

const repeated = async (count: number, act: () => Promise<unknown>) => {
  for (let index = 0; index < count; index++) await act()
}

/** Measures creates at the servers, in turns. All rest before each: a browser that starts takes a core. */
export const measureCreates = async (servers: Pair<Served>, isQuick: boolean): Promise<Pair<Creates>> => {
  const all = both(servers, ({ create, stop }) => {
    const made: Array<string> = []
    return {
      add: async () => void made.push((await create()).id),
      stopAll: async () => {
        for (const id of made.splice(0)) await stop(id)
      },
      times: { warm: Array<number>(), cold: Array<number>(), burst: Array<Array<number>>() }
    }
  })
  const rounds = async (count: number, measure: (each: (typeof all)[0]) => Promise<unknown>) => {
    for (let round = 0; round < count; round++) {
      for (const each of inTurns(all, round)) {
        await rested(servers)
        await measure(each)
        await each.stopAll()
      }
    }
  }
  await rounds(isQuick ? 5 : 30, async ({ add, times }) => times.warm.push(await timed(add)))
  await rounds(isQuick ? 2 : 6, async ({ add, times }) => {
    await repeated(warm, add)
    times.cold.push(await timed(add))
  })
  await rounds(isQuick ? 1 : 10, async ({ add, times }) =>
    times.burst.push(await Promise.all(Array.from({ length: atOnce }, () => timed(add))))
  )
  return both(all, ({ times }) => times)
}

/** The table of creates. A ratio is between the medians of a round. */
export const createsTable = (versions: Pair<Creates>, against: string | null): string => {
  const [now, before] = versions
  const row = (name: string, of: (creates: Creates) => ReadonlyArray<ReadonlyArray<number>>) => [
    name,
    ...versions.flatMap((each) => {
      const { p50, p95 } = timesOf(of(each).flat())
      return [plain(p50), plain(p95)]
    }),
    ...(before === undefined ? [] : [ratioText(ratioOf(of(now).map(median), of(before).map(median)))])
  ]
  const single = (times: ReadonlyArray<number>) => times.map((time) => [time])
  return table(
    ["POST /browsers, ms", ...columns(against, "p50", "p95"), ...(against === null ? [] : [`÷ ${against}`])],
    [
      row("one that waits", (each) => single(each.warm)),
      row("none waits", ({ cold }) => single(cold)),
      row("each of ten at once", ({ burst }) => burst),
      row("the last of ten at once", ({ burst }) => burst.map((times) => [Math.max(...times)]))
    ]
  )
}
