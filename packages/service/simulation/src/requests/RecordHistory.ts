import type * as Option from "effect/Option"

/** Earlier versions of records, as far back as a stale read may need. */
export interface RecordHistory<A> {
  /** Keeps what a record was until this time; none if there was none. */
  readonly keep: (id: string, before: Option.Option<A>, until_ms: number) => void
  /** Returns a record at an earlier time, as far as it's remembered; `now` is its current value. */
  readonly at: (id: string, now: Option.Option<A>, at_ms: number) => Option.Option<A>
  /** Forgets what was only before this time. */
  readonly forget: (before_ms: number) => void
  readonly clear: () => void
}

interface Version<A> {
  readonly until_ms: number
  readonly before: Option.Option<A>
}

/** The oldest versions go when there are more. */
const maxVersions = 100_000

/** Nothing remembered. */
export const make = <A>(bound = maxVersions): RecordHistory<A> => {
  const versions = new Map<string, Array<Version<A>>>()
  // the ids in the order in which versions were kept
  let order: Array<{ readonly id: string; readonly until_ms: number }> = []
  let first = 0

  const drop = () => {
    const oldest = order[first++]
    if (oldest === undefined) return
    const kept = versions.get(oldest.id)
    kept?.shift()
    if (kept?.length === 0) versions.delete(oldest.id)
    if (first > 1024 && first * 2 > order.length) {
      order = order.slice(first)
      first = 0
    }
  }

  return {
    keep: (id, before, until_ms) => {
      const kept = versions.get(id)
      if (kept === undefined) versions.set(id, [{ until_ms, before }])
      else kept.push({ until_ms, before })
      order.push({ id, until_ms })
      if (order.length - first > bound) drop()
    },
    at: (id, now, at_ms) => versions.get(id)?.find(({ until_ms }) => until_ms > at_ms)?.before ?? now,
    forget: (before_ms) => {
      for (let next = order[first]; next !== undefined && next.until_ms <= before_ms; next = order[first]) drop()
    },
    clear: () => {
      if (order.length === 0) return
      versions.clear()
      order = []
      first = 0
    }
  }
}
