import * as Schema from "effect/Schema"
import { keptList } from "../../state/preferences.ts"
import { filtersOf, textOf } from "./filters.ts"

/** Longest name of a view. */
export const longestName = 40

/** Filters of the list with a name. */
export const View = Schema.Struct({
  name: Schema.NonEmptyString.check(Schema.isMaxLength(longestName)),
  /** The query of an address, such as `?status=failed&key=shop`. */
  search: Schema.String.check(Schema.isMaxLength(4000))
})

/** Filters of the list with a name. */
export type View = typeof View.Type

/**
 * The saved views of this browser. They're kept here and not on the server, because a key may be that of a team: to give a
 * view to others, send them its address.
 */
export const views = keptList("views", View)

/** Adds a view in front; one with the same name is replaced. */
export const withView = (all: ReadonlyArray<View>, { name, search }: View): ReadonlyArray<View> => [
  { name: name.trim().slice(0, longestName), search: textOf(filtersOf(search)) },
  ...all.filter((view) => view.name !== name.trim())
]
