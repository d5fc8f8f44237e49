import { setTimeout as sleep } from "node:timers/promises"
import { inspected } from "../measure/Inspector.ts"
import type { Command, Pinning } from "../measure/Pinning.ts"
import { apiKey, createRun, freePort, type ServerProcess, startServer } from "../measure/ServerProcess.ts"
import { inTurns } from "../measure/Versions.ts"
import { runId, sessionId, sessionPath, statusPath } from "./Fixtures.ts"
import type { Load, LoadRequest, Work } from "../measure/Load.ts"

/** Amount of measurement. */
export interface Settings {
  readonly rounds: number
  readonly window_s: number
  readonly warmup_s: number
  readonly starts: number
  readonly connections: number
  /** Live runs of the memory figure; 0 leaves it out. */
  readonly liveRuns: number
  /** The rest that they get after the collection, before they are weighed again. */
  readonly settle_s: number
}

/** A server that can be started here. */
export interface Contestant {
  readonly name: string
  readonly stateful: boolean
  /** True if its memory is measured with many live runs. */
  readonly live: boolean
  /** Multiple of the usual warm-up that it needs; 1 by default. */
  readonly warmups?: number
  /** Starts it on a port, with runs of this length. */
  readonly command: (port: number, runs_ms: number) => Command
}

/** Requests of the load, by the name of its column. */
export type Workload = "status" | "session" | "flow"

/** One window: requests are answers of 2xx; a window with any other answer is not counted. */
export interface Sample {
  readonly requests: number
  readonly perSecond: number
  readonly cpu_us: number
  readonly p50_ms: number
  readonly p99_ms: number
}

/** One start: from nothing to the first good answer. */
interface Start {
  readonly took_ms: number
  readonly cpu_s: number
}

/** A server with many live runs. */
interface Live {
  readonly runs: number
  /** Memory that the process holds when the last is created. */
  readonly rss_MB: number
  /** The same after a collection of garbage. */
  readonly collected_MB: number
  readonly took_s: number
}

/** All that was measured of one server; samples are in the order of the rounds, the same for all servers. */
export interface Measured {
  readonly name: string
  readonly starts: ReadonlyArray<Start>
  readonly samples: Readonly<Partial<Record<Workload, ReadonlyArray<Sample>>>>
  readonly rssBefore_MB: number
  readonly rssAfter_MB: number
  /** Requests served between the two, warm-up included. */
  readonly served: number
  /** Windows in which nothing was answered, and which were taken again. */
  readonly stalls: number
  readonly live?: Live
}

/** Dependencies of a measurement. */
interface Tools {
  readonly load: Load
  readonly pinning: Pinning
  readonly log: (line: string) => void
}

const shortRun_ms = 5
const tenHours_ms = 36_000_000

const start = async (contestant: Contestant, pinning: Pinning, runs_ms: number): Promise<ServerProcess> => {
  const read = { method: "GET", path: statusPath(runId), headers: { "x-service-api-key": apiKey } }
  const command = (port: number) => pinning.onServerCore(contestant.command(port, runs_ms))
  try {
    return await startServer(command, contestant.stateful ? createRun : read)
  } catch (error) {
    throw new Error(`${contestant.name} could not be measured`, { cause: error })
  }
}

/** The run and session to read: those that the first answer created, else the ones that every server is given. */
const subject = ({ firstAnswer }: ServerProcess) => {
  const created = JSON.parse(firstAnswer) as { readonly id?: string; readonly sessionId?: string }
  return { run: created.id ?? runId, session: created.sessionId ?? sessionId }
}

/** A server that goes on through all rounds. */
interface Standing {
  readonly contestant: Contestant
  readonly server: ServerProcess
  readonly works: ReadonlyArray<readonly [Workload, Work]>
  readonly rssBefore_MB: number
  readonly samples: Partial<Record<Workload, Array<Sample>>>
  served: number
  stalls: number
}

const stand = async (contestant: Contestant, { pinning }: Tools): Promise<Standing> => {
  const server = await start(contestant, pinning, shortRun_ms)
  const { run, session } = subject(server)
  const flow = [["flow", { kind: "flow" }]] as const
  return {
    contestant,
    server,
    works: [
      ["status", { kind: "read", path: statusPath(run) }],
      ["session", { kind: "read", path: sessionPath(session) }],
      ...(contestant.stateful ? flow : [])
    ],
    rssBefore_MB: server.rss_MB(),
    samples: {},
    served: 0,
    stalls: 0
  }
}

const requestOf = ({ url }: ServerProcess, work: Work, duration_s: number, connections: number): LoadRequest => ({
  url,
  apiKey,
  connections,
  duration_s,
  work
})

/** A server that collects its garbage may miss a whole window; one that misses more than these does not work. */
const mostStalls = 5

/**
 * A window of load, and what it cost the server. A wrong answer ends the bench: it would be fast for the wrong reason. A
 * window without any answer is counted and taken again.
 */
const sample = async (
  standing: Standing,
  work: Work,
  tools: Tools,
  settings: Settings,
  duration_s: number
): Promise<Sample> => {
  const { contestant, server } = standing
  const { load, log } = tools
  const before_s = server.cpu_s()
  const result = await load(requestOf(server, work, duration_s, settings.connections))
  const cpu_s = server.cpu_s() - before_s
  standing.served += result.answers
  if (result.answers + result.others + result.errors === 0 && standing.stalls < mostStalls) {
    standing.stalls++
    log(`${contestant.name}: no answer in a window of ${duration_s} s, taken again`)
    return sample(standing, work, tools, settings, duration_s)
  }
  if (result.answers === 0 || result.others > 0 || result.errors > 0) {
    throw new Error(
      `${contestant.name}: ${result.answers} good answers, ${result.others} of another status, ${result.errors} errors`
    )
  }
  return {
    requests: result.answers,
    perSecond: result.answers / result.duration_s,
    cpu_us: (cpu_s * 1e6) / result.answers,
    p50_ms: result.p50_ms,
    p99_ms: result.p99_ms
  }
}

const measureStarts = async (contestants: ReadonlyArray<Contestant>, settings: Settings, { log, pinning }: Tools) => {
  const starts = new Map<string, Array<Start>>(contestants.map(({ name }) => [name, []]))
  for (let round = 1; round <= settings.starts; round++) {
    log(`starts, round ${round} of ${settings.starts}`)
    for (const contestant of contestants) {
      const server = await start(contestant, pinning, shortRun_ms)
      starts.get(contestant.name)?.push({ took_ms: server.started_ms, cpu_s: server.cpu_s() })
      await server.stop()
    }
  }
  return starts
}

/** Creates many runs that take ten hours, and weighs the server that keeps them. */
const measureLive = async (contestant: Contestant, settings: Settings, { load, log, pinning }: Tools) => {
  log(`${settings.liveRuns} live runs: ${contestant.name}`)
  const { collect, inspect } = inspected(await freePort())
  const weighed: Contestant = { ...contestant, command: (port, runs_ms) => inspect(contestant.command(port, runs_ms)) }
  const server = await start(weighed, pinning, tenHours_ms)
  try {
    const work: Work = { kind: "create", amount: settings.liveRuns }
    const result = await load(requestOf(server, work, 0, settings.connections))
    const rss_MB = server.rss_MB()
    // what the creates left behind is not what the runs weigh
    await collect()
    await sleep(settings.settle_s * 1000)
    return { runs: result.answers, rss_MB, collected_MB: server.rss_MB(), took_s: result.duration_s }
  } finally {
    await server.stop()
  }
}

/** Rounds over all servers and works, one after the other and then again, so that a slow minute hits all alike. */
export const measure = async (
  contestants: ReadonlyArray<Contestant>,
  settings: Settings,
  tools: Tools
): Promise<ReadonlyArray<Measured>> => {
  const starts = await measureStarts(contestants, settings, tools)
  const standing: Array<Standing> = []
  try {
    for (const contestant of contestants) standing.push(await stand(contestant, tools))
    for (const each of standing) {
      tools.log(`warm-up: ${each.contestant.name}`)
      for (const [, work] of each.works)
        await sample(each, work, tools, settings, settings.warmup_s * (each.contestant.warmups ?? 1))
    }
    for (let round = 1; round <= settings.rounds; round++) {
      tools.log(`round ${round} of ${settings.rounds}`)
      for (const each of inTurns(standing, round)) {
        for (const [name, work] of each.works) {
          const measured = await sample(each, work, tools, settings, settings.window_s)
          ;(each.samples[name] ??= []).push(measured)
        }
      }
    }
    const weighed = standing.map((each) => ({ each, rssAfter_MB: each.server.rss_MB() }))
    await Promise.all(standing.map(({ server }) => server.stop()))

    const measured: Array<Measured> = []
    for (const { each, rssAfter_MB } of weighed) {
      const { contestant, rssBefore_MB, samples, served, stalls } = each
      const live =
        contestant.live && settings.liveRuns > 0 ? { live: await measureLive(contestant, settings, tools) } : {}
      const began = starts.get(contestant.name) ?? []
      measured.push({
        name: contestant.name,
        starts: began,
        samples,
        rssBefore_MB,
        rssAfter_MB,
        served,
        stalls,
        ...live
      })
    }
    return measured
  } finally {
    await Promise.all(standing.map(({ server }) => server.stop()))
  }
}
