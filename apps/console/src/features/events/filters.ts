import type { FeedRow } from "../../state/feed.ts"

/** The kinds of events. */
export const kinds = ["run", "session", "browser", "step", "modelCall", "control"] as const

/** The filters of events, by their names in the page's address. */
export const filterNames = ["kind", "run", "key", "node"] as const

/** Filters of events as texts; an empty text lets everything through. */
export type Filters = Readonly<Record<(typeof filterNames)[number], string>>

/** The filters of the audit log, by their names in the page's address and in a request. */
export const auditFilterNames = ["key", "action", "target"] as const

/** Filters of the audit log as texts; an empty text lets everything through. */
export type AuditFilters = Readonly<Record<(typeof auditFilterNames)[number], string>>

/** Reads the texts of these names in an address. */
const read = <Name extends string>(names: ReadonlyArray<Name>, search: string) => {
  const query = new URLSearchParams(search)
  const texts = names.map((name) => [name, (query.get(name) ?? "").slice(0, 200)])
  return Object.fromEntries(texts) as Readonly<Record<Name, string>>
}

/** Reads the filters of an address. */
export const filtersOf = (search: string): Filters => read(filterNames, search)

/** Reads the filters of the audit log of an address. */
export const auditFiltersOf = (search: string): AuditFilters => read(auditFilterNames, search)

/** Writes filters as the query of an address. */
export const textOf = (filters: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(Object.entries(filters).filter(([, text]) => text !== ""))
  return query.size === 0 ? "" : `?${query}`
}

/** Returns whether a row fits. A lost connection concerns every filter. */
export const fits = (row: FeedRow, filters: Filters): boolean =>
  row.kind === "gap" ||
  ((filters.kind === "" || row.kind === filters.kind) &&
    (filters.run === "" || row.run === filters.run) &&
    (filters.key === "" || row.key === filters.key) &&
    (filters.node === "" || row.node === filters.node))
