import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as BrowserOperations from "../BrowserOperations.ts"
import * as Conversion from "./Conversion.ts"
import { Served } from "./Served.ts"

/** Conversion of v4's browser requests and responses. */
export const conversion: BrowserOperations.BrowserConversion = {
  toDomain: Conversion.browserToDomain,
  fromDomain: Conversion.browserFromDomain,
  readFromDomain: Conversion.browserReadFromDomain
}

/** The v4 operations on browsers. */
export const layer = HttpApiBuilder.group(
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
