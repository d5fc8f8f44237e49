import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Latch from "effect/Latch"
import * as Metric from "effect/Metric"
import type { Restore } from "./BrowserLaunches.ts"
import * as Lines from "./Lines.ts"
import type { LaunchFailed, LaunchWait } from "./ports/BrowserPool.ts"

/** Options of the queue. */
export interface WaitingOptions {
  /** Limits how long a launch without a limit of its own waits for a place. */
  readonly within: Duration.Input
  /** Takes a place for a browser of this owner, or fails with the reason. */
  readonly admit: (owner: string | null) => Effect.Effect<void, LaunchFailed>
  /** Releases a place. */
  readonly release: (owner: string | null) => void
}

interface Waiter {
  readonly wait: LaunchWait
  readonly place: Deferred.Deferred<void>
  /** The reason why it had no place when it last received its position; null before that. */
  reason: Reason | null
}

type Reason = LaunchFailed["lack"]

/** Interval at which waiting launches look for room that no browser of this pool freed, and receive their positions. */
const lookEvery_ms = 1000

const waitingLaunches = Metric.gauge("webagent_node_waiting_launches", {
  description: "Runs and browser creates that wait for a free browser at this node"
})

const waitingFor = (reason: Reason) =>
  Metric.withAttributes(
    Metric.gauge("webagent_node_waiting_launches_by_reason", {
      description: "Those of them that were refused, by the latest reason: browsers, key or memory"
    }),
    { reason }
  )

/** Changes of the numbers of launches by reason. */
type Changes = Map<Reason, number>

/** Notes the reason why a launch has no place; null once it no longer waits. */
const setReason = (changes: Changes, waiter: Waiter, reason: Reason | null): void => {
  const { reason: before } = waiter
  if (reason === before) return
  waiter.reason = reason
  if (before !== null) changes.set(before, (changes.get(before) ?? 0) - 1)
  if (reason !== null) changes.set(reason, (changes.get(reason) ?? 0) + 1)
}

const countReasons = (changes: Changes) =>
  Effect.forEach(changes, ([reason, change]) => Metric.modify(waitingFor(reason), change), { discard: true })

/** Number of launches that are told their positions before other fibers run, because a queue may be long. */
const atOnce = 250

/**
 * Makes a queue of launches that wait for a place. Each owner's launches are served in the order in which they came,
 * and owners take turns. An owner that gets no place doesn't hold up others.
 */
export const make = Effect.fnUntraced(function* ({ admit, release, within }: WaitingOptions) {
  const lines = Lines.make<Waiter>()
  const changed = Latch.makeUnsafe(false)

  /** The reasons why owners get no place at the moment. */
  const refusals = new Map<string | null, LaunchFailed>()

  /** Number of looks so far. */
  let looks = 0

  /** Gives the next owner that can have a place one of them; false if there is no such owner. */
  const serveNext = Effect.gen(function* () {
    const began = looks
    for (const owner of lines.owners()) {
      const refusal = yield* Effect.match(admit(owner), { onFailure: identity, onSuccess: () => undefined })
      if (refusal !== undefined) {
        refusals.set(owner, refusal)
        continue
      }
      if (refusals.size > 0 && looks !== began) {
        // the place may have become free after an owner before this one was refused
        release(owner)
        return true
      }
      // launches may have come or gone during the check
      const first = lines.takeFirst(owner)
      if (first === undefined) {
        release(owner)
        continue
      }
      // the launch has its place from here on, even if it's interrupted now: then it releases the place itself
      Deferred.doneUnsafe(first.place, Effect.void)
      first.wait.onPlace()
      return true
    }
    return false
  })

  let told_ms = -Infinity

  /** Tells new launches their positions, and from time to time all launches, in the order in which they are served. */
  const tellPositions = Effect.gen(function* () {
    const now_ms = yield* Clock.currentTimeMillis
    const tellsAll = now_ms - told_ms >= lookEvery_ms
    if (tellsAll) told_ms = now_ms
    const changes: Changes = new Map()
    let reached = 0
    for (const { entry, owner, position } of tellsAll ? lines.all() : lines.fresh()) {
      if (++reached % atOnce === 0) yield* Effect.yieldNow
      const refusal = refusals.get(owner)
      // an owner that came after the check is told soon, and a launch may have left meanwhile
      if (refusal === undefined || !lines.has(owner, entry)) continue
      lines.see(owner, entry)
      setReason(changes, entry, refusal.lack)
      entry.wait.onRefused(refusal, position)
    }
    refusals.clear()
    yield* countReasons(changes)
  })

  yield* Effect.suspend(() =>
    lines.isEmpty() ? changed.await : Effect.asVoid(Effect.timeoutOption(changed.await, lookEvery_ms))
  ).pipe(
    Effect.andThen(Effect.sync(() => changed.closeUnsafe())),
    Effect.andThen(Effect.repeat(serveNext, { while: (served) => served })),
    Effect.andThen(tellPositions),
    Effect.catchDefect((defect) => Effect.logWarning("Cannot give places to waiting launches. Trying again.", defect)),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    isEmpty: lines.isEmpty,
    /** Looks for room now. */
    look: () => {
      looks += 1
      changed.openUnsafe()
    },
    /**
     * Waits for a place, which the caller then has to release; false if the time is over. Call it in an
     * uninterruptible region, with its `restore`.
     */
    take: (owner: string | null, wait: LaunchWait, restore: Restore) =>
      Effect.suspend(() => {
        const waiter: Waiter = { wait, place: Deferred.makeUnsafe(), reason: null }
        const hasPlace = () => Deferred.isDoneUnsafe(waiter.place)
        lines.add(owner, waiter)
        changed.openUnsafe()
        const placed = Effect.raceAllFirst([
          Deferred.await(waiter.place),
          Effect.sleep(wait.within ?? within),
          wait.over
        ])
        return Effect.andThen(Metric.modify(waitingLaunches, 1), restore(placed)).pipe(
          Effect.onExit((exit) =>
            Effect.suspend(() => {
              if (!hasPlace()) lines.remove(owner, waiter)
              else if (Exit.isFailure(exit)) release(owner)
              const changes: Changes = new Map()
              setReason(changes, waiter, null)
              return Effect.andThen(Metric.modify(waitingLaunches, -1), countReasons(changes))
            })
          ),
          Effect.map(hasPlace)
        )
      })
  }
})
