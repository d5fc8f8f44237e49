import { entryTypes, type JournalEntry, operations, type Route } from "@webagent/control"

interface Request {
  readonly type?: JournalEntry["type"]
  readonly operation?: Route
  readonly resource?: string
}

/** The filters of the journal, by their names in the page's address and in the request. */
export const filterNames = ["type", "operation", "resource"] as const

/** Filters of the journal as texts. */
export type FilterTexts = { readonly [Name in (typeof filterNames)[number]]?: string }

const routes: ReadonlyArray<string> = [...operations, "unrouted", "trap"]

const isAllowed = {
  type: (text: string) => entryTypes.some((type) => type === text),
  operation: (text: string) => routes.includes(text),
  resource: (text: string) => text !== "" && text.length <= 200
} as const

/** Reads the filters of an address; a value that no request could have is left out. */
export const filtersOf = (search: string): FilterTexts => {
  const query = new URLSearchParams(search)
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const text = query.get(name)
      return text !== null && isAllowed[name](text) ? [[name, text]] : []
    })
  )
}

/** Writes filters as the query of an address, always in the same order. */
export const textOf = (filters: { readonly [Name in keyof FilterTexts]?: string | undefined }): string => {
  const query = new URLSearchParams()
  for (const name of filterNames) {
    const text = filters[name]
    if (text !== undefined && text !== "") query.set(name, text)
  }
  return query.size === 0 ? "" : `?${query}`
}

/** Returns the filters as a request takes them. */
export const requestOf = (text: string): Request => filtersOf(text) as Request

/** The operations that a filter can name. */
export const filterOperations = routes
