/** Checks the waits for browsers against the stored records: their order, the turns of keys, and their deadlines. */
import type { Browser, StoredEvent, Turn } from "@webagent/engine"
import { type Disturbances, makeDisturbedTimes, recovery_ms } from "./DisturbedTimes.ts"
import type { StartingBrowser } from "./Observer.ts"
import type { Evidence } from "./Oracle.ts"
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

/** The evidence at the end. */
export interface QueueEvidence extends Pick<Evidence, "browsers" | "events" | "turns"> {
  readonly creates: ReadonlyArray<LooseCreate>
  /** Browsers of creates that were seen before they had a place, by their id. */
  readonly starting: ReadonlyMap<string, StartingBrowser>
}

/** The wait for a browser at one node. */
interface Launch {
  /** The id of the browser; of a run that got none, that of the run. */
  readonly id: string
  readonly owner: string | null
  readonly node: string
  /** Time before which it didn't wait. */
  readonly arrived_ms: number
  /** Time from which it's known to wait; Infinity if it was never seen waiting. */
  readonly waited_ms: number
  /** Time until which it's known to wait: when it got its place, or until it gave up. */
  readonly left_ms: number
  /** Infinity if it got no place. */
  readonly placed_ms: number
  /** Infinity while it runs. */
  readonly stopped_ms: number
}

/** The times at which runs stored that they wait, by a field of the events. */
const reportsBy = (events: ReadonlyArray<StoredEvent>, of: "id" | "sessionId") => {
  const reports = events.filter(({ event }) => event.browserQueue !== undefined)
  const byId = Map.groupBy(reports, ({ event }) => event[of])
  return (id: string | null, from_ms: number) =>
    (byId.get(id) ?? []).find(({ event }) => event.at_ms >= from_ms)?.event.at_ms ?? Infinity
}

/** The waits of runs until their deadline. */
const waitsInVain = (
  turns: ReadonlyArray<Turn.Turn>,
  events: ReadonlyArray<StoredEvent>,
  { outages }: Disturbances
): ReadonlyArray<Launch> => {
  const reportOf = reportsBy(events, "id")
  return turns.flatMap(
    ({ browserQueue, dispatchedAt_ms, failure, finishedAt_ms, id, node, owner }): ReadonlyArray<Launch> => {
      if (failure !== "no_browser" || node === null || dispatchedAt_ms === null || finishedAt_ms === null) return []
      const left_ms = Math.min(finishedAt_ms, browserQueue?.until_ms ?? Infinity)
      // a launch that fails without the database waits again, behind the others
      const again = outages.filter(({ from_ms }) => from_ms < left_ms).map(({ until_ms }) => until_ms + recovery_ms)
      const waited_ms = Math.max(reportOf(id, dispatchedAt_ms), ...again)
      const arrived_ms = dispatchedAt_ms
      return [{ id, owner, node, arrived_ms, waited_ms, left_ms, placed_ms: Infinity, stopped_ms: left_ms }]
    }
  )
}

/** The waits for browsers at each node, in the order of their arrival. */
const launchesOf = (
  { browsers, events, starting, turns }: QueueEvidence,
  { visible_ms }: Room,
  disturbances: Disturbances
): ReadonlyArray<ReadonlyArray<Launch>> => {
  const placed = new Map<string, number>()
  const stopped = new Map<string, number>()
  for (const { event } of events) {
    if (event.of !== "browser") continue
    if (event.to === "active") placed.set(event.id, event.at_ms)
    if (event.to === "stopped") stopped.set(event.id, event.at_ms)
  }
  const reportOf = reportsBy(events, "sessionId")
  /** A busy node may learn late that the record is stored with which a create begins to wait. */
  const waitOf = (id: string) => (starting.get(id)?.firstSeen_ms ?? Infinity) + visible_ms
  const launches = browsers.flatMap(
    ({ id, node, owner, sessionId, startedAt_ms: arrived_ms }): ReadonlyArray<Launch> => {
      const placed_ms = placed.get(id)
      if (node === null || placed_ms === undefined) return []
      const waited_ms = sessionId === null ? waitOf(id) : reportOf(sessionId, arrived_ms)
      const stopped_ms = stopped.get(id) ?? Infinity
      return [{ id, owner, node, arrived_ms, waited_ms, left_ms: placed_ms, placed_ms, stopped_ms }]
    }
  )
  // the record of a browser that never got a place is deleted; one that is left may have had a place
  const stored = new Set(browsers.map(({ id }) => id))
  const deleted = [...starting.values()].flatMap(
    ({ arrived_ms, id, lastSeen_ms: left_ms, node, owner }): ReadonlyArray<Launch> =>
      stored.has(id)
        ? []
        : [
            {
              id,
              owner,
              node,
              arrived_ms,
              waited_ms: waitOf(id),
              left_ms,
              placed_ms: Infinity,
              stopped_ms: left_ms
            }
          ]
  )
  const all = [...launches, ...deleted, ...waitsInVain(turns, events, disturbances)]
  const byNode = Map.groupBy(all, ({ node }) => node).values()
  return [...byNode].map((some) => some.toSorted((left, right) => left.arrived_ms - right.arrived_ms))
}

const timeOf = (at_ms: number) => (Number.isFinite(at_ms) ? new Date(at_ms).toISOString().slice(11, 23) : "never")

/** Launches of a key that got a place before one of the same key that came earlier. */
const outOfOrder = (
  launches: ReadonlyArray<Launch>,
  { visible_ms }: Room,
  disturbances: Disturbances
): ReadonlyArray<string> =>
  launches.flatMap((first, index) => {
    const { earliest, latest } = makeDisturbedTimes(disturbances, first.node)
    const waited_ms = latest(first.waited_ms)
    const left_ms = earliest(first.left_ms)
    const next = launches
      .slice(index + 1)
      .find(
        ({ arrived_ms, owner, placed_ms }) =>
          owner === first.owner && arrived_ms > waited_ms && placed_ms < left_ms - visible_ms
      )
    if (next === undefined) return []
    const end = first.placed_ms === Infinity ? `${first.id} gave up` : first.id
    return [
      `browser ${next.id} of ${next.owner} got a place at ${next.node} at ${timeOf(next.placed_ms)}, ${left_ms - next.placed_ms} ms before ${end}, which waited ${next.arrived_ms - waited_ms} ms before it came`
    ]
  })

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
  launches.flatMap(({ id, left_ms, node, owner, waited_ms }) => {
    // two that arrive together may begin to wait in the other order
    const before = launches.filter((other) => other.owner === owner)
    const most = limited.has(owner ?? "") ? Infinity : mostPerKey(node)
    // it's the first of its key from here on, and its key may have one more
    const first_ms = Math.max(
      waited_ms,
      ...before.flatMap((other) => (other.placed_ms < left_ms ? [other.placed_ms] : [])),
      lastFull_ms(launches, owner, most, left_ms)
    )
    // places that are taken in a disturbed time may be stored later, or never
    const { calmParts } = makeDisturbedTimes(disturbances, node)
    const [turns] = calmParts(first_ms, left_ms).flatMap(({ from_ms, until_ms }) => {
      const others = launches.filter(
        (other) =>
          other.owner !== owner && other.placed_ms > from_ms + visible_ms && other.placed_ms < until_ms - visible_ms / 2
      )
      const taken = [...Map.groupBy(others, (one) => one.owner)].find(([, some]) => some.length > mostTurns)
      return taken === undefined ? [] : [{ other: taken[0], places: taken[1].length, from_ms, until_ms }]
    })
    if (turns === undefined) return []
    const { from_ms, other, places, until_ms } = turns
    // the records of the moment, which show the reason
    const course = launches
      .filter((one) => one.stopped_ms >= from_ms - late_ms && one.arrived_ms <= until_ms)
      .map(
        (one) => `${one.owner} ${[one.arrived_ms, one.waited_ms, one.placed_ms, one.stopped_ms].map(timeOf).join(" ")}`
      )
    return [
      `${other} got ${places} places at ${node} while ${id} of ${owner} waited for its turn, from ${timeOf(from_ms)} to ${timeOf(until_ms)}; arrived, waited, placed, stopped: ${course.join(", ")}`
    ]
  })

/** Sessions that had two browsers of a node at once. */
const doubled = (browsers: ReadonlyArray<Browser.Browser>, launches: ReadonlyArray<Launch>): ReadonlyArray<string> => {
  const sessionOf = new Map(browsers.flatMap(({ id, sessionId }) => (sessionId === null ? [] : [[id, sessionId]])))
  const bySession = Map.groupBy(launches, ({ id }) => sessionOf.get(id))
  return [...bySession].flatMap(([session, some]) => {
    // a create, or a run that got no browser
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
    const until_ms = since_ms + queueTimeout_ms
    const over_ms = end_ms - until_ms
    if (failure === "no_browser" && (over_ms < 0 || waitedOf(turn) < queueTimeout_ms)) {
      return [`run ${id} failed ${end_ms - since_ms} ms after it began to wait for ${queueTimeout_ms} ms: ${error}`]
    }
    // another node may have taken it over
    if (over_ms < late_ms || attempt > 1 || node === null) return []
    const parts = makeDisturbedTimes(disturbances, node).calmParts(until_ms, end_ms)
    if (parts.reduce((sum, part) => sum + part.until_ms - part.from_ms, 0) < late_ms) return []
    return [`run ${id} waited for a browser until ${over_ms} ms after its deadline`]
  })
}

/** Time by which a response may be on its way when its client closes the connection. */
const onItsWay_ms = 500

/** Time in which a browser is stopped whose create has no connection any more. */
const stopped_ms = 5000

/** The browsers of creates that had a place, by the tag of the create. */
const placedBrowsers = (browsers: ReadonlyArray<Browser.Browser>, events: ReadonlyArray<StoredEvent>) => {
  const placed = new Map(events.flatMap(({ event }) => (event.to === "active" ? [[event.id, event.at_ms]] : [])))
  return new Map(
    browsers.flatMap(({ finishedAt_ms, id, metadata, status }) => {
      const tag = metadata["create"]
      const placed_ms = placed.get(id)
      if (tag === undefined || placed_ms === undefined) return []
      return [[tag, { id, placed_ms, status, ran_ms: (finishedAt_ms ?? Infinity) - placed_ms }] as const]
    })
  )
}

/** Returns whether the response of a create may have been on its way when its connection closed. */
const isOnItsWay = (placed_ms: number, closedAt_ms: number) =>
  placed_ms > closedAt_ms - late_ms && placed_ms < closedAt_ms + onItsWay_ms

/** The number of browsers that ran on because the response of their create may have been on its way. */
export const unclaimed = ({
  browsers,
  creates,
  events
}: Pick<QueueEvidence, "browsers" | "creates" | "events">): number => {
  const browserOf = placedBrowsers(browsers, events)
  return creates.filter(({ failedAt_ms, failure, tag }) => {
    const { placed_ms = Infinity, ran_ms = 0 } = browserOf.get(tag) ?? {}
    return failure === "closed" && ran_ms >= stopped_ms && isOnItsWay(placed_ms, failedAt_ms)
  }).length
}

/** Browsers that ran on although their create failed. A frozen node can't know that a connection is closed. */
const leftBehind = (
  { browsers, creates, events }: QueueEvidence,
  { hits, outages }: Disturbances
): ReadonlyArray<string> => {
  const browserOf = placedBrowsers(browsers, events)
  return creates.flatMap(({ failedAt_ms, failure, sentAt_ms, tag }) => {
    const browser = browserOf.get(tag)
    if (browser === undefined) return []
    const { id, placed_ms, ran_ms, status } = browser
    if (failure === null) return status === "stopped" ? [] : [`browser ${id} is ${status} after it was stopped`]
    // a refusal says that nothing was created, whatever happens to the nodes
    if (failure === "refused") return [`browser ${id} ran for ${ran_ms} ms although its create was refused`]
    const isDisturbed =
      hits.some(({ at_ms, thawedAt_ms }) => (thawedAt_ms ?? 0) > sentAt_ms && at_ms < failedAt_ms + onItsWay_ms) ||
      outages.some(({ from_ms, until_ms }) => from_ms < failedAt_ms && until_ms + recovery_ms > sentAt_ms)
    if (ran_ms < stopped_ms || isDisturbed || isOnItsWay(placed_ms, failedAt_ms)) return []
    const wait_ms = placed_ms - failedAt_ms
    const when = wait_ms > 0 ? `${wait_ms} ms before it started` : `without a response ${-wait_ms} ms after it started`
    return [`browser ${id} ran for ${ran_ms} ms although the connection of its create closed ${when}`]
  })
}

/** Every promise about the queue for browsers that is broken. */
export const brokenQueue = (evidence: QueueEvidence, room: Room, disturbances: Disturbances): ReadonlyArray<string> => {
  const { browsers, events, turns } = evidence
  return [
    ...launchesOf(evidence, room, disturbances).flatMap((launches) => [
      ...outOfOrder(launches, room, disturbances),
      ...unfair(launches, room, disturbances),
      ...doubled(browsers, launches)
    ]),
    ...wrongWaits(turns, events, disturbances),
    ...leftBehind(evidence, disturbances)
  ]
}
