import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as BrowserOperations from "../BrowserOperations.ts"
import { Served } from "./Served.ts"

/** The v3 operations on browsers, with the requests and responses of another version. */
export const layer = (conversion: BrowserOperations.BrowserConversion) =>
  HttpApiBuilder.group(
    Served,
    "browsers",
    Effect.fnUntraced(function* (handlers) {
      const operations = yield* BrowserOperations.make(conversion)
      return handlers.handleAll({
        create: ({ payload, request }) => operations.create(payload, request),
        list: ({ query, request }) => operations.list(query, request),
        get: ({ params, request }) => operations.get(params.browser_id, request),
        update: ({ params, payload, request }) => operations.update(params.browser_id, payload, request),
        downloads: ({ params, query }) => operations.downloads(params.browser_id, query.cursor)
      })
    })
  )
