import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { type Turn, turnStatuses } from "../../src/domain/Turn.ts"
import type { Lists, Place, TurnFilter } from "../../src/ports/Lists.ts"

/** Filters by the fields that change while a run is carried out, and without one. */
const filters: ReadonlyArray<TurnFilter> = [
  {},
  { statuses: ["queued"] },
  { statuses: ["completed", "cancelled", "failed"] },
  { statuses: ["dispatching", "running"] },
  { minCost: "0.2" }
]

const fits = ({ minCost, statuses }: TurnFilter, turn: Turn) =>
  (statuses?.includes(turn.status) ?? true) && (minCost === undefined || Number(turn.cost ?? 0) >= Number(minCost))

type Turns = ReadonlyMap<string, Turn>

/** A walk over the list of a filter, from its first page on. */
const walkOver = (filter: TurnFilter, lists: Lists, now: Turns, report: (wrong: string) => void) => {
  const ids: Array<string> = []
  /** The runs that have fit the filter since the walk began. */
  const still = new Set([...now.values()].filter((turn) => fits(filter, turn)).map(({ id }) => id))
  let after: Place | null = null
  return {
    ids,
    still,
    note: (turn: Turn) => {
      if (!fits(filter, turn)) still.delete(turn.id)
    },
    /** Reads the next page, and returns true if it was the last one. `before` has each run as it was before the read. */
    page: (limit: number, before: Turns) =>
      Effect.map(lists.turns(filter, after, limit), ({ next, rows }) => {
        for (const turn of rows) {
          const versions = [before.get(turn.id), now.get(turn.id)]
          const isStored = versions.some((stored) => stored?.status === turn.status && stored.cost === turn.cost)
          if (!isStored) report(`the list has ${turn.id} as ${turn.status}, ${turn.cost} USD`)
          if (!fits(filter, turn)) report(`a list has ${turn.id} that doesn't fit ${JSON.stringify(filter)}`)
          if (ids.includes(turn.id)) report(`a walk has ${turn.id} twice`)
          ids.push(turn.id)
        }
        after = next
        if (next === null) for (const id of still) if (!ids.includes(id)) report(`a walk misses ${id}`)
        return next === null
      })
  }
}

/** Walks over lists of runs while nodes change them. `now` has each run as it was committed last. */
export const make = (lists: Lists, now: Turns) => {
  const wrong = new Set<string>()
  const changed = Latch.makeUnsafe(false)
  const walk = (filter: TurnFilter) => walkOver(filter, lists, now, (sentence) => void wrong.add(sentence))
  /** The walks that have pages left. */
  const walks = new Set<ReturnType<typeof walk>>()

  return {
    /** Has to be called with each change of a run. */
    note: (turn: Turn) => {
      for (const { note } of walks) note(turn)
      changed.openUnsafe()
    },
    /**
     * Walks over all lists at the same time, until it is interrupted. While no run changes, a list stays the same, and
     * one walk is enough.
     */
    walk: Effect.gen(function* () {
      for (let page = 0; ;) {
        yield* changed.await
        changed.closeUnsafe()
        for (const filter of filters) walks.add(walk(filter))
        while (walks.size > 0) {
          yield* Effect.sleep("2 seconds")
          const before = new Map(now)
          for (const each of walks) if (yield* each.page(1 + (page++ % 3), before)) walks.delete(each)
        }
      }
    }).pipe(Effect.catch((error) => Effect.sync(() => void wrong.add(`a walk failed: ${error._tag}`)))),
    /** Sentences about what went wrong, after the lists of all statuses and their counts were compared with the records. */
    wrong: Effect.gen(function* () {
      const counts = yield* lists.turnCounts({}, 1000)
      for (const status of turnStatuses) {
        const { ids, page, still } = walk({ statuses: [status] })
        while (!(yield* page(2, now))) continue
        if (ids.length !== still.size) wrong.add(`${ids.length} runs are ${status} in a list, and ${still.size} are`)
        const { count } = counts[status]
        if (count !== still.size) wrong.add(`${count} runs are counted as ${status}, and ${still.size} are`)
      }
      return [...wrong]
    })
  }
}
