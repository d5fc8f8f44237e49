import { RunFilters } from "@webagent/admin"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A run filter of the page's address, as text: the address and the request have the same names and values. */
export type FilterTexts = { readonly [Name in keyof RunFilters]?: string }

/** The names of the filters, in the order in which an address has them. */
export const filterNames = Object.keys(RunFilters.fields) as ReadonlyArray<keyof RunFilters>

const decode = Schema.decodeUnknownOption(RunFilters)

/** Reads the filters of an address. A value that no request could have is left out, and so are other names. */
export const filtersOf = (search: string): FilterTexts => {
  const query = new URLSearchParams(search)
  const texts: Record<string, string> = {}
  for (const name of filterNames) {
    const text = query.get(name)
    if (text !== null && Option.isSome(decode({ [name]: text }))) texts[name] = text
  }
  return texts
}

/** Writes filters as the query of an address, always in the same order. */
export const textOf = (filters: { readonly [Name in keyof RunFilters]?: string | undefined }): string => {
  const query = new URLSearchParams()
  for (const name of filterNames) {
    const text = filters[name]
    if (text !== undefined && text !== "") query.set(name, text)
  }
  return query.size === 0 ? "" : `?${query}`
}

/** Returns the filters as a request takes them. */
export const requestOf = (search: string): RunFilters => Option.getOrElse(decode(filtersOf(search)), () => ({}))

/** Returns whether a changed run still belongs in a list with a status filter. Its other filtered fields don't change. */
export const fits = ({ status }: { readonly status: string }, filters: FilterTexts): boolean =>
  filters.status === undefined || filters.status === status
