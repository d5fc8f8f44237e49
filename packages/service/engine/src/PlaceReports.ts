import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Semaphore from "effect/Semaphore"
import { isNews, isUrgent, type QueuePlace } from "./domain/BrowserQueue.ts"

/** The place of one waiting run. */
export interface PlaceReport {
  /** Has a place stored soon, if it's worth a commit by then. Only the latest one counts. */
  readonly report: (place: QueuePlace) => void
  /** Stores nothing more, and waits for the end of a commit. */
  readonly close: Effect.Effect<void>
}

/** Stores the places of this node's waiting runs. */
export interface PlaceReports {
  /**
   * Opens the reports of a run.
   *
   * @param stored The place that its record has; null if it has none.
   */
  readonly open: (
    stored: QueuePlace | null,
    commit: (place: QueuePlace) => Effect.Effect<unknown, unknown>
  ) => PlaceReport
}

interface Entry {
  stored: QueuePlace | null
  latest: QueuePlace
  readonly commit: (place: QueuePlace) => Effect.Effect<unknown, unknown>
  readonly over: Deferred.Deferred<void>
  readonly permit: Semaphore.Semaphore
}

/** Number of urgent places that are stored at the same time. */
const atOnce = 16

/** Time between two other commits. A change that concerns each run of a long queue is thus stored at 50 runs per second. */
const between = "20 millis"

/**
 * Makes the reports of a node. The first place of a run and places near the front are stored immediately. Any other change
 * waits for its turn, and is not stored if it is undone meanwhile. So the number of commits per second doesn't depend on
 * the length of the queue.
 */
export const make = Effect.gen(function* () {
  const urgent = new Set<Entry>()
  const others = new Set<Entry>()
  const changed = Latch.makeUnsafe(false)

  const store = (entry: Entry) =>
    entry.permit.withPermit(
      Effect.suspend(() => {
        const { latest: place } = entry
        if (Deferred.isDoneUnsafe(entry.over) || !isNews(entry.stored, place)) return Effect.void
        entry.stored = place
        return Effect.ignore(Effect.raceFirst(entry.commit(place), Deferred.await(entry.over)))
      })
    )

  const takeFrom = (entries: Set<Entry>, most: number): ReadonlyArray<Entry> => {
    const some: Array<Entry> = []
    for (const entry of entries) {
      if (some.length === most) break
      entries.delete(entry)
      some.push(entry)
    }
    return some
  }

  yield* Effect.suspend(() => {
    const now = takeFrom(urgent, atOnce)
    if (now.length > 0) return Effect.forEach(now, store, { concurrency: "unbounded", discard: true })
    const [next] = takeFrom(others, 1)
    if (next !== undefined) return Effect.andThen(store(next), Effect.sleep(between))
    changed.closeUnsafe()
    return changed.await
  }).pipe(
    Effect.catchDefect((defect) => Effect.logWarning("Cannot store the place of a waiting run", defect)),
    Effect.forever,
    Effect.forkScoped
  )

  const reports: PlaceReports = {
    open: (stored, commit) => {
      let entry: Entry | undefined
      const report = (place: QueuePlace) => {
        entry ??= { stored, latest: place, commit, over: Deferred.makeUnsafe(), permit: Semaphore.makeUnsafe(1) }
        entry.latest = place
        if (isUrgent(entry.stored, place)) {
          others.delete(entry)
          urgent.add(entry)
        } else if (isNews(entry.stored, place)) others.add(entry)
        else others.delete(entry)
        if (urgent.size + others.size > 0) changed.openUnsafe()
      }
      const close = Effect.suspend(() => {
        if (entry === undefined) return Effect.void
        urgent.delete(entry)
        others.delete(entry)
        Deferred.doneUnsafe(entry.over, Effect.void)
        return entry.permit.withPermit(Effect.void)
      })
      return { report, close }
    }
  }
  return reports
})
