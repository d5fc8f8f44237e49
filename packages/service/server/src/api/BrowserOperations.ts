import { BadCursorError, BrowserNotFoundError, type HTTPValidationError } from "@webagent/contract"
import type {
  Browser as Created,
  BrowserCreate,
  BrowserListQuery,
  BrowserUpdate,
  FileListQuery,
  UpdatedBrowser
} from "@webagent/contract/v4"
import { saveAction } from "@webagent/contract/Wire"
import { type Browser, Engine } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Cursor from "./Cursor.ts"
import { invalid } from "./Invalid.ts"
import * as Links from "./Links.ts"
import * as NumberedPages from "./NumberedPages.ts"
import * as SafeCreate from "./SafeCreate.ts"

type Request = HttpServerRequest.HttpServerRequest

/** A request about one browser. */
interface OfBrowser {
  readonly params: { readonly browser_id: string }
  readonly request: Request
}

/** Conversion of a version's browser requests and responses. */
export interface BrowserConversion {
  readonly toDomain: (
    body: BrowserCreate
  ) => Effect.Effect<Parameters<Engine["Service"]["createBrowser"]>[0], HTTPValidationError>
  readonly fromDomain: (browser: Browser.Browser, links: Links.Links) => Created
  readonly readFromDomain: (browser: Browser.Browser, links: Links.Links) => UpdatedBrowser
}

const notFound = () => Effect.fail(new BrowserNotFoundError({ detail: "Browser not found" }))

const noMetadata = invalid(
  ["query", "metadata"],
  "This server doesn't filter browsers by metadata. List all of them, and compare the metadata of each"
)

/** The statuses that a filter selects; undefined for all of them. A browser that starts counts as active. */
const statusesOf = (
  filter: string | undefined
): Effect.Effect<ReadonlyArray<Browser.Browser["status"]> | undefined, HTTPValidationError> => {
  if (filter === undefined) return Effect.succeed(undefined)
  if (filter === "active") return Effect.succeed(["starting", "active"])
  if (filter === "stopped") return Effect.succeed(["stopped"])
  return Effect.fail(invalid(["query", "filterBy"], "Expected active or stopped"))
}

/** The handlers of the operations on browsers, the same in every version. */
export const make = Effect.fnUntraced(function* ({ fromDomain, readFromDomain, toDomain }: BrowserConversion) {
  const engine = yield* Engine
  const linksOf = yield* Links.make

  const shown = (browser: Browser.Browser, request: Request) =>
    Effect.map(linksOf(request, browser.id), (links) => readFromDomain(browser, links))

  const find = (id: string) => Effect.catchTag(engine.browser(id.toLowerCase()), "BrowserNotFound", notFound)

  /** The browser of a session, if it fits the filter: a session has one at a time. */
  const ofSession = (sessionId: string, statuses: ReadonlyArray<Browser.Browser["status"]> | undefined) =>
    engine.session(sessionId.toLowerCase()).pipe(
      Effect.flatMap(({ session }) =>
        session.browserId === null ? Effect.succeed([]) : Effect.map(engine.browser(session.browserId), (one) => [one])
      ),
      Effect.catchTags({ SessionNotFound: () => Effect.succeed([]), BrowserNotFound: () => Effect.succeed([]) }),
      Effect.map((browsers) => browsers.filter(({ status }) => statuses?.includes(status) ?? true))
    )

  return {
    create: ({ payload, request }: SafeCreate.CreateRequest<BrowserCreate>) =>
      SafeCreate.once({ request, payload }, (safe) =>
        Effect.flatMap(toDomain(payload), (browser) => engine.createBrowser(browser, safe)).pipe(
          Effect.catchTags({
            CountryUnavailable: ({ country }) =>
              Effect.fail(invalid(["body", "proxyCountryCode"], `This server has no proxy in country "${country}"`)),
            LifetimeTooLong: ({ most_ms }) =>
              Effect.fail(
                invalid(["body", "timeout"], `This server's browsers run for ${most_ms / 60_000} minutes at most`)
              )
          })
        )
      ).pipe(
        Effect.flatMap(({ browser }) => Effect.map(linksOf(request, browser.id), (links) => fromDomain(browser, links)))
      ),
    get: ({ params, request }: OfBrowser) =>
      Effect.flatMap(find(params.browser_id), (browser) => shown(browser, request)),
    /** Stops a browser, or saves its profile. */
    update: ({ params, payload: { action }, request }: OfBrowser & { readonly payload: BrowserUpdate }) => {
      const id = params.browser_id.toLowerCase()
      return (action === saveAction ? engine.saveBrowser(id) : engine.stopBrowser(id)).pipe(
        Effect.catchTags({
          BrowserNotFound: notFound,
          ProfileUnusable: ({ message }) => Effect.fail(invalid(["body", "action"], message))
        }),
        Effect.flatMap((browser) => shown(browser, request))
      )
    },
    list: Effect.fnUntraced(function* ({
      query,
      request
    }: {
      readonly query: BrowserListQuery
      readonly request: Request
    }) {
      // without the filter, a caller would take browsers for its own that aren't
      if (new URLSearchParams(request.url.split("?")[1]).has("metadata")) return yield* noMetadata
      const page = yield* NumberedPages.pageOf("pageNumber", query.pageNumber, query.pageSize)
      const statuses = yield* statusesOf(query.filterBy)
      const { agentSessionId } = query
      const filter = statuses === undefined ? {} : { statuses }
      const ofAgent = agentSessionId === undefined ? undefined : yield* ofSession(agentSessionId, statuses)
      const rows =
        ofAgent?.slice(page.skipped, page.skipped + page.size) ??
        (yield* NumberedPages.read((after, limit) => engine.lists.browsers(filter, after, limit), page))
      const totalItems =
        ofAgent?.length ??
        NumberedPages.totalOf(yield* engine.lists.browserCounts({}, NumberedPages.mostCounted), statuses)
      return {
        items: yield* Effect.forEach(rows, (browser) => shown(browser, request)),
        totalItems,
        pageNumber: page.number,
        pageSize: page.size
      }
    }),
    /** This server keeps no downloads of browsers, so a cursor is always another list's. */
    downloads: ({ params, query }: OfBrowser & { readonly query: FileListQuery }) =>
      Effect.andThen(
        find(params.browser_id),
        query.cursor === undefined
          ? Effect.succeed({ files: [], nextCursor: null, hasMore: false })
          : Effect.fail(new BadCursorError({ detail: Cursor.badCursor }))
      )
  }
})
