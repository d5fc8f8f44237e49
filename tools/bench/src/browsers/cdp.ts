import { drawing } from "@webagent/statistics/Drawing"
import { mean, quantile, sorted } from "@webagent/statistics/Quantile"
import { median } from "@webagent/statistics/Robust"
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  columns,
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
import { type Against, both, type Pair, withBoth } from "../measure/Versions.ts"
import { attach, type Client, connect, type DevTools } from "./Devtools.ts"
import { rested, type Served, served } from "./Served.ts"

/** To DevTools themselves; through a process that passes bytes on and reads none; through the server. */
const ways = ["direct", "relay", "server"] as const
type Way = (typeof ways)[number]
type Between = Exclude<Way, "direct">
type Each<A> = Readonly<Record<Way, A>>

/** The figures of one way in one round. */
interface Round {
  /** The middle of its round trips. */
  readonly roundTrip_ms: number
  /** Messages a second, 64 at a time. */
  readonly pipelined: number
  /** Results of 4 MB, MB a second. */
  readonly large: number
  /** CPU time of the process between for a message and its answer: one at a time, and 64. */
  readonly one_us: number
  readonly many_us: number
}

/** The figures of a version's server and its page. A round hits all ways, and both versions. */
export interface Cdp {
  readonly isolation: string
  readonly rounds: Each<ReadonlyArray<Round>>
}

/** The result of the bench `cdp`. */
export interface CdpReport extends Heading, Against {
  readonly cdp: Pair<Cdp>
}

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

/** A page that is driven in all ways, and the processes between. */
interface Driven {
  readonly isolation: string
  readonly clients: Each<Client>
  readonly pids: Readonly<Record<Between, number>>
  /** The page's session with each client. */
  readonly pages: Each<string>
  readonly close: () => Promise<unknown>
}

const drive = async ({ createBoth, health, server, stop }: Served): Promise<Driven> => {
  const { cdpUrl, direct, id } = await createBoth()
  const between = await relayTo(direct)
  const clients = {
    direct: await connect(`ws://127.0.0.1${direct.path}`, await direct.dial()),
    relay: await connect(between.address),
    server: await connect(cdpUrl)
  }
  return {
    isolation: (await health()).browsers.isolation,
    clients,
    pids: { relay: between.pid, server: server.pid },
    pages: {
      direct: await attach(clients.direct),
      relay: await attach(clients.relay),
      server: await attach(clients.server)
    },
    close: () => {
      for (const way of ways) clients[way].close()
      between.end()
      return stop(id)
    }
  }
}

const roundOf = async ({ clients, pages, pids }: Driven, way: Way): Promise<Round> => {
  const used_us = () => (way === "direct" ? 0 : 1e6 * cpuOf_s(pids[way]))
  const evaluate = (expression: string) =>
    clients[way].call("Runtime.evaluate", { expression, returnByValue: true }, pages[way])
  const times: Array<number> = []
  const before_us = used_us()
  await repeated(trips, async () => times.push(await timed(() => evaluate("1"))))
  const between_us = used_us()
  const many_ms = await timed(() =>
    repeated(batches, () => Promise.all(Array.from({ length: together }, () => evaluate("1"))))
  )
  const after_us = used_us()
  const big_ms = await timed(() => evaluate(`'x'.repeat(${large_MB}e6)`))
  return {
    roundTrip_ms: median(times),
    pipelined: (batches * together) / (many_ms / 1000),
    large: large_MB / (big_ms / 1000),
    one_us: (between_us - before_us) / trips,
    many_us: (after_us - between_us) / (batches * together)
  }
}

/** Drives a page of each server in all ways, in turns, in another order in each round. */
const measureAll = async (driven: Pair<Driven>, rounds: number): Promise<Pair<Cdp>> => {
  const measured = both(driven, (each) => {
    const empty = { direct: Array<Round>(), relay: Array<Round>(), server: Array<Round>() }
    return { driven: each, isolation: each.isolation, rounds: empty }
  })
  const turns = measured.flatMap((each) => ways.map((way) => ({ each, way })))
  const draw = drawing(1)
  // the first round warms them up
  for (let round = -1; round < rounds; round++) {
    for (const { each, way } of turns.toSorted(() => draw() - 0.5)) {
      const figures = await roundOf(each.driven, way)
      if (round >= 0) each.rounds[way].push(figures)
    }
  }
  return both(measured, (each) => ({ isolation: each.isolation, rounds: each.rounds }))
}

/** Measures the cost of the path through the server, compared with DevTools directly and with a relay. */
export const cdp = (options: Options): Promise<CdpReport> =>
  served(options, async (servers) => {
    const { quick, rounds = quick ? 10 : 60 } = options
    await rested(servers)
    return withBoth(
      servers,
      drive,
      ({ close }) => close(),
      async (driven) => ({ cdp: await measureAll(driven, rounds) })
    )
  })

type Figure = (round: Round) => number

const roundTrip: Figure = ({ roundTrip_ms }) => roundTrip_ms
const pipelined: Figure = (round) => round.pipelined

/** By how many ms a round trip of the server is longer, round by round: the median and the middle half. */
export const longer = ({ rounds }: Cdp, than: Way) => {
  const all = sorted(rounds.server.map((round, index) => roundTrip(round) - roundTrip(rounds[than][index] ?? round)))
  return { median: quantile(all, 0.5), low: quantile(all, 0.25), high: quantile(all, 0.75) }
}

const longerText = (cdp: Cdp, than: Way) => {
  const { high, low, median } = longer(cdp, than)
  return `${median.toFixed(3)} ms (half of the rounds ${low.toFixed(3)} to ${high.toFixed(3)})`
}

const ratio = ({ rounds }: Cdp, of: Way, figure: Figure) => ratioOf(rounds.server.map(figure), rounds[of].map(figure))

/** The messages per second through the server, relative to another way. */
export const timesAsMany = (cdp: Cdp, as: Way): Ratio => ratio(cdp, as, pipelined)

/** The tables of a report. */
export const markdown = ({ against, cdp: versions, ...heading }: CdpReport): string => {
  const [now, before] = versions
  const all = versions.flatMap(({ rounds }) => ways.map((way) => ({ way, rounds: rounds[way] })))
  const medians = (name: string, figure: Figure, text: (figure: number) => string) => [
    name,
    ...all.map(({ rounds }) => text(median(rounds.map(figure))))
  ]
  const cpu = (name: string, figure: Figure) => [
    name,
    ...all.map(({ rounds, way }) => (way === "direct" ? none : plain(mean(rounds.map(figure)))))
  ]
  const compared = (
    name: string,
    figure: Figure,
    text = (each: Cdp, other: Way) => ratioText(ratio(each, other, figure))
  ) => [
    name,
    ...versions.flatMap((each) => [text(each, "direct"), text(each, "relay")]),
    ...(before === undefined
      ? []
      : [ratioText(ratioOf(now.rounds.server.map(figure), before.rounds.server.map(figure)))])
  ]
  return paragraphs(
    headingLine(
      heading,
      `headless shell, isolation ${[...new Set(versions.map(({ isolation }) => isolation))].join(" and ")}; ${now.rounds.server.length} rounds, each way once in each`
    ),
    table(
      ["CDP, medians of rounds", ...columns(against, ...ways)],
      [
        medians(
          "round trip, p50 ms",
          ({ roundTrip_ms }) => roundTrip_ms,
          (figure) => figure.toFixed(3)
        ),
        medians(`${together} at a time, messages a second`, pipelined, grouped),
        medians(`results of ${large_MB} MB, MB a second`, ({ large }) => large, plain),
        cpu("CPU of the process between, one at a time, µs", ({ one_us }) => one_us),
        cpu(`CPU of the process between, ${together} at a time, µs`, ({ many_us }) => many_us)
      ]
    ),
    table(
      [
        "server, of the same round",
        ...columns(against, "than direct", "than the relay"),
        ...(before === undefined ? [] : [`÷ ${against}`])
      ],
      [
        compared("round trip, longer by", roundTrip, longerText),
        compared(`${together} at a time, times as many`, pipelined),
        compared(
          `results of ${large_MB} MB, times as fast`,
          ({ large }) => large,
          (each, as) => ratioText(ratio(each, as, ({ large }) => large))
        )
      ]
    )
  )
}
