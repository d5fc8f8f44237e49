import type { LaunchFailed, LaunchWait } from "@webagent/engine"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Latch from "effect/Latch"
import * as Metric from "effect/Metric"

/** Options of the queue. */
export interface WaitingOptions {
  /** Limits how long a launch waits for a place. */
  readonly within: Duration.Input
  /** Takes a place for a browser of this owner, or fails with the reason. */
  readonly admit: (owner: string | null) => Effect.Effect<void, LaunchFailed>
  /** Releases a place. */
  readonly release: (owner: string | null) => void
}

interface Waiter {
  readonly wait: LaunchWait
  readonly place: Deferred.Deferred<void>
}

/** Interval at which waiting launches look for room that no browser of this pool freed, such as memory. */
const lookEvery = "1 second"

const waitingRuns = Metric.gauge("webagent_node_waiting_launches", {
  description: "Runs that wait for a free browser at this node"
})

/**
 * Makes a queue of launches that wait for a place. Each owner's launches are served in the order in which they came,
 * and owners take turns. An owner that gets no place doesn't hold up others.
 */
export const make = Effect.fnUntraced(function* ({ admit, release, within }: WaitingOptions) {
  /** Waiting launches by owner; the owner whose turn it is comes first. */
  const waiters = new Map<string | null, ReadonlyArray<Waiter>>()
  const changed = Latch.makeUnsafe(false)

  const remove = (owner: string | null, waiter: Waiter) => {
    const left = (waiters.get(owner) ?? []).filter((other) => other !== waiter)
    if (left.length === 0) waiters.delete(owner)
    else waiters.set(owner, left)
  }

  /** Gives the next owner that can have a place one of them; false if there is no such owner. */
  const serveNext = Effect.gen(function* () {
    for (const owner of waiters.keys()) {
      const refusal = yield* Effect.match(admit(owner), { onFailure: identity, onSuccess: () => undefined })
      // launches may have come or gone during the check
      const waiting = waiters.get(owner) ?? []
      if (refusal !== undefined) {
        for (const { wait } of waiting) wait.onRefused(refusal)
        continue
      }
      const [first, ...left] = waiting
      if (first === undefined) {
        release(owner)
        continue
      }
      waiters.delete(owner)
      if (left.length > 0) waiters.set(owner, left)
      // the launch has its place from here on, even if it's interrupted now: then it releases the place itself
      Deferred.doneUnsafe(first.place, Effect.void)
      first.wait.onPlace()
      return true
    }
    return false
  })

  yield* Effect.suspend(() =>
    waiters.size === 0 ? changed.await : Effect.asVoid(Effect.timeoutOption(changed.await, lookEvery))
  ).pipe(
    Effect.andThen(Effect.sync(() => changed.closeUnsafe())),
    Effect.andThen(Effect.repeat(serveNext, { while: (served) => served })),
    Effect.catchDefect((defect) => Effect.logWarning("Cannot give places to waiting launches. Trying again.", defect)),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    /** Looks for room now. */
    look: () => void changed.openUnsafe(),
    /**
     * Waits for a place, which the caller then has to release; false if the time is over. Call it in an
     * uninterruptible region, with its `restore`.
     */
    take: (
      owner: string | null,
      wait: LaunchWait,
      restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
    ) =>
      Effect.suspend(() => {
        const waiter: Waiter = { wait, place: Deferred.makeUnsafe() }
        const hasPlace = () => Deferred.isDoneUnsafe(waiter.place)
        waiters.set(owner, [...(waiters.get(owner) ?? []), waiter])
        changed.openUnsafe()
        const placed = Effect.raceAllFirst([Deferred.await(waiter.place), Effect.sleep(within), wait.over])
        return Effect.andThen(Metric.modify(waitingRuns, 1), restore(placed)).pipe(
          Effect.onExit((exit) =>
            Effect.suspend(() => {
              if (!hasPlace()) remove(owner, waiter)
              else if (Exit.isFailure(exit)) release(owner)
              return Metric.modify(waitingRuns, -1)
            })
          ),
          Effect.map(hasPlace)
        )
      })
  }
})
