import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Browser from "./domain/Browser.ts"
import type { BrowserStops } from "./BrowserStops.ts"
import type { QueuePlace } from "./domain/BrowserQueue.ts"
import { placesIn } from "./domain/Node.ts"
import { expiringBrowser } from "./expiringBrowser.ts"
import { BrowserPool, type LaunchedBrowser, LaunchFailed, type LaunchWait } from "./ports/BrowserPool.ts"
import type { BrowserQueueLimits } from "./ports/BrowserQueue.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store } from "./ports/Store.ts"
import type { ProfileLoans } from "./ProfileLoans.ts"
import type { RunningBrowsers } from "./RunningBrowsers.ts"

/** The wait of a launch for room in the pool. */
export interface LaunchQueue
  extends Partial<Pick<LaunchWait, "over">>, Pick<BrowserQueueLimits, "isMovable" | "since_ms"> {
  /** When it stops waiting; the pool's own limit by default, and for null. */
  readonly until_ms?: number | null
  /** Receives its place in the queue, as soon as it waits and again from time to time. */
  readonly onWaiting?: (place: QueuePlace) => void
}

/** Launches browsers in the pool. In a full pool, the browser of a session without a running turn makes room. */
export interface PoolLaunches {
  /** Launches a browser. With `queue`, the launch waits for room in the pool, until this node drains. */
  readonly launch: (browser: Browser.Browser, queue: LaunchQueue | null) => Effect.Effect<LaunchedBrowser, LaunchFailed>
  /** Stops unused browsers for launches that wait, at most one for each. */
  readonly makeRoom: () => void
  /** Sets whether this node drains. If it does, no launch waits for room, and waiting ones fail. */
  readonly setDraining: (isDraining: boolean) => void
}

/** A launch that waits for room: the latest reason that there was none, and its failure. */
interface WaitingLaunch {
  readonly browser: Browser.Browser
  readonly isMovable: LaunchQueue["isMovable"]
  full: LaunchFailed
  readonly over: Deferred.Deferred<never, LaunchFailed>
}

/** Fails the launch of a browser because this node drains. */
export const drained = ({ sessionId }: Pick<Browser.Browser, "sessionId">) =>
  Effect.fail(
    new LaunchFailed({
      reason: "draining",
      message:
        sessionId === null
          ? "This server is draining and starts no browser. Try again in a moment"
          : "This server drains, and the run has no browser yet. It goes back to the queue"
    })
  )

const moved = Effect.fail(new LaunchFailed({ reason: "moved", message: "Another server has a free browser" }))

/** Interval at which a node without room looks for others that have some. */
const lookEvery = "1 second"

interface PoolLaunchesOptions {
  readonly running: RunningBrowsers
  readonly stops: Pick<BrowserStops, "giveWay">
  readonly loans: Pick<ProfileLoans, "endingWith">
}

/** Makes the launches of a node. */
export const make = Effect.fnUntraced(function* ({ loans, running, stops: { giveWay } }: PoolLaunchesOptions) {
  const pool = yield* BrowserPool
  const store = yield* Store
  const node = yield* NodeId
  const fork = Effect.runForkWith(yield* Effect.context())
  const waiting = new Set<WaitingLaunch>()
  /** Number of unused browsers that are being stopped for them. */
  let freeing = 0
  let draining = false
  /** True while this node looks for room elsewhere. */
  let moving = false

  /** Stops an unused browser for a launch; false if there is none for it. */
  const makeRoomFor = ({ full }: WaitingLaunch): boolean => {
    const id = running.findUnused(full.owner)
    if (id === undefined) return false
    freeing += 1
    const freed = Effect.sync(() => void (freeing -= 1))
    fork(Effect.ensuring(Effect.ignore(giveWay(id)), freed))
    return true
  }

  const makeRoom = (): void => {
    // a queue may be long, and most of it of one owner
    const without = new Set<string | undefined>()
    for (const launch of waiting) {
      if (!running.hasUnused() || freeing >= waiting.size) return
      const { owner } = launch.full
      if (!without.has(owner) && !makeRoomFor(launch)) without.add(owner)
    }
  }

  /** False for the browser of a session without a running turn, which gives way. */
  const isInUse = ({ sessionId }: Browser.Browser) =>
    sessionId === null
      ? Effect.succeed(true)
      : Effect.map(
          store.session(sessionId),
          Option.exists(({ lease }) => lease !== null)
        )

  /** Returns the number of browsers that an owner uses at each node. */
  const countsOf = (owner: string) =>
    store.lists.browsers({ owner, statuses: ["active"] }, null, 100).pipe(
      Effect.flatMap(({ rows }) => Effect.filter(rows, isInUse)),
      Effect.orElseSucceed(() => []),
      Effect.map(
        (browsers: ReadonlyArray<Browser.Browser>) => (id: string) => browsers.filter(({ node }) => node === id).length
      )
    )

  /** Moves as many waiting launches as other nodes have places for, the oldest first. */
  const move = Effect.gen(function* () {
    const others = (yield* store.nodes).filter(({ draining, id }) => id !== node && !draining)
    const room = new Map(others.map((other) => [other.id, placesIn(other)]))
    const counts = new Map<string, Effect.Success<ReturnType<typeof countsOf>>>()
    for (const { full, isMovable, over } of waiting) {
      const free = [...room].filter(([, left]) => left > 0)
      if (free.length === 0) break
      // a node where the owner uses as many browsers as here would refuse one more
      const { owner } = full
      const count = owner === undefined ? undefined : (counts.get(owner) ?? (yield* countsOf(owner)))
      if (owner !== undefined && count !== undefined) counts.set(owner, count)
      const [other, left = 0] = free.find(([id]) => count === undefined || count(id) < count(node)) ?? []
      if (other === undefined || isMovable === undefined || !(yield* isMovable)) continue
      room.set(other, left - 1)
      Deferred.doneUnsafe(over, moved)
    }
  })

  const moveLater = (): void => {
    if (moving) return
    moving = true
    const looks = Effect.ignoreCause(move).pipe(
      Effect.delay(lookEvery),
      Effect.repeat({ while: () => waiting.size > 0 }),
      Effect.ensuring(Effect.sync(() => (moving = false)))
    )
    fork(looks)
  }

  const launchWaiting = (
    browser: Browser.Browser,
    { isMovable, onWaiting, over: left = Effect.never, since_ms, until_ms = null }: LaunchQueue
  ): Effect.Effect<LaunchedBrowser, LaunchFailed> =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
      let entry: WaitingLaunch | undefined
      const over = Deferred.makeUnsafe<never, LaunchFailed>()
      const leave = () => void (entry !== undefined && waiting.delete(entry))
      const wait: LaunchWait = {
        ...(until_ms === null ? {} : { within: Math.max(0, until_ms - now_ms) }),
        waited_ms: now_ms - (since_ms ?? now_ms),
        over: Effect.raceFirst(Deferred.await(over), left),
        onPlace: leave,
        onRefused: (full, position) => {
          if (draining) return void Deferred.doneUnsafe(over, drained(browser))
          const isNew = entry === undefined
          entry ??= { browser, full, isMovable, over }
          entry.full = full
          if (isNew) waiting.add(entry)
          onWaiting?.({ position, reason: full.lack })
          // the first of a queue is refused again each second
          if (position === 1) makeRoom()
          else if (isNew && freeing < waiting.size) makeRoomFor(entry)
          if (isMovable !== undefined) moveLater()
        }
      }
      return Effect.ensuring(pool.launch(browser, wait), Effect.sync(leave))
    })

  const launchOnce: PoolLaunches["launch"] = (browser, queue) =>
    Effect.catchIf(
      queue === null ? pool.launch(browser) : launchWaiting(browser, queue),
      ({ reason }) => reason === "full",
      (full) => {
        const oldest = running.findUnused(full.owner)
        if (oldest === undefined) return Effect.fail(full)
        return Effect.matchEffect(giveWay(oldest), {
          onFailure: () => Effect.fail(full),
          // its time is over: it gets the place, or fails
          onSuccess: () => launchOnce(browser, queue && { ...queue, until_ms: 0 })
        })
      }
    )

  const launches: PoolLaunches = {
    launch: (browser, queue) =>
      Effect.map(launchOnce(browser, queue), (launched) =>
        loans.endingWith(browser, pool.lifetime_ms === undefined ? expiringBrowser(browser, launched) : launched)
      ),
    makeRoom,
    setDraining: (isDraining) => {
      draining = isDraining
      if (draining) for (const { browser, over } of waiting) Deferred.doneUnsafe(over, drained(browser))
    }
  }
  return launches
})
