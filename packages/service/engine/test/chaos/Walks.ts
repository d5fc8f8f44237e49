import * as Effect from "effect/Effect"
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

/** Walks over lists of runs while nodes change them. `now` has each run as it was committed last. */
export const make = (lists: Lists, now: ReadonlyMap<string, Turn>) => {
  const wrong: Array<string> = []
  /** The runs that have fit the filter since the walk began. */
  let still = new Set<string>()
  let filter: TurnFilter = {}

  const pages = (limit: number, pause: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      let next: Place | null = null
      do {
        const before = new Map(now)
        const page: Effect.Success<ReturnType<Lists["turns"]>> = yield* lists.turns(filter, next, limit)
        for (const turn of page.rows) {
          const versions = [before.get(turn.id), now.get(turn.id)]
          const isStored = versions.some((stored) => stored?.status === turn.status && stored.cost === turn.cost)
          if (!isStored) wrong.push(`the list has ${turn.id} as ${turn.status}, ${turn.cost} USD`)
          if (!fits(filter, turn)) wrong.push(`a list has ${turn.id} that doesn't fit ${JSON.stringify(filter)}`)
          if (ids.includes(turn.id)) wrong.push(`a walk has ${turn.id} twice`)
          ids.push(turn.id)
        }
        next = page.next
        if (next !== null) yield* pause
      } while (next !== null)
      for (const id of still) if (!ids.includes(id)) wrong.push(`a walk misses ${id}`)
      return ids
    })

  const begin = (of: TurnFilter) => {
    filter = of
    still = new Set([...now.values()].filter((turn) => fits(of, turn)).map(({ id }) => id))
  }

  return {
    /** Has to be called with each change of a run. */
    note: (turn: Turn) => {
      if (!fits(filter, turn)) still.delete(turn.id)
    },
    /** Walks until it is interrupted. */
    walk: Effect.gen(function* () {
      for (let round = 0; ; round++) {
        begin(filters[round % filters.length] ?? {})
        yield* pages(1 + (round % 3), Effect.sleep("700 millis"))
        yield* Effect.sleep("300 millis")
      }
    }).pipe(Effect.catch((error) => Effect.sync(() => void wrong.push(`a walk failed: ${error._tag}`)))),
    /** What went wrong, once the lists of all statuses and their counts were compared with the records. */
    wrong: Effect.gen(function* () {
      const counts = yield* lists.turnCounts({}, 1000)
      for (const status of turnStatuses) {
        begin({ statuses: [status] })
        const ids = yield* pages(2, Effect.void)
        if (ids.length !== still.size) wrong.push(`${ids.length} runs are ${status} in a list, and ${still.size} are`)
        const { count } = counts[status]
        if (count !== still.size) wrong.push(`${count} runs are counted as ${status}, and ${still.size} are`)
      }
      return [...new Set(wrong)]
    })
  }
}
