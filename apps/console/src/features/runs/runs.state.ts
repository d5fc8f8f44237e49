import { type CancelledRuns, type RunFilters, type RunPage, runStatuses } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Atom from "effect/reactivity/Atom"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Console } from "../../state/client.ts"
import { beginList, epoch, putList } from "../../state/live.ts"
import { go, place } from "../../state/place.ts"
import { registry } from "../../state/react.ts"
import { isFinal, settled } from "../../state/runs.ts"
import { download } from "../../ui/download.ts"
import { formats } from "./exported.ts"
import { type FilterTexts, filtersOf, requestOf, textOf } from "./filters.ts"

/** The filters in force as text. Only the page's address has them. */
export const filterText = Atom.make((get) => textOf(filtersOf(get(place).search)))

/** The filters of the list that was last shown, whose runs follow one another; undefined before that. */
export const lastList: Atom.Writable<string | undefined> = Atom.make<string | undefined>(undefined).pipe(Atom.keepAlive)

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
    beginList()
    return Stream.paginate(Option.none<string>(), (cursor) =>
      Effect.gen(function* () {
        const client = yield* Console
        const at = Option.isSome(cursor) ? { cursor: cursor.value } : {}
        // the counts take longer than the rows, and are read again while events arrive
        const query = { ...requestOf(text), limit: pageSize, counts: "false", ...at } as const
        const page = yield* client.runs.list({ query })
        putList(page.rows)
        return [[pageOf(page)], Option.map(Option.fromNullishOr(page.next), Option.some)] as const
      })
    )
  })
)

/** The filters whose runs are counted by status, as text. */
export const withoutStatus = (filters: FilterTexts): string => textOf({ ...filters, status: undefined })

type RunStatus = (typeof runStatuses)[number]

type StatusCounts = NonNullable<RunPage["counts"]>

/** Pages that are read to count the open runs of a search. */
const mostCountPages = 5

/** Counts the open runs with a status that match a search, up to a page of them. */
const countOpen = Effect.fnUntraced(function* (filters: RunFilters, status: RunStatus) {
  const client = yield* Console
  let [count, cursor]: [number, string | null | undefined] = [0, undefined]
  for (let n = 0; n < mostCountPages && count < pageSize && cursor !== null; n++) {
    const at = cursor === undefined ? {} : { cursor }
    const page: RunPage = yield* client.runs.list({
      query: { ...filters, status, limit: pageSize, counts: "false", ...at }
    })
    count += page.rows.length
    cursor = page.next
  }
  return [status, { count, more: cursor !== null }] as const
})

/**
 * Counts the runs of a search, which the server doesn't: those of the first page if there are no more, and otherwise the
 * open ones alone.
 */
const countSearch = Effect.fnUntraced(function* (filters: RunFilters) {
  const client = yield* Console
  const { next, rows } = yield* client.runs.list({ query: { ...filters, limit: pageSize, counts: "false" } })
  if (next === null) {
    const countOf = (status: RunStatus) => rows.filter((run) => run.status === status).length
    return Object.fromEntries(runStatuses.map((status) => [status, { count: countOf(status), more: false }]))
  }
  const open = runStatuses.filter((status) => !isFinal(status))
  return Object.fromEntries(yield* Effect.forEach(open, (status) => countOpen(filters, status), { concurrency: 3 }))
})

/**
 * Counts by status for filters without a status; a status that wasn't counted is missing. They're read again while events
 * arrive.
 *
 * Call it with the text of `withoutStatus`, so that every part of the screen shares one request.
 */
export const counts = Atom.family((text: string) =>
  Console.runtime.atom((get) => {
    get(settled("runs"))
    return Effect.gen(function* () {
      const filters = requestOf(text)
      if (filters.search !== undefined) return yield* countSearch(filters)
      const client = yield* Console
      const page = yield* client.runs.list({ query: { ...filters, limit: 1 } })
      return page.counts ?? ({} satisfies StatusCounts)
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

/** Cancels every open run that fits the filters, 500 in each request, and returns how many it cancelled. */
export const cancelFitting = Console.runtime.fn<string>()((text) =>
  Effect.gen(function* () {
    const client = yield* Console
    const which = text === "" ? ({ all: true } as const) : { filter: requestOf(text) }
    let cancelled = 0
    let cursor: string | null = null
    do {
      const page: CancelledRuns = yield* client.runs.cancel({
        payload: { ...which, ...(cursor === null ? {} : { cursor }) }
      })
      cancelled += page.cancelled.length
      cursor = page.next
    } while (cursor !== null)
    return cancelled
  })
)

/** Size at which an export ends, because the page holds all of it until it's saved. */
const mostExported_bytes = 500_000_000

/** Number of runs that the export in progress has read. */
export const exportedRuns = Atom.make(0).pipe(Atom.keepAlive)

/** A list to save as a file. */
interface ExportRequest {
  readonly text: string
  readonly format: keyof typeof formats
}

/** A server that restarts, or a rate limit, delays a page of an export by this, a few times. */
const exportRetry = { times: 10, schedule: Schedule.spaced("2 seconds") }

/**
 * Saves all runs that match the filters, page by page. It continues on other screens. Write `Atom.Interrupt` to cancel it:
 * nothing is saved then.
 */
export const exportRuns = Console.runtime
  .fn<ExportRequest>()(({ format, text }) =>
    Effect.gen(function* () {
      const client = yield* Console
      const { end, rows: linesOf, start, type } = formats[format]
      const parts: Array<Blob> = [new Blob([start])]
      let [size, count, cursor]: [number, number, string | null | undefined] = [0, 0, undefined]
      registry.set(exportedRuns, 0)
      do {
        const query = { ...requestOf(text), limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }
        const page: RunPage = yield* Effect.retry(client.runs.list({ query }), exportRetry)
        const part = new Blob([linesOf(page.rows, count === 0)])
        parts.push(part)
        size += part.size
        count += page.rows.length
        cursor = page.next
        registry.set(exportedRuns, count)
      } while (cursor !== null && size < mostExported_bytes)
      download(`runs.${format}`, type, ...parts, end)
      yield* Effect.ignore(client.audit.export({ payload: { list: "runs", count } }))
      return { count, isWhole: cursor === null }
    })
  )
  .pipe(Atom.keepAlive)
