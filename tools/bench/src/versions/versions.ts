import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { Agent, request } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createAt, headers } from "../measure/Ask.ts"
import { Mistake } from "../measure/Mistake.ts"
import { startPostgres } from "../measure/OwnPostgres.ts"
import { cpuOfEnded_s } from "../measure/Processes.ts"
import { type Heading, inFolder, type Options } from "../measure/Report.ts"
import { commandOf } from "../measure/ServerCommand.ts"
import { createRun, readHealth, type ServerProcess, startOurs } from "../measure/ServerProcess.ts"
import { bundledAt, nowIn } from "../measure/Versions.ts"
import { bundlePrograms, type CampaignName, type Programs, programsIn } from "./Programs.ts"

/** Amount of measurement. */
interface Settings {
  readonly rounds: number
  /** Seeds of one round, for each campaign. */
  readonly seeds: Readonly<Record<CampaignName, number>>
  /** Starts of each program in one round. */
  readonly starts: number
  /** Requests of one round. */
  readonly reads: number
  readonly creates: number
}

const full: Settings = { rounds: 12, seeds: { worlds: 40, engines: 150 }, starts: 4, reads: 6000, creates: 1000 }
const quick: Settings = { rounds: 2, seeds: { worlds: 5, engines: 20 }, starts: 1, reads: 500, creates: 200 }

/** CPU time of one path in each round, of this version and of the other one. */
export interface Path {
  readonly name: string
  readonly unit: string
  readonly now: ReadonlyArray<number>
  readonly before: ReadonlyArray<number>
  /** True if both versions did the same work, for paths that return what happened. */
  readonly isSame?: boolean
}

/** The result of the bench `versions`. */
export interface VersionsReport extends Heading {
  readonly against: string
  readonly settings: Settings
  readonly paths: ReadonlyArray<Path>
}

/** Cost of a path in one round, and the work that was done for it. */
interface Cost {
  readonly cost: number
  readonly outcome?: string
}

/** A path of one version; each call is a round. */
type Measure = () => Promise<Cost>

/** The seeds that a process lives through before it is measured. */
const warmUpSeeds = 2

const campaign = (file: string, seeds: number): Measure => {
  let from = 1 + warmUpSeeds
  return async () => {
    const { error, status, stderr, stdout } = spawnSync(
      process.execPath,
      [file, String(from), String(seeds), String(warmUpSeeds)],
      { encoding: "utf8", maxBuffer: 2 ** 28 }
    )
    if (error !== undefined || status !== 0) throw new Error(`${file} failed: ${error?.message ?? stderr}`)
    from += seeds
    const { cpu_s, outcome } = JSON.parse(stdout) as { readonly cpu_s: number; readonly outcome: unknown }
    return { cost: (1000 * cpu_s) / seeds, outcome: JSON.stringify(outcome) }
  }
}

const serverStart =
  (server: string, times: number): Measure =>
  async () => {
    let sum_s = 0
    for (let count = 0; count < times; count++) {
      const { cpu_s, stop } = await startOurs(commandOf(server, "simulate"), [], { probe: readHealth })
      sum_s += cpu_s()
      // as after Ctrl-C: a server that is killed keeps none of its compiled code for the next start
      await stop("SIGTERM")
    }
    return { cost: (1000 * sum_s) / times }
  }

const harnessStart =
  (harness: string, times: number): Measure =>
  async () => {
    const before_s = cpuOfEnded_s(process.pid)
    for (let count = 0; count < times; count++) {
      const child = spawn(process.execPath, [harness, "--version"], { stdio: "ignore" })
      const [code] = await once(child, "exit")
      if (code !== 0) throw new Error(`${harness} ended with ${code}`)
    }
    return { cost: (1000 * (cpuOfEnded_s(process.pid) - before_s)) / times }
  }

const connections = 16

/** Sends requests, as many at a time as there are connections; any response but a 2xx is an error. */
const send = async (url: string, method: string, body: string | undefined, amount: number): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(url, { method, headers, agent }, (response) => {
        response.resume().once("end", () => {
          if (Math.floor((response.statusCode ?? 0) / 100) === 2) resolve()
          else reject(new Error(`${method} ${url}: ${response.statusCode}`))
        })
      })
      outgoing.once("error", reject).end(body)
    })
  let left = amount
  const each = async () => {
    while (left-- > 0) await one()
  }
  try {
    await Promise.all(Array.from({ length: connections }, each))
  } finally {
    agent.destroy()
  }
}

/** Time in which the last runs end after their create. */
const settle_ms = 500

/** A server that stands through all rounds, a run of it, and CPU time of it and of its database. */
interface Started {
  readonly server: ServerProcess
  readonly run: string
  readonly cpu_s: () => number
}

/** Starts a server with the first measure that needs it. */
type Standing = () => Promise<Started>

interface Requests {
  readonly method: string
  readonly pathOf: (run: string) => string
  readonly body?: string
  readonly amount: number
}

const requests =
  (standing: Standing, { amount, body, method, pathOf }: Requests): Measure =>
  async () => {
    const { cpu_s, run, server } = await standing()
    const before_s = cpu_s()
    await send(`${server.url}${pathOf(run)}`, method, body, amount)
    if (method === "POST") await sleep(settle_ms)
    return { cost: (1e6 * (cpu_s() - before_s)) / amount }
  }

/** A path with its measure for each version. */
interface Pair {
  readonly name: string
  readonly unit: string
  readonly now: Measure
  readonly before: Measure
}

const runs_ms = 20

type Version = "now" | "before"

const startOnce = (start: Standing): Standing => {
  let started: Promise<Started> | undefined
  return () => (started ??= start())
}

/** All paths of both versions. */
const pairsOf = (
  programs: Readonly<Record<Version, Programs>>,
  { creates, reads, seeds, starts }: Settings,
  scratch: string,
  stops: Array<() => Promise<void>>
): ReadonlyArray<Pair> => {
  const pair = (name: string, unit: string, of: (version: Version) => Measure): Pair => ({
    name,
    unit,
    now: of("now"),
    before: of("before")
  })
  const standing = (version: Version, command: "serve" | "simulate", flags: ReadonlyArray<string>): Standing => {
    const start = async () => {
      const program = commandOf(programs[version].server, command)
      const server = await startOurs(program, ["--turn-duration", `${runs_ms}ms`, ...flags])
      stops.push(server.stop)
      return { server, run: await createAt(server.url), cpu_s: server.cpu_s }
    }
    return startOnce(start)
  }
  const overPostgres = (version: Version) =>
    startOnce(async () => {
      const scope = Scope.makeUnsafe()
      stops.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
      const { address, cpu_s } = await Effect.runPromise(Scope.provide(startPostgres, scope))
      const started = await standing(version, "serve", ["--data", address])()
      return { ...started, cpu_s: () => started.cpu_s() + cpu_s() }
    })
  const create = { method: createRun.method, pathOf: () => createRun.path, body: createRun.body ?? "", amount: creates }
  const status = { method: "GET", pathOf: (run: string) => `/api/v4/runs/${run}/status`, amount: reads }
  return [
    pair("client worlds, a seed", "ms", (version) => campaign(programs[version].worlds, seeds.worlds)),
    pair("server worlds, a seed", "ms", (version) => campaign(programs[version].engines, seeds.engines)),
    pair("start of the server", "ms", (version) => serverStart(programs[version].server, starts)),
    pair("start of the harness", "ms", (version) => harnessStart(programs[version].harness, starts)),
    pair("status read, mock", "µs", (version) => requests(standing(version, "simulate", []), status)),
    pair("run from create to end, memory", "µs", (version) =>
      requests(standing(version, "simulate", ["--journal-size", "0"]), create)
    ),
    pair("run from create to end, SQLite", "µs", (version) =>
      requests(standing(version, "serve", ["--data", join(scratch, `${version}.db`)]), create)
    ),
    pair("run from create to end, Postgres", "µs", (version) => requests(overPostgres(version), create))
  ]
}

/** Measures a path of both versions in turns; the first is another one in each round. */
const measurePair = async ({ before, name, now, unit }: Pair, rounds: number, log: Options["log"]): Promise<Path> => {
  const costs = { now: Array<number>(), before: Array<number>() }
  let isSame: boolean | undefined
  // code that isn't compiled yet costs more
  for (const measure of [now, before]) await measure()
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (["now", "before"] as const) : (["before", "now"] as const)
    const outcomes: Array<string | undefined> = []
    for (const version of order) {
      const { cost, outcome } = await { now, before }[version]()
      costs[version].push(cost)
      outcomes.push(outcome)
    }
    if (outcomes[0] !== undefined) isSame = (isSame ?? true) && outcomes[0] === outcomes[1]
  }
  log(`${name}: measured`)
  return { name, unit, ...costs, ...(isSame === undefined ? {} : { isSame }) }
}

/** This version and another commit, in one run. */
export const versions = ({ against, log, peers, quick: isQuick, rounds }: Options): Promise<VersionsReport> =>
  inFolder(async (scratch) => {
    if (against === undefined) throw new Mistake("The bench versions needs --against with a commit to compare with.")
    const measures = isQuick ? quick : full
    const settings = { ...measures, rounds: rounds ?? measures.rounds }
    const before = await bundledAt(against, "programs", bundlePrograms, log)
    const now = await nowIn(scratch, bundlePrograms)
    const stops: Array<() => Promise<void>> = []
    try {
      const programs = { now: programsIn(now.folder), before: programsIn(before.folder) }
      const pairs = pairsOf(programs, settings, scratch, stops)
      const paths: Array<Path> = []
      for (const pair of pairs.filter(({ name }) => peers.length === 0 || peers.some((part) => name.includes(part)))) {
        paths.push(await measurePair(pair, settings.rounds, log))
      }
      return { against: before.commit, settings, paths }
    } finally {
      // servers before their databases
      for (const stop of stops.toReversed()) await stop()
    }
  })
