import { drawing } from "@webagent/statistics/Drawing"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { median } from "@webagent/statistics/Robust"
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  grouped,
  type Heading,
  headingLine,
  none,
  type Options,
  paragraphs,
  plain,
  ratioText,
  table
} from "../measure/Report.ts"
import { type Ratio, ratioOf } from "../measure/Statistics.ts"
import { cpuOf_s } from "../measure/Processes.ts"
import { timed } from "../measure/Times.ts"
import { attach, type Client, connect, type DevTools } from "./Devtools.ts"
import { type Served, served } from "./Served.ts"

/** To DevTools themselves; through a process that passes bytes on and reads none; through the server. */
const ways = ["direct", "relay", "server"] as const
type Way = (typeof ways)[number]
type Between = Exclude<Way, "direct">
type Each<A> = Readonly<Record<Way, A>>

/** The CDP part of a report. Each list has one figure a round, and a round hits all ways. */
export interface Cdp {
  readonly isolation: string
  /** The middle of a round's round trips, in milliseconds. */
  readonly roundTrip: Each<ReadonlyArray<number>>
  /** Messages a second, 64 at a time. */
  readonly pipelined: Each<ReadonlyArray<number>>
  /** Results of 4 MB, MB a second. */
  readonly large: Each<ReadonlyArray<number>>
  /** CPU time of the process between, in microseconds a message and its answer: one at a time, and 64. */
  readonly cpu: Readonly<Record<Between, { readonly one_us: number; readonly many_us: number }>>
}

/** The result of the bench `cdp`. */
type CdpReport = Heading & Cdp

/** The least that a process between two sockets costs. */
const relay = `
process.once("message", (_, other) => {
  const server = require("node:net").createServer({ noDelay: true }, (client) => {
    other.setNoDelay()
    client.pipe(other).pipe(client)
    for (const socket of [client, other]) socket.on("error", () => client.destroy() && other.destroy())
  })
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))
})
`

/** The address of a relay to DevTools, until it is ended. */
const relayTo = async ({ dial, path }: DevTools) => {
  const child = spawn(process.execPath, ["--eval", relay], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const listening = once(child, "message")
  child.send({}, await dial())
  const [{ port }] = await listening
  return { pid: child.pid ?? 0, address: `ws://127.0.0.1:${port}${path}`, end: () => child.kill() }
}

const repeated = async (count: number, act: () => Promise<unknown>) => {
  for (let index = 0; index < count; index++) await act()
}

const trips = 100
const batches = 10
const together = 64
const large_MB = 4

const measured = async (clients: Each<Client>, pids: Readonly<Record<Between, number>>, rounds: number) => {
  const empty = (): Record<Way, Array<number>> => ({ direct: [], relay: [], server: [] })
  const [roundTrip, pipelined, large] = [empty(), empty(), empty()]
  const pages: Record<Way, string> = { direct: "", relay: "", server: "" }
  for (const way of ways) pages[way] = await attach(clients[way])
  const draw = drawing(1)
  const used = { relay: { one_s: 0, many_s: 0 }, server: { one_s: 0, many_s: 0 } }
  const used_s = (way: Way) => (way === "direct" ? 0 : cpuOf_s(pids[way]))
  // the first round warms them up
  for (let round = -1; round < rounds; round++) {
    for (const way of ways.toSorted(() => draw() - 0.5)) {
      const evaluate = (expression: string) =>
        clients[way].call("Runtime.evaluate", { expression, returnByValue: true }, pages[way])
      const times: Array<number> = []
      const before_s = used_s(way)
      await repeated(trips, async () => times.push(await timed(() => evaluate("1"))))
      const between_s = used_s(way)
      const many_ms = await timed(() =>
        repeated(batches, () => Promise.all(Array.from({ length: together }, () => evaluate("1"))))
      )
      const after_s = used_s(way)
      const big_ms = await timed(() => evaluate(`'x'.repeat(${large_MB}e6)`))
      if (round === -1) continue
      roundTrip[way].push(median(times))
      pipelined[way].push((batches * together) / (many_ms / 1000))
      large[way].push(large_MB / (big_ms / 1000))
      if (way === "direct") continue
      used[way].one_s += between_s - before_s
      used[way].many_s += after_s - between_s
    }
  }
  const costs = ({ many_s, one_s }: (typeof used)["relay"]) => ({
    one_us: (one_s * 1e6) / (rounds * trips),
    many_us: (many_s * 1e6) / (rounds * batches * together)
  })
  return { roundTrip, pipelined, large, cpu: { relay: costs(used.relay), server: costs(used.server) } }
}

/** One page, driven three ways in turns. */
export const cdpOf = async (
  { createBoth, health, server, stop }: Served,
  { quick, rounds = quick ? 10 : 60 }: Pick<Options, "quick" | "rounds">
): Promise<Cdp> => {
  const { cdpUrl, direct, id } = await createBoth()
  const between = await relayTo(direct)
  try {
    const clients = {
      direct: await connect(`ws://127.0.0.1${direct.path}`, await direct.dial()),
      relay: await connect(between.address),
      server: await connect(cdpUrl)
    }
    const figures = await measured(clients, { relay: between.pid, server: server.pid }, rounds)
    for (const way of ways) clients[way].close()
    return { isolation: (await health()).browsers.isolation, ...figures }
  } finally {
    between.end()
    await stop(id)
  }
}

/** Measures the cost of the path through the server, compared with DevTools directly and with a relay. */
export const cdp = (options: Options): Promise<CdpReport> =>
  served(async (all) => {
    await all.rested()
    return await cdpOf(all, options)
  })

/** By how much the first is above the second, round by round. */
const above = (first: ReadonlyArray<number>, second: ReadonlyArray<number>) =>
  sorted(first.map((figure, round) => figure - (second[round] ?? Number.NaN)))

/** The tables of the CDP part. */
export const cdpTables = ({ cpu, large, pipelined, roundTrip }: Cdp): string => {
  const row = (name: string, figures: Each<ReadonlyArray<number>>, text: (figure: number) => string) => [
    name,
    ...ways.map((way) => text(median(figures[way])))
  ]
  const longer = (than: Way) => {
    const all = above(roundTrip.server, roundTrip[than])
    return `${quantile(all, 0.5).toFixed(3)} ms (half of the rounds ${quantile(all, 0.25).toFixed(3)} to ${quantile(all, 0.75).toFixed(3)})`
  }
  const share = (figures: Each<ReadonlyArray<number>>, of: Way): Ratio => ratioOf(figures.server, figures[of])
  return paragraphs(
    table(
      ["CDP, medians of rounds", "direct", "relay", "server"],
      [
        row("round trip, p50 ms", roundTrip, (figure) => figure.toFixed(3)),
        row(`${together} at a time, messages a second`, pipelined, grouped),
        row(`results of ${large_MB} MB, MB a second`, large, plain),
        ["CPU of the process between, one at a time, µs", none, plain(cpu.relay.one_us), plain(cpu.server.one_us)],
        [
          `CPU of the process between, ${together} at a time, µs`,
          none,
          plain(cpu.relay.many_us),
          plain(cpu.server.many_us)
        ]
      ]
    ),
    table(
      ["server, of the same round", "than direct", "than the relay"],
      [
        ["round trip, longer by", longer("direct"), longer("relay")],
        [
          `${together} at a time, times as many`,
          ratioText(share(pipelined, "direct")),
          ratioText(share(pipelined, "relay"))
        ],
        [
          `results of ${large_MB} MB, times as fast`,
          ratioText(share(large, "direct")),
          ratioText(share(large, "relay"))
        ]
      ]
    )
  )
}

/** The tables of a report. */
export const markdown = (report: CdpReport): string =>
  paragraphs(
    headingLine(
      report,
      `headless shell, isolation ${report.isolation}; ${report.roundTrip.server.length} rounds, each way once in each`
    ),
    cdpTables(report)
  )
