/** Checks the waits for browsers against the stored records: their order, the turns of keys, and their deadlines. */
import type { Browser, StoredEvent, Turn } from "@webagent/engine"
import type { Evidence, Hit } from "./Oracle.ts"
import type { LooseCreate } from "./Waits.ts"

/** Limits of each node's browsers, and of the waits for them. */
export interface Room {
  /** Number of browsers at once. */
  readonly most: number
  /** Number of browsers of a key that shares them with others, by the name of the node. */
  readonly mostPerKey: (node: string) => number
  /** Keys with a browser limit of their own, to which `mostPerKey` doesn't apply. */
  readonly limited: ReadonlySet<string>
  /** Smallest time between two launches whose order is visible in the records. */
  readonly visible_ms: number
}

/** Events outside of the queue that delay launches. */
export interface Disturbances {
  readonly hits: ReadonlyArray<Hit>
  readonly outages: ReadonlyArray<{ readonly from_ms: number; readonly until_ms: number }>
}

/** The evidence at the end. */
export interface QueueEvidence extends Pick<Evidence, "browsers" | "events" | "turns"> {
  readonly creates: ReadonlyArray<LooseCreate>
}

/** A browser that got a place. */
interface Launch {
  readonly id: string
  readonly owner: string | null
  readonly node: string
  /** Time before which it didn't wait. */
  readonly arrived_ms: number
  /** Time from which it's known to wait; Infinity for one whose place was never stored, such as that of a create. */
  readonly waited_ms: number
  readonly placed_ms: number
  /** Infinity while it runs. */
  readonly stopped_ms: number
}

/** Time that commits take longer after an outage. */
const recovery_ms = 3000

/** Returns whether something disturbed a node in this time. */
const isDisturbed = ({ hits, outages }: Disturbances, node: string, from_ms: number, until_ms: number): boolean =>
  hits.some(({ at_ms, name }) => node.startsWith(`${name}.`) && at_ms >= from_ms && at_ms <= until_ms) ||
  outages.some((outage) => outage.from_ms <= until_ms && outage.until_ms + recovery_ms >= from_ms)

/** The launches of each node, in the order of their arrival. */
const launchesOf = (
  browsers: ReadonlyArray<Browser.Browser>,
  events: ReadonlyArray<StoredEvent>
): ReadonlyArray<ReadonlyArray<Launch>> => {
  const placed = new Map<string, number>()
  const stopped = new Map<string, number>()
  const waits = new Map<string, Array<number>>()
  for (const { event } of events) {
    if (event.browserQueue !== undefined && event.sessionId !== null) {
      waits.set(event.sessionId, [...(waits.get(event.sessionId) ?? []), event.at_ms])
    }
    if (event.of !== "browser") continue
    if (event.to === "active") placed.set(event.id, event.at_ms)
    if (event.to === "stopped") stopped.set(event.id, event.at_ms)
  }
  const launches = browsers.flatMap(
    ({ id, node, owner, sessionId, startedAt_ms: arrived_ms }): ReadonlyArray<Launch> => {
      const placed_ms = placed.get(id)
      if (node === null || placed_ms === undefined) return []
      const reports = waits.get(sessionId ?? "") ?? []
      const waited_ms = Math.min(...reports.filter((at_ms) => at_ms >= arrived_ms))
      return [{ id, owner, node, arrived_ms, waited_ms, placed_ms, stopped_ms: stopped.get(id) ?? Infinity }]
    }
  )
  const byNode = Map.groupBy(launches, ({ node }) => node).values()
  return [...byNode].map((some) => some.toSorted((left, right) => left.arrived_ms - right.arrived_ms))
}

const timeOf = (at_ms: number) => (Number.isFinite(at_ms) ? new Date(at_ms).toISOString().slice(11, 23) : "never")

/** Launches of a key that got a place before one of the same key that came earlier. */
const outOfOrder = (
  launches: ReadonlyArray<Launch>,
  { visible_ms }: Room,
  disturbances: Disturbances
): ReadonlyArray<string> => {
  const broken: Array<string> = []
  for (const [index, first] of launches.entries()) {
    const next = launches
      .slice(index + 1)
      .find(
        ({ arrived_ms, owner, placed_ms }) =>
          owner === first.owner && arrived_ms > first.waited_ms && placed_ms < first.placed_ms - visible_ms
      )
    if (next === undefined || isDisturbed(disturbances, first.node, first.waited_ms, first.placed_ms)) continue
    broken.push(
      `browser ${next.id} of ${next.owner} got a place at ${next.node} at ${timeOf(next.placed_ms)}, ${first.placed_ms - next.placed_ms} ms before ${first.id}, which waited ${next.arrived_ms - first.waited_ms} ms before it came`
    )
  }
  return broken
}

/** Number of places that another key may get at most while a key waits for one. */
const mostTurns = 1

/** The last moment before `until_ms` at which a key had as many browsers as it may have. */
const lastFull_ms = (launches: ReadonlyArray<Launch>, owner: string | null, most: number, until_ms: number): number => {
  const own = launches.filter((launch) => launch.owner === owner && launch.placed_ms < until_ms)
  const ends = own.map(({ stopped_ms }) => Math.min(stopped_ms, until_ms)).toSorted((left, right) => right - left)
  const fullUntil = ends.find(
    (end_ms) => own.filter(({ placed_ms, stopped_ms }) => placed_ms < end_ms && stopped_ms >= end_ms).length >= most
  )
  return fullUntil ?? -Infinity
}

/** Launches during whose wait another key got more than its turns. */
const unfair = (
  launches: ReadonlyArray<Launch>,
  { limited, mostPerKey, visible_ms }: Room,
  disturbances: Disturbances
): ReadonlyArray<string> =>
  launches.flatMap(({ id, node, owner, placed_ms, waited_ms }) => {
    // two that arrive together may begin to wait in the other order
    const before = launches.filter((other) => other.owner === owner)
    const most = limited.has(owner ?? "") ? Infinity : mostPerKey(node)
    // it's the first of its key from here on, and its key may have one more
    const first_ms = Math.max(
      waited_ms,
      ...before.flatMap((other) => (other.placed_ms < placed_ms ? [other.placed_ms] : [])),
      lastFull_ms(launches, owner, most, placed_ms)
    )
    const others = launches.filter(
      (other) =>
        other.owner !== owner && other.placed_ms > first_ms + visible_ms && other.placed_ms < placed_ms - visible_ms / 2
    )
    const [other, places] =
      [...Map.groupBy(others, (one) => one.owner)].find(([, some]) => some.length > mostTurns) ?? []
    if (places === undefined || isDisturbed(disturbances, node, first_ms, placed_ms)) return []
    // the records of the moment, which show the reason
    const course = launches
      .filter((one) => one.stopped_ms >= first_ms - late_ms && one.arrived_ms <= placed_ms)
      .map(
        (one) => `${one.owner} ${[one.arrived_ms, one.waited_ms, one.placed_ms, one.stopped_ms].map(timeOf).join(" ")}`
      )
    return [
      `${other} got ${places.length} places at ${node} while browser ${id} of ${owner} waited for its turn, from ${timeOf(first_ms)} to ${timeOf(placed_ms)}; arrived, waited, placed, stopped: ${course.join(", ")}`
    ]
  })

/** Sessions that had two browsers of a node at once. */
const doubled = (browsers: ReadonlyArray<Browser.Browser>, launches: ReadonlyArray<Launch>): ReadonlyArray<string> => {
  const sessionOf = new Map(browsers.flatMap(({ id, sessionId }) => (sessionId === null ? [] : [[id, sessionId]])))
  const bySession = Map.groupBy(launches, ({ id }) => sessionOf.get(id))
  return [...bySession].flatMap(([session, some]) => {
    if (session === undefined) return []
    const sorted = some.toSorted((left, right) => left.placed_ms - right.placed_ms)
    return sorted.flatMap(({ id, placed_ms }, index) => {
      const before = sorted[index - 1]
      return before === undefined || before.stopped_ms <= placed_ms
        ? []
        : [`session ${session} got browser ${id} while it had ${before.id}`]
    })
  })
}

/** Time by which the end of a wait may be late on a busy machine. */
const late_ms = 5000

/** The wait that the error of a run names, rounded up to a second. A busy machine adds to the times of its records. */
const waitedOf = ({ error }: Turn.Turn): number => {
  const [, time, unit] = / waited (\d+)(ms|s) for a browser$/u.exec(error ?? "") ?? []
  if (time === undefined) return Infinity
  return unit === "ms" ? Number(time) : Number(time) * 1000 + 500
}

/** Runs that failed without a browser too early, and those that waited for longer than they may. */
const wrongWaits = (
  turns: ReadonlyArray<Turn.Turn>,
  events: ReadonlyArray<StoredEvent>,
  disturbances: Disturbances
): ReadonlyArray<string> => {
  const waitsSince = new Map<string, number>()
  for (const { event } of events) {
    if (event.browserQueue !== undefined && !waitsSince.has(event.id)) waitsSince.set(event.id, event.at_ms)
  }
  return turns.flatMap((turn) => {
    const { attempt, dispatchedAt_ms, error, failure, finishedAt_ms, id, node, queueTimeout_ms, startedAt_ms } = turn
    const since_ms = turn.browserQueue?.since_ms ?? waitsSince.get(id) ?? dispatchedAt_ms
    const end_ms = failure === "no_browser" ? finishedAt_ms : startedAt_ms
    if (queueTimeout_ms === undefined || since_ms === null || end_ms === null) return []
    const over_ms = end_ms - since_ms - queueTimeout_ms
    if (failure === "no_browser" && (over_ms < 0 || waitedOf(turn) < queueTimeout_ms)) {
      return [`run ${id} failed ${end_ms - since_ms} ms after it began to wait for ${queueTimeout_ms} ms: ${error}`]
    }
    // another node may have taken it over
    if (over_ms < late_ms || attempt > 1 || node === null || isDisturbed(disturbances, node, since_ms, end_ms))
      return []
    return [`run ${id} waited for a browser until ${over_ms} ms after its deadline`]
  })
}

/** Time by which a response may be on its way when its client closes the connection. */
const onItsWay_ms = 500

/** Time in which a browser is stopped whose create has no connection any more. */
const stopped_ms = 5000

/** Browsers of closed connections that ran on. A frozen node can't know that a connection is closed. */
const leftBehind = (
  creates: ReadonlyArray<LooseCreate>,
  browsers: ReadonlyArray<Browser.Browser>,
  events: ReadonlyArray<StoredEvent>,
  { hits, outages }: Disturbances
): ReadonlyArray<string> => {
  const placed = new Map(events.flatMap(({ event }) => (event.to === "active" ? [[event.id, event.at_ms]] : [])))
  const browserOf = new Map(browsers.flatMap((browser) => [[browser.metadata["create"] ?? "", browser]]))
  return creates.flatMap(({ closedAt_ms, sentAt_ms, tag }) => {
    const { finishedAt_ms, id, status } = browserOf.get(tag) ?? {}
    const placed_ms = placed.get(id ?? "") ?? Infinity
    if (status === undefined || (status === "stopped" && placed_ms === Infinity)) return []
    if (closedAt_ms === null) return status === "stopped" ? [] : [`browser ${id} is ${status} after it was stopped`]
    const ran_ms = (finishedAt_ms ?? Infinity) - (placed_ms === Infinity ? 0 : placed_ms)
    const isDisturbed =
      hits.some(({ at_ms, thawedAt_ms }) => (thawedAt_ms ?? 0) > sentAt_ms && at_ms < closedAt_ms + onItsWay_ms) ||
      outages.some(({ from_ms, until_ms }) => from_ms < closedAt_ms && until_ms + recovery_ms > sentAt_ms)
    if (ran_ms < stopped_ms || isDisturbed || placed_ms < closedAt_ms + onItsWay_ms) return []
    return [`browser ${id} ran for ${ran_ms} ms although the connection of its create closed before it started`]
  })
}

/** Every promise about the queue for browsers that is broken. */
export const brokenQueue = (
  { browsers, creates, events, turns }: QueueEvidence,
  room: Room,
  disturbances: Disturbances
): ReadonlyArray<string> => [
  ...launchesOf(browsers, events).flatMap((launches) => [
    ...outOfOrder(launches, room, disturbances),
    ...unfair(launches, room, disturbances),
    ...doubled(browsers, launches)
  ]),
  ...wrongWaits(turns, events, disturbances),
  ...leftBehind(creates, browsers, events, disturbances)
]
