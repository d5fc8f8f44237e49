import { BrowserNotFoundError } from "@webagent/contract"
import { type Browser, Engine } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Links from "../Links.ts"
import * as SafeCreate from "../SafeCreate.ts"
import * as Conversion from "./Conversion.ts"
import { Served } from "./Served.ts"

const notFound = () => Effect.fail(new BrowserNotFoundError({ detail: "Browser not found" }))

/** The v4 operations on browsers. */
export const layer = HttpApiBuilder.group(
  Served,
  "browsers",
  Effect.fnUntraced(function* (handlers) {
    const engine = yield* Engine
    const linksOf = yield* Links.make

    const shown = (browser: Browser.Browser, request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(linksOf(request, browser.id), (links) => Conversion.browserReadFromDomain(browser, links))

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
