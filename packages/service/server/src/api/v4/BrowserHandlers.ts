import { BrowserNotFoundError, type HTTPValidationError } from "@webagent/contract"
import type { BrowserListQuery } from "@webagent/contract/v4"
import { Browser, type BrowserFilter, Engine, type Place } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { invalid } from "../Invalid.ts"
import * as Links from "../Links.ts"
import * as ListPage from "../ListPage.ts"
import * as SafeCreate from "../SafeCreate.ts"
import * as Conversion from "./Conversion.ts"
import { Served } from "./Served.ts"

const notFound = () => Effect.fail(new BrowserNotFoundError({ detail: "Browser not found" }))

/** The filter of a list's query: a browser that starts counts as active. */
const filterOf = ({ filterBy }: BrowserListQuery): Effect.Effect<BrowserFilter, HTTPValidationError> => {
  if (filterBy === undefined) return Effect.succeed({})
  if (filterBy === "active") return Effect.succeed({ statuses: ["starting", "active"] })
  if (filterBy === "stopped") return Effect.succeed({ statuses: ["stopped"] })
  return Effect.fail(invalid(["query", "filterBy"], "Expected active or stopped"))
}

/** The v4 operations on browsers. */
export const layer = HttpApiBuilder.group(
  Served,
  "browsers",
  Effect.fnUntraced(function* (handlers) {
    const engine = yield* Engine
    const linksOf = yield* Links.make

    const shown = (browser: Browser.Browser, request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(linksOf(request, browser.id), (links) => Conversion.browserReadFromDomain(browser, links))

    /** Browsers from one place of the list to before another, and the number of all. */
    const pageOf = Effect.fnUntraced(function* (query: BrowserListQuery, from: number, to: number) {
      const filter = yield* filterOf(query)
      if (query.agentSessionId !== undefined) {
        const own = yield* browserOf(query.agentSessionId.toLowerCase(), filter)
        return { browsers: own.slice(from, to), total: own.length }
      }
      const counts = yield* engine.lists.browserCounts({}, ListPage.maxNumbered)
      const statuses = filter.statuses ?? Browser.browserStatuses
      const total = statuses.reduce((sum, status) => sum + counts[status].count, 0)
      const page = (after: Place | null, limit: number) => engine.lists.browsers(filter, after, limit)
      return { browsers: yield* ListPage.slice(page, from, to), total }
    })

    /** The browser of a session's agent, if it fits the filter. */
    const browserOf = (sessionId: string, { statuses }: BrowserFilter) =>
      Effect.flatMap(engine.session(sessionId), ({ session: { browserId } }) =>
        browserId === null ? Effect.succeed([]) : Effect.map(engine.browser(browserId), (browser) => [browser])
      ).pipe(
        Effect.map((own) => own.filter(({ status }) => statuses?.includes(status) ?? true)),
        Effect.catchTags({ SessionNotFound: () => Effect.succeed([]), BrowserNotFound: () => Effect.succeed([]) })
      )

    return handlers.handleAll({
      create: ({ payload, request }) =>
        SafeCreate.once({ request, payload }, (safe) =>
          Effect.flatMap(Conversion.browserToDomain(payload), (browser) => engine.createBrowser(browser, safe)).pipe(
            Effect.catchTag("CountryUnavailable", ({ country }) =>
              Effect.fail(Conversion.wrongCountry(`This server has no proxy in country "${country}"`))
            )
          )
        ).pipe(
          Effect.flatMap(({ browser }) =>
            Effect.map(linksOf(request, browser.id), (links) => Conversion.browserFromDomain(browser, links))
          )
        ),
      list: ({ query, request }) =>
        Effect.gen(function* () {
          const { pageNumber = 1, pageSize = ListPage.defaultLimit } = query
          const from = (pageNumber - 1) * pageSize
          if (from >= ListPage.maxNumbered) {
            return yield* invalid(["query", "pageNumber"], `Pages end at ${ListPage.maxNumbered} browsers`)
          }
          const { browsers, total } = yield* pageOf(query, from, Math.min(from + pageSize, ListPage.maxNumbered))
          const items = yield* Effect.forEach(browsers, (browser) => shown(browser, request))
          return { items, totalItems: total, pageNumber, pageSize }
        }),
      get: ({ params, request }) =>
        Effect.catchTag(engine.browser(params.browser_id.toLowerCase()), "BrowserNotFound", notFound).pipe(
          Effect.flatMap((browser) => shown(browser, request))
        ),
      // "stop" is the only action that the contract lets through
      update: ({ params, request }) =>
        Effect.catchTag(engine.stopBrowser(params.browser_id.toLowerCase()), "BrowserNotFound", notFound).pipe(
          Effect.flatMap((browser) => shown(browser, request))
        )
    })
  })
)
