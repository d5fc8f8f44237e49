/** Three servers on one Postgres, killed, frozen and restarted under load: what clients were told has to hold. */
import { TestPostgres } from "@webagent/test-postgres"
import { Turn } from "@webagent/engine"
import { drawing } from "@webagent/statistics/Drawing"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { setTimeout as sleep } from "node:timers/promises"
import { fromSource } from "../measure/ServerProcess.ts"
import { type Clients, clients as makeClients } from "./Clients.ts"
import { apiKey, cluster, type Cluster, type Member } from "./Cluster.ts"
import { type Hit, isTouched, violationsOf, type Loss, takeovers, wrongSums } from "./Oracle.ts"
import { observe } from "./Observer.ts"
import type { Tenant } from "./Tenant.ts"
import { passes, upgrade } from "./Upgrade.ts"
import type { LooseCreate } from "./Waits.ts"
import { makeWorld, type Used, type World } from "./World.ts"

/** Kinds of actions on the nodes. */
export const modes = ["chaos", "rolling", "join", "upgrade"] as const

/** Actions on the nodes, their duration, and their numbers. */
export interface ChaosOptions {
  readonly mode: (typeof modes)[number]
  readonly seed: number
  readonly duration_ms: number
  readonly kills: number
  readonly freezes: number
  /** Number of times that Postgres is killed and started again. */
  readonly restarts: number
  /** Number of times that Postgres is frozen for some seconds. */
  readonly stalls: number
  /** Number of times that a node drains for some seconds, or is stopped in order and started again; 0 by default. */
  readonly drains?: number
  /** Number of times that all connections to Postgres are cut; 0 by default. */
  readonly cuts?: number
  readonly clients: number
  /**
   * Has three keys use everything: files, profiles, people, webhooks and schedules; and none of them sees anything of the
   * other. By default, one key uses runs, messages and browsers only.
   */
  readonly uses?: "everything"
  /** The browsers of the nodes, if clients use everything; simulated ones by default. */
  readonly browsers?: "simulated" | "chromium"
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
  readonly drains: number
  readonly cuts: number
  /** Requests for records of another key. */
  readonly strangers: number
  /** The use of everything else; null if there was none. */
  readonly used: Used | null
  /** Creates of browsers whose connection closed, whose node was unavailable, and that waited for as long as they could. */
  readonly closed: number
  readonly unavailable: number
  readonly refused: number
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

/** Disturbances of the nodes besides kills, and of their database. */
interface Happenings extends Readonly<Record<"restart" | "stall", (away_ms: number) => Promise<void>>> {
  readonly cut: () => Promise<unknown>
  readonly drain: (member: Member, away_ms: number) => Promise<void>
  /** Notes that a node is lost. */
  readonly lost: (member: Member) => void
  /** Notes that a node is frozen. Returns a function that notes that it isn't any more. */
  readonly frozen: (member: Member) => () => void
  /** Notes that a node is stopped, so that its runs may end with it. */
  readonly stopped: (member: Member) => void
}

/** Kills, freezes, drains, restarts, cuts and stalls as they come; always at least one node is up. */
const disturb = async (
  { cuts = 0, drains = 0, duration_ms, freezes, kills, log, restarts, seed, stalls }: ChaosOptions,
  nodes: Cluster,
  happenings: Happenings
) => {
  const draw = drawing(seed)
  const actions = shuffled(
    [
      ...Array.from({ length: kills }, () => "kill" as const),
      ...Array.from({ length: freezes }, () => "freeze" as const),
      ...Array.from({ length: restarts }, () => "restart" as const),
      ...Array.from({ length: stalls }, () => "stall" as const),
      // half of them end with a stop
      ...Array.from({ length: drains }, (_, index) => (index % 2 === 0 ? ("drain" as const) : ("stop" as const))),
      ...Array.from({ length: cuts }, () => "cut" as const)
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
      await happenings.restart(300 + draw() * 1500)
      continue
    }
    if (action === "cut") {
      log(`${Math.round(due_ms / 1000)} s: cut all connections to Postgres`)
      await happenings.cut()
      continue
    }
    if (action === "stall") {
      log(`${Math.round(due_ms / 1000)} s: freeze Postgres`)
      await happenings.stall(stalled_ms[0] + draw() * (stalled_ms[1] - stalled_ms[0]))
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
    const [least_ms, most_ms] = action === "freeze" ? frozen_ms : ([300, 4000] as const)
    const away_ms = least_ms + draw() * (most_ms - least_ms)
    if (action === "drain") {
      repairs.push(happenings.drain(victim, away_ms))
      continue
    }
    if (action === "kill") await nodes.kill(victim)
    else if (action === "freeze") nodes.freeze(victim)
    let thawed = () => {}
    if (action === "stop") happenings.stopped(victim)
    else if (action === "kill") happenings.lost(victim)
    else thawed = happenings.frozen(victim)
    const repair = async () => {
      if (action === "stop") await nodes.stop(victim)
      await sleep(away_ms)
      log(`${action === "freeze" ? "thaw" : "start"} ${victim.name}`)
      const ready = action === "freeze" ? nodes.thaw(victim) : nodes.start(victim)
      thawed()
      await ready
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

/** The parts of a chaos that is under way. */
interface Course {
  readonly options: ChaosOptions
  readonly nodes: Cluster
  readonly observer: Awaited<ReturnType<typeof observe>>
  readonly world: World | null
  readonly loads: ReadonlyArray<Clients>
  /** The creates of schedules. */
  readonly tenants: ReadonlyArray<Tenant>
  readonly outages: ReadonlyArray<{ readonly from_ms: number; readonly until_ms: number }>
  readonly losses: ReadonlyArray<Promise<Loss>>
  readonly hits: ReadonlyArray<Hit>
  readonly happened: ReadonlyArray<{ readonly at_ms: number; readonly line: string }>
}

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, each) => total + each, 0)

/** The outcome of a chaos whose clients are done, but for its duration. */
const outcomeOf = async (course: Course): Promise<Omit<Outcome, "took_s">> => {
  const { happened, hits, loads, losses, nodes, observer, options, outages, tenants, world } = course
  const evidence = await settled(observer)
  const creates = loads.flatMap(({ waits }) => waits.creates)
  const failedAs = (as: LooseCreate["failure"]) => creates.filter(({ failure }) => failure === as).length
  const ofWorld = (await world?.broken(observer, { ...evidence, creates }, { hits, outages })) ?? []
  const outcomes = evidence.turns.map(({ failure, status }) => (failure === null ? status : `failed: ${failure}`))
  const ended: Record<string, number> = {}
  for (const one of outcomes) ended[one] = (ended[one] ?? 0) + 1
  const gone = await Promise.all(losses)
  const inOutage = ({ at_ms }: Loss) =>
    outages.some(({ from_ms, until_ms }) => at_ms < until_ms + 6000 && at_ms + 6000 > from_ms)
  const sorted = (some: ReadonlyArray<Loss>) => takeovers(some, observer.events).toSorted((left, right) => left - right)
  const untouched = evidence.turns.filter(
    (turn) => turn.failure === "node_lost" && !isTouched(turn, observer.nodeOf.get(turn.id), hits)
  )
  for (const turn of untouched) options.log(story(turn, observer, happened))
  const { kills, mode, seed } = options
  const isChaos = mode === "chaos"
  const asked = [...loads.flatMap((load) => load.asked), ...tenants.flatMap((tenant) => tenant.asked)]
  const deleted = new Map(loads.flatMap((load) => [...load.deleted]))
  return {
    mode,
    seed,
    kills: isChaos ? kills : mode === "upgrade" ? hits.length : 0,
    freezes: isChaos ? options.freezes : 0,
    restarts: isChaos ? options.restarts : 0,
    stalls: isChaos ? options.stalls : 0,
    drains: isChaos ? (options.drains ?? 0) : 0,
    cuts: isChaos ? (options.cuts ?? 0) : 0,
    rolled: mode === "rolling" ? kills : mode === "upgrade" ? passes : 0,
    keys: asked.length,
    runs: evidence.turns.length,
    browsers: evidence.browsers.length,
    reads: sum(loads.map((load) => load.reads())),
    walks: sum(loads.map((load) => load.walks())),
    deleted: deleted.size,
    strangers: sum(loads.map((load) => load.strangers())),
    used: (await world?.used(observer, { ...evidence, creates }, { hits, outages })) ?? null,
    closed: failedAs("closed"),
    unavailable: failedAs("unavailable"),
    refused: sum(loads.map(({ waits }) => waits.refused())),
    ended,
    untouched: untouched.length,
    takeovers: sorted(gone.filter((loss) => !inOutage(loss))),
    takeoversInOutages: sorted(gone.filter(inOutage)),
    broken: [
      ...violationsOf({
        asked,
        events: observer.events,
        losses: isChaos || mode === "upgrade",
        mayFail: new Map(loads.flatMap((load) => [...load.mayFail])),
        deleted: new Set(deleted.keys()),
        ...evidence
      }),
      ...wrongSums(await observer.sums(), evidence.turns, deleted),
      ...loads.flatMap((load) => load.wrong),
      ...ofWorld,
      ...nodes.ended.filter(() => outages.length === 0),
      ...nodes.failures()
    ]
  }
}

/** The clients of each key; those of one key know the records of the others, and may not see them. */
const clientsOf = (
  members: ReadonlyArray<Member>,
  { browsers, clientPatience_ms, seed, together }: ChaosOptions,
  { deletes, tenants }: { readonly tenants: ReadonlyArray<Tenant>; readonly deletes: () => boolean }
): ReadonlyArray<Clients> => {
  const shared = { patience_ms: clientPatience_ms, together, deletes, browsers }
  if (tenants.length === 0) return [makeClients(members, seed, { ...shared, apiKey, name: "" })]
  const all: Array<Clients> = []
  for (const [index, tenant] of tenants.entries()) {
    const foreign = (draw: () => number) => {
      const others = all.filter((_, other) => other !== index)
      return others[Math.floor(draw() * others.length)]?.record(draw)
    }
    const { name, secret } = tenant.key
    all.push(makeClients(members, seed + index, { ...shared, apiKey: secret, name, tenant, foreign }))
  }
  return all
}

/** Runs the chaos and returns its outcome. Stops Postgres and all processes at the end. */
export const run = async (options: ChaosOptions): Promise<Outcome> => {
  const { browsers = "simulated", clients: count, duration_ms, mode, seed } = options
  const { command = [process.execPath, ...fromSource] } = options
  const happened: Array<{ readonly at_ms: number; readonly line: string }> = []
  const log = (line: string) => {
    const at_ms = Date.now()
    happened.push({ at_ms, line })
    options.log(`${new Date(at_ms).toISOString().slice(11, 23)} ${line}`)
  }
  const runtime = ManagedRuntime.make(TestPostgres.layer)
  const outages: Array<{ readonly from_ms: number; until_ms: number }> = []
  const losses: Array<Promise<Loss>> = []
  const hits: Array<Hit> = []
  const began_ms = performance.now()
  const closing: Array<() => Promise<unknown>> = [() => runtime.dispose()]
  try {
    const world =
      options.uses === undefined
        ? null
        : await makeWorld(seed, {
            browsers,
            duration_ms,
            hangs: duration_ms > 60_000,
            happened: () => happened.length
          })
    if (world !== null) closing.push(world.close)
    const { address, postgres } = await runtime.runPromise(database)
    const program = {
      command: options.before ?? command,
      database: address,
      ...(world === null ? {} : { flags: world.flags, flagsOf: world.flagsOf, environment: world.environment })
    }
    const nodes = await cluster(3, program)
    closing.push(nodes.close)
    const [first, second, third] = nodes.members as [Member, Member, Member]
    // the first one makes the database ready, the others start together
    await nodes.start(first)
    await (mode === "join" ? nodes.start(second) : Promise.all([second, third].map((member) => nodes.start(member))))
    const observer = await observe(address)
    closing.push(observer.close)
    if (options.plant !== undefined) await observer.execute(options.plant)
    const tenants = (await world?.begin(observer, first, nodes.members)) ?? []
    // the version before may keep no sums of what it deletes
    let isMigrated = false
    const loads = clientsOf(nodes.members, options, { tenants, deletes: () => mode !== "upgrade" || isMigrated })
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
    const lost = (member: Member, further: Pick<Hit, "thawedAt_ms"> = {}) => {
      const at_ms = Date.now()
      const hit: Hit = { at_ms, name: member.name, ...further }
      hits.push(hit)
      losses.push(observer.turnsAt(member.name).then((turns) => ({ at_ms, turns })))
      return hit
    }
    const happenings: Happenings = {
      restart: outage(postgres.kill, postgres.start),
      stall: outage(postgres.freeze, postgres.thaw),
      cut: async () => {
        const at_ms = Date.now()
        await observer.cut()
        outages.push({ from_ms: at_ms, until_ms: Date.now() })
      },
      drain: async (member, away_ms) => world?.drain(member, nodes.members, away_ms),
      lost,
      frozen: (member) => {
        const hit = lost(member, { thawedAt_ms: Infinity })
        return () => void (hit.thawedAt_ms = Date.now())
      },
      stopped: ({ name }) => void hits.push({ at_ms: Date.now(), name })
    }
    const [load] = loads as [Clients]
    if (mode === "join") {
      const ids = await Promise.all(
        Array.from({ length: long.runs }, (_, index) =>
          load.create(index % 2 === 0 ? first : second, `Wait [simulate output=found duration=${long.duration_s}s]`)
        )
      )
      await nodes.start(third)
      log("a third node has joined")
      await Promise.all(ids.map(load.ended))
    } else {
      const each = Math.ceil(count / loads.length)
      const working = Promise.all([
        ...loads.map(({ work }) => work(each, stop.signal)),
        ...tenants.map(({ work }) => work(stop.signal))
      ])
      if (mode === "rolling") await roll(nodes, options.kills, log)
      else if (mode === "upgrade") {
        const { before = command } = options
        const migrated = () => (isMigrated = true)
        await upgrade(nodes, { before, now: command, database: address, duration_ms, log, lost, migrated })
      } else await disturb({ ...options, log }, nodes, happenings)
      stop.abort()
      await Promise.race([working, stuck(observer.events)])
    }
    const course = { options, nodes, observer, world, loads, tenants, outages, losses, hits, happened }
    return { ...(await outcomeOf(course)), took_s: (performance.now() - began_ms) / 1000 }
  } finally {
    for (const close of closing.toReversed()) await close()
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
      evidence.browsers.some(
        ({ node, status }) => status === "starting" || (status === "active" && !evidence.nodes.includes(node ?? ""))
      )
    if (!isOpen || performance.now() - since_ms > patience_ms) return evidence
    if (observer.events.length !== lastCount) {
      lastCount = observer.events.length
      since_ms = performance.now()
    }
    await sleep(200)
  }
}
