/** Three servers on one Postgres, killed, frozen and restarted under load: what clients were told has to hold. */
import { TestPostgres } from "@webagent/test-postgres"
import { Turn } from "@webagent/engine"
import { drawing } from "@webagent/statistics/Drawing"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { setTimeout as sleep } from "node:timers/promises"
import { bundleServer } from "../measure/Bundle.ts"
import { Mistake } from "../measure/Mistake.ts"
import {
  grouped,
  type Heading,
  headingLine,
  inFolder,
  none,
  type Options,
  paragraphs,
  table
} from "../measure/Report.ts"
import { serverOf } from "../measure/Against.ts"
import { fromSource } from "../measure/ServerProcess.ts"
import { clients as makeClients } from "./Clients.ts"
import { cluster, type Cluster, type Member } from "./Cluster.ts"
import { type Hit, isTouched, violationsOf, type Loss, takeovers, wrongSums } from "./Oracle.ts"
import { observe } from "./Observer.ts"
import { passes, upgrade } from "./Upgrade.ts"

/** Kinds of actions on the nodes. */
const modes = ["chaos", "rolling", "join", "upgrade"] as const

/** Actions on the nodes, their duration, and their numbers. */
interface ChaosOptions {
  readonly mode: (typeof modes)[number]
  readonly seed: number
  readonly duration_ms: number
  readonly kills: number
  readonly freezes: number
  /** Number of times that Postgres is killed and started again. */
  readonly restarts: number
  /** Number of times that Postgres is frozen for some seconds. */
  readonly stalls: number
  readonly clients: number
  /** The share of creates that go to all nodes at once; 0.2 unless given. */
  readonly together?: number
  /** Time that a client waits for a response before it sends the request to another node; 3 s by default. */
  readonly clientPatience_ms?: number
  /** Command that runs the server, without its flags; from source by default. */
  readonly command?: ReadonlyArray<string>
  /** Command that runs the version before, which nodes start with in the mode `upgrade`; `command` by default. */
  readonly before?: ReadonlyArray<string>
  /** Statements that plant a bug in the database. */
  readonly plant?: ReadonlyArray<string>
  readonly log: (line: string) => void
}

/** The outcome. */
export interface Outcome {
  readonly mode: ChaosOptions["mode"]
  readonly seed: number
  readonly took_s: number
  readonly kills: number
  readonly freezes: number
  readonly restarts: number
  readonly stalls: number
  readonly rolled: number
  readonly keys: number
  readonly runs: number
  readonly browsers: number
  readonly reads: number
  readonly walks: number
  /** Number of runs that clients deleted. */
  readonly deleted: number
  readonly ended: Readonly<Record<string, number>>
  /** Runs that ended with a node that was never killed, frozen or stopped. */
  readonly untouched: number
  /** Times that turns of lost nodes waited for another node, in milliseconds, sorted. */
  readonly takeovers: ReadonlyArray<number>
  /** The same where Postgres was away meanwhile. */
  readonly takeoversInOutages: ReadonlyArray<number>
  /** Every promise that was broken. */
  readonly broken: ReadonlyArray<string>
}

/** Time without any event at the end before the remaining work counts as stuck. */
const patience_ms = 120_000

/** Long enough for a lease to run out, with some time to spare. */
const frozen_ms = [7000, 11_000] as const

/** Actions in a drawn order. */
const shuffled = <A>(all: ReadonlyArray<A>, draw: () => number): ReadonlyArray<A> =>
  all
    .map((one) => ({ one, at: draw() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ one }) => one)

/** Durations for which Postgres is frozen: one shorter and one longer than a node waits for a response. */
const stalled_ms = [1000, 8000] as const

/** Kills, freezes, restarts and stalls as they come; always at least one node is up. */
const disturb = async (
  { duration_ms, freezes, kills, log, restarts, seed, stalls }: ChaosOptions,
  nodes: Cluster,
  postgres: Readonly<Record<"restart" | "stall", (away_ms: number) => Promise<void>>>,
  lost: (member: Member) => void
) => {
  const draw = drawing(seed)
  const actions = shuffled(
    [
      ...Array.from({ length: kills }, () => "kill" as const),
      ...Array.from({ length: freezes }, () => "freeze" as const),
      ...Array.from({ length: restarts }, () => "restart" as const),
      ...Array.from({ length: stalls }, () => "stall" as const)
    ],
    draw
  )
  const repairs: Array<Promise<void>> = []
  const began_ms = performance.now()
  const gap_ms = duration_ms / (actions.length + 1)
  for (const [index, action] of actions.entries()) {
    const due_ms = (index + 0.5 + draw() * 0.5) * gap_ms
    await sleep(Math.max(0, began_ms + due_ms - performance.now()))
    if (action === "restart") {
      log(`${Math.round(due_ms / 1000)} s: kill Postgres`)
      await postgres.restart(300 + draw() * 1500)
      continue
    }
    if (action === "stall") {
      log(`${Math.round(due_ms / 1000)} s: freeze Postgres`)
      await postgres.stall(stalled_ms[0] + draw() * (stalled_ms[1] - stalled_ms[0]))
      continue
    }
    let up = nodes.members.filter(({ state }) => state === "up")
    while (up.length < 2) {
      await sleep(50)
      up = nodes.members.filter(({ state }) => state === "up")
    }
    const victim = up[Math.floor(draw() * up.length)]
    if (victim === undefined) continue
    log(`${Math.round(due_ms / 1000)} s: ${action} ${victim.name}`)
    const away_ms = action === "kill" ? 300 + draw() * 3700 : frozen_ms[0] + draw() * (frozen_ms[1] - frozen_ms[0])
    if (action === "kill") await nodes.kill(victim)
    else nodes.freeze(victim)
    lost(victim)
    const repair = async () => {
      await sleep(away_ms)
      log(`${action === "kill" ? "start" : "thaw"} ${victim.name}`)
      await (action === "kill" ? nodes.start(victim) : nodes.thaw(victim))
      log(`${victim.name} is ready`)
    }
    repairs.push(repair())
  }
  await sleep(Math.max(0, began_ms + duration_ms - performance.now()))
  await Promise.all(repairs)
}

/** Stops and starts one node after the other, again and again. */
const roll = async (nodes: Cluster, rounds: number, log: (line: string) => void) => {
  for (let round = 1; round <= rounds; round++) {
    for (const member of nodes.members) {
      await nodes.stop(member)
      await nodes.start(member)
    }
    log(`${round} of ${rounds} rolling restarts`)
  }
}

/** Number of runs that are running while a node joins, and the duration of each. */
const long = { runs: 60, duration_s: 25 }

const database = Effect.gen(function* () {
  const postgres = yield* TestPostgres
  const address = yield* postgres.database
  return { postgres, address }
})

/** The course of a run that ended with an untouched node, and what happened to the nodes meanwhile. */
const story = (
  { failure, id }: Turn.Turn,
  { events, nodeOf }: Pick<Awaited<ReturnType<typeof observe>>, "events" | "nodeOf">,
  happened: ReadonlyArray<{ readonly at_ms: number; readonly line: string }>
): string => {
  const own = events.filter(({ event }) => event.id === id)
  const end_ms = own.at(-1)?.event.at_ms ?? 0
  const lines = [
    ...own.map(({ event: { at_ms, to } }) => ({ at_ms, line: to })),
    ...happened.filter(({ at_ms }) => at_ms > end_ms - 30_000 && at_ms < end_ms + 5000)
  ].toSorted((left, right) => left.at_ms - right.at_ms)
  const course = lines.map(({ at_ms, line }) => `${((at_ms - end_ms) / 1000).toFixed(1)} s ${line}`)
  return `run ${id} of the untouched ${nodeOf.get(id)}: ${failure}; ${course.join(", ")}`
}

/** Runs the chaos and returns its outcome. Stops Postgres and all processes at the end. */
export const run = async (options: ChaosOptions): Promise<Outcome> => {
  const { clients: count, command = [process.execPath, ...fromSource], seed } = options
  const happened: Array<{ readonly at_ms: number; readonly line: string }> = []
  const log = (line: string) => {
    happened.push({ at_ms: Date.now(), line })
    options.log(line)
  }
  const runtime = ManagedRuntime.make(TestPostgres.layer)
  const outages: Array<{ readonly from_ms: number; until_ms: number }> = []
  const losses: Array<Promise<Loss>> = []
  const hits: Array<Hit> = []
  const began_ms = performance.now()
  try {
    const { address, postgres } = await runtime.runPromise(database)
    const nodes = await cluster(3, { command: options.before ?? command, database: address })
    try {
      const [first, second, third] = nodes.members as [Member, Member, Member]
      // the first one makes the database ready, the others start together
      await nodes.start(first)
      await (options.mode === "join"
        ? nodes.start(second)
        : Promise.all([second, third].map((member) => nodes.start(member))))
      const observer = await observe(address)
      try {
        if (options.plant !== undefined) await observer.execute(options.plant)
        // the version before may keep no sums of what it deletes
        let isMigrated = false
        const load = makeClients(nodes.members, seed, {
          patience_ms: options.clientPatience_ms,
          together: options.together,
          deletes: () => options.mode !== "upgrade" || isMigrated
        })
        const stop = new AbortController()
        const outage = (begin: Effect.Effect<void>, end: Effect.Effect<void>) => async (away_ms: number) => {
          const outage = { from_ms: Date.now(), until_ms: Infinity }
          outages.push(outage)
          await runtime.runPromise(begin)
          await sleep(away_ms)
          await runtime.runPromise(end)
          outage.until_ms = Date.now()
          log("Postgres answers again")
        }
        const away = {
          restart: outage(postgres.kill, postgres.start),
          stall: outage(postgres.freeze, postgres.thaw)
        }
        const lost = (member: Member) => {
          const at_ms = Date.now()
          hits.push({ at_ms, name: member.name })
          losses.push(observer.turnsAt(member.name).then((turns) => ({ at_ms, turns })))
        }
        if (options.mode === "join") {
          const ids = await Promise.all(
            Array.from({ length: long.runs }, (_, index) =>
              load.create(index % 2 === 0 ? first : second, `Wait [simulate output=found duration=${long.duration_s}s]`)
            )
          )
          await nodes.start(third)
          log("a third node has joined")
          await Promise.all(ids.map(load.ended))
        } else {
          const working = load.work(count, stop.signal)
          if (options.mode === "rolling") await roll(nodes, options.kills, log)
          else if (options.mode === "upgrade") {
            const { before = command, duration_ms } = options
            await upgrade(nodes, {
              before,
              now: command,
              database: address,
              duration_ms,
              log,
              lost,
              migrated: () => (isMigrated = true)
            })
          } else await disturb({ ...options, log }, nodes, away, lost)
          stop.abort()
          await Promise.race([working, stuck(observer.events)])
        }
        const evidence = await settled(observer)
        const outcomes = evidence.turns.map(({ failure, status }) => (failure === null ? status : `failed: ${failure}`))
        const ended: Record<string, number> = {}
        for (const one of outcomes) ended[one] = (ended[one] ?? 0) + 1
        const gone = await Promise.all(losses)
        const inOutage = ({ at_ms }: Loss) =>
          outages.some(({ from_ms, until_ms }) => at_ms < until_ms + 6000 && at_ms + 6000 > from_ms)
        const sorted = (some: ReadonlyArray<Loss>) =>
          takeovers(some, observer.events).toSorted((left, right) => left - right)
        const untouched = evidence.turns.filter(
          (turn) => turn.failure === "node_lost" && !isTouched(turn, observer.nodeOf.get(turn.id), hits)
        )
        for (const turn of untouched) options.log(story(turn, observer, happened))
        const mayLose = options.mode === "chaos" || options.mode === "upgrade"
        return {
          mode: options.mode,
          seed,
          took_s: (performance.now() - began_ms) / 1000,
          kills: options.mode === "chaos" ? options.kills : options.mode === "upgrade" ? hits.length : 0,
          freezes: options.mode === "chaos" ? options.freezes : 0,
          restarts: options.mode === "chaos" ? options.restarts : 0,
          stalls: options.mode === "chaos" ? options.stalls : 0,
          rolled: options.mode === "rolling" ? options.kills : options.mode === "upgrade" ? passes : 0,
          keys: load.asked.length,
          runs: evidence.turns.length,
          browsers: evidence.browsers.length,
          reads: load.reads(),
          walks: load.walks(),
          deleted: load.deleted.size,
          ended,
          untouched: untouched.length,
          takeovers: sorted(gone.filter((loss) => !inOutage(loss))),
          takeoversInOutages: sorted(gone.filter(inOutage)),
          broken: [
            ...violationsOf({
              asked: load.asked,
              events: observer.events,
              losses: mayLose,
              deleted: new Set(load.deleted.keys()),
              ...evidence
            }),
            ...wrongSums(await observer.sums(), evidence.turns, load.deleted),
            ...load.wrong,
            ...nodes.ended.filter(() => outages.length === 0)
          ]
        }
      } finally {
        await observer.close()
      }
    } finally {
      await nodes.close()
    }
  } finally {
    await runtime.dispose()
  }
}

/** Resolves when nothing has happened for long. */
const stuck = async (events: ReadonlyArray<unknown>) => {
  for (let last = -1; last !== events.length;) {
    last = events.length
    await sleep(patience_ms, undefined, { ref: false })
  }
}

/** The evidence once all work is done, or once nothing has happened for long. */
const settled = async (observer: Awaited<ReturnType<typeof observe>>) => {
  let lastCount = -1
  for (let since_ms = performance.now(); ;) {
    const evidence = await observer.all()
    const isOpen =
      evidence.held.length > 0 ||
      evidence.turns.some(({ status }) => !Turn.isTerminal(status)) ||
      evidence.browsers.some(({ node, status }) => status !== "stopped" && !evidence.nodes.includes(node ?? ""))
    if (!isOpen || performance.now() - since_ms > patience_ms) return evidence
    if (observer.events.length !== lastCount) {
      lastCount = observer.events.length
      since_ms = performance.now()
    }
    await sleep(200)
  }
}

/** The result of the bench `chaos`. */
interface ChaosReport extends Heading {
  /** The commit of the version before. */
  readonly against: string | null
  readonly outcome: Outcome
}

const minutes = (text: string): number => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(s|m)$/u.exec(text) ?? []
  if (count === undefined) throw new Mistake("--duration takes a time such as 90s or 10m.")
  return Number(count) * (unit === "s" ? 1000 : 60_000)
}

const usualDuration = (mode: ChaosOptions["mode"], quick: boolean) => (quick ? "1m" : mode === "upgrade" ? "2m" : "10m")

/** Ten minutes with 60 kills, 40 freezes, 3 restarts of Postgres and 3 stalls of it, unless the options say otherwise. */
export const chaos = ({ against, chaos: asked, duration, log, quick, rounds }: Options): Promise<ChaosReport> =>
  inFolder(async (folder) => {
    const mode = modes.find((one) => one === (asked.mode ?? "chaos"))
    if (mode === undefined) throw new Mistake(`No mode is named "${asked.mode}". Use one of: ${modes.join(", ")}.`)
    if ((mode === "upgrade") !== (against !== undefined)) {
      throw new Mistake(
        "--mode upgrade needs --against with the commit of the version before, and no other mode has one."
      )
    }
    const before = against === undefined ? undefined : await serverOf(against, log)
    const { file } = await bundleServer(folder)
    // another history each day
    const seed = asked.seed ?? Math.floor(Date.now() / 1000) % 1_000_000
    log(`${mode}, seed ${seed}`)
    const usual = quick
      ? { kills: 6, freezes: 4, restarts: 1, stalls: 1 }
      : { kills: 60, freezes: 40, restarts: 3, stalls: 3 }
    const outcome = await run({
      mode,
      seed,
      duration_ms: minutes(duration ?? usualDuration(mode, quick)),
      kills: mode === "rolling" ? (rounds ?? (quick ? 2 : 10)) : (asked.kills ?? usual.kills),
      freezes: asked.freezes ?? usual.freezes,
      restarts: asked.restarts ?? usual.restarts,
      stalls: asked.stalls ?? usual.stalls,
      clients: 24,
      command: [process.execPath, file],
      ...(before === undefined ? {} : { before: [process.execPath, before.file] }),
      log
    })
    if (outcome.broken.length > 0) process.exitCode = 1
    return { outcome, against: before?.commit ?? null }
  })

const seconds = (all: ReadonlyArray<number>) => {
  if (all.length === 0) return none
  const at = (share: number) => ((all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0) / 1000).toFixed(1)
  return `${at(0.5)} s p50, ${at(1)} s max (${all.length} runs)`
}

/** The figures of a report. */
export const markdown = (report: ChaosReport): string => {
  const { broken, ended, mode, seed, takeovers: times, takeoversInOutages, ...outcome } = report.outcome
  const versions = report.against === null ? "" : ` from ${report.against} to this version, back, and forward again`
  return paragraphs(
    headingLine(report, `three of our servers, bundled, on one Postgres 18; ${mode}${versions}, seed ${seed}`),
    table(
      ["what", "count"],
      [
        ["seconds", grouped(outcome.took_s)],
        ["kills", grouped(outcome.kills)],
        ["freezes of 7 to 11 s", grouped(outcome.freezes)],
        ["Postgres killed and started again", grouped(outcome.restarts)],
        ["Postgres frozen for 1 to 8 s", grouped(outcome.stalls)],
        ["rolling restarts of all three", grouped(outcome.rolled)],
        ["keys", grouped(outcome.keys)],
        ["runs", grouped(outcome.runs)],
        ...Object.entries(ended).map(([status, count]) => [`runs ${status}`, grouped(count)]),
        ["runs that ended with an untouched node", grouped(outcome.untouched)],
        ["runs deleted with their session", grouped(outcome.deleted)],
        ["browsers", grouped(outcome.browsers)],
        ["reads", grouped(outcome.reads)],
        ["walks over the list of runs, a page at each node", grouped(outcome.walks)],
        ["takeover of what a lost node had", seconds(times)],
        ["the same while Postgres was away", seconds(takeoversInOutages)],
        ["**promises broken**", grouped(broken.length)]
      ]
    ),
    broken.length === 0
      ? ""
      : `Broken with seed ${seed}:\n\n${broken
          .slice(0, 20)
          .map((one) => `- ${one}`)
          .join("\n")}`
  )
}
