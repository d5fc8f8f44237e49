import type { RunPage } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Atom from "effect/reactivity/Atom"
import * as Stream from "effect/Stream"
import { Console } from "../../state/client.ts"
import { epoch, newRuns, putRuns } from "../../state/live.ts"
import { go, place } from "../../state/place.ts"
import { registry } from "../../state/react.ts"
import { settled } from "../../state/runs.ts"
import { type FilterTexts, filtersOf, requestOf, textOf } from "./filters.ts"

/** The filters in force as text. Only the page's address has them. */
export const filterText = Atom.make((get) => textOf(filtersOf(get(place).search)))

/** Changes filters in the address; undefined removes one. */
export const setFilters = (
  change: { readonly [Name in keyof FilterTexts]?: string | undefined },
  { replace = false } = {}
): void => go(`/runs${textOf({ ...filtersOf(registry.get(place).search), ...change })}`, { replace })

/** Rows of one request. */
export const pageSize = 100

/** Progress of a search that no index answers: the time of the last row that was looked at. */
export interface ListPage {
  readonly ids: ReadonlyArray<string>
  readonly complete: boolean
}

const pageOf = ({ complete, rows }: RunPage): ListPage => ({ ids: rows.map(({ id }) => id), complete })

/**
 * The pages of a list; write to it to read the next one. Rows themselves are in `runRow`. An element is a page and not an
 * id, because a pull of a stream without elements is a failure.
 */
export const runPages = Atom.family((text: string) =>
  Console.runtime.pull((get) => {
    get(epoch)
    registry.set(newRuns, [])
    return Stream.paginate(Option.none<string>(), (cursor) =>
      Effect.gen(function* () {
        const client = yield* Console
        const at = Option.isSome(cursor) ? { cursor: cursor.value } : {}
        const page = yield* client.runs.list({ query: { ...requestOf(text), limit: pageSize, ...at } })
        putRuns(page.rows)
        return [[pageOf(page)], Option.map(Option.fromNullishOr(page.next), Option.some)] as const
      })
    )
  })
)

/** Counts by status for the filters, without the one of the status. They're read again while events arrive. */
export const counts = Atom.family((text: string) =>
  Console.runtime.atom((get) => {
    get(settled("runs"))
    return Effect.gen(function* () {
      const client = yield* Console
      const { status: _, ...others } = requestOf(text)
      const page = yield* client.runs.list({ query: { ...others, limit: 1 } })
      // a search for words has none: counting its matches would read every one
      return page.counts
    })
  })
)

/** Ids of the selected runs. */
export const selected = Atom.make<ReadonlySet<string>>(new Set<string>()).pipe(Atom.keepAlive)

/** Selects a run, or takes it out of the selection. */
export const toggle = (id: string): void => {
  const next = new Set(registry.get(selected))
  if (!next.delete(id)) next.add(id)
  registry.set(selected, next)
}

/** Most rows of an export. */
export const mostExported = 10_000

/** Reads the rows of a list from its start, at most 10,000. */
export const exportRows = Console.runtime.fn<string>()((text) =>
  Effect.gen(function* () {
    const client = yield* Console
    return yield* Stream.paginate(Option.none<string>(), (cursor) =>
      Effect.map(
        client.runs.list({
          query: {
            ...requestOf(text),
            limit: pageSize,
            ...(Option.isSome(cursor) ? { cursor: cursor.value } : {})
          }
        }),
        ({ next, rows }) => [rows, Option.map(Option.fromNullishOr(next), Option.some)] as const
      )
    ).pipe(Stream.take(mostExported), Stream.runCollect)
  })
)
