import type { FeedRow } from "../../state/feed.ts"

/** The kinds of events. */
export const kinds = ["run", "session", "browser", "step", "modelCall", "control"] as const

/** The filters of events, by their names in the page's address. */
export const filterNames = ["kind", "run", "key", "node"] as const

/** Filters of events as texts; an empty text lets everything through. */
export type Filters = Readonly<Record<(typeof filterNames)[number], string>>

/** Reads the filters of an address. */
export const filtersOf = (search: string): Filters => {
  const query = new URLSearchParams(search)
  const text = (name: string) => (query.get(name) ?? "").slice(0, 200)
  return { kind: text("kind"), run: text("run"), key: text("key"), node: text("node") }
}

/** Writes filters as the query of an address. */
export const textOf = (filters: Filters): string => {
  const query = new URLSearchParams(
    filterNames.flatMap((name) => (filters[name] === "" ? [] : [[name, filters[name]]]))
  )
  return query.size === 0 ? "" : `?${query}`
}

/** Returns whether a row fits. A lost connection concerns every filter. */
export const fits = (row: FeedRow, filters: Filters): boolean =>
  row.kind === "gap" ||
  ((filters.kind === "" || row.kind === filters.kind) &&
    (filters.run === "" || row.run === filters.run) &&
    (filters.key === "" || row.key === filters.key) &&
    (filters.node === "" || row.node === filters.node))
