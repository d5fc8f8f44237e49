import { BrowserNotFoundError, ConflictError, RunNotFoundError, SessionNotFoundError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { type Browser, Engine } from "@webagent/engine"
import * as Links from "../Links.ts"
import * as SafeCreate from "../SafeCreate.ts"
import * as Conversion from "./Conversion.ts"
import * as Events from "./Events.ts"
import { Served } from "./Served.ts"

export { Served } from "./Served.ts"

/** The reads of a run by its id: as operations, and as fast reads. */
export const reads = (engine: Engine["Service"], linksOf: Effect.Success<typeof Links.make>) => {
  const notFound = () => Effect.fail(new RunNotFoundError({ detail: "Run not found" }))
  const find = (id: string) => Effect.catchTag(engine.turn(id.toLowerCase()), "TurnNotFound", notFound)
  return {
    status: (id: string) => Effect.map(find(id), Conversion.statusFromDomain),
    get: Effect.fnUntraced(function* (id: string, request: HttpServerRequest.HttpServerRequest) {
      const turn = yield* find(id)
      const { showsBrowsers } = yield* linksOf(request)
      if (!showsBrowsers) return Conversion.fromDomain(turn)
      const { session } = yield* Effect.catchTag(engine.session(turn.sessionId), "SessionNotFound", notFound)
      const browserId = session.status === "stopped" ? null : session.browserId
      return Conversion.fromDomain(turn, (yield* linksOf(request, browserId)).live(browserId))
    })
  }
}

const runs = HttpApiBuilder.group(
  Served,
  "runs",
  Effect.fnUntraced(function* (handlers) {
    const engine = yield* Engine
    const { get, status } = reads(engine, yield* Links.make)
    return handlers.handleAll({
      create: ({ payload, request }) =>
        SafeCreate.once({ request, payload }, (safe) =>
          Effect.flatMap(Conversion.toDomain(payload), (session) => engine.createSession(session, safe))
        ).pipe(Effect.map(({ turn }) => Conversion.fromDomain(turn))),
      status: ({ params }) => status(params.run_id),
      get: ({ params, request }) => get(params.run_id, request)
    })
  })
)

const sessions = HttpApiBuilder.group(
  Served,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const engine = yield* Engine
    return handlers.handle("queue", ({ params, payload, request }) => {
      const sessionId = params.session_id.toLowerCase()
      return SafeCreate.once({ request, payload }, (safe) =>
        Effect.flatMap(Conversion.messageToDomain(sessionId, payload), (message) => engine.queue(message, safe))
      ).pipe(
        Effect.map(Conversion.messageFromDomain),
        Effect.catchTags({
          SessionNotFound: () => Effect.fail(new SessionNotFoundError({ detail: "Session not found" })),
          SessionStopped: () => Effect.fail(new ConflictError({ detail: "Session is stopped" }))
        })
      )
    })
  })
)

const browsers = HttpApiBuilder.group(
  Served,
  "browsers",
  Effect.fnUntraced(function* (handlers) {
    const engine = yield* Engine
    const linksOf = yield* Links.make
    const shown = (browser: Browser.Browser, request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(linksOf(request, browser.id), (links) => Conversion.browserFromDomain(browser, links))
    return handlers.handleAll({
      create: ({ payload, request }) =>
        SafeCreate.once({ request, payload }, (safe) =>
          Effect.flatMap(Conversion.browserToDomain(payload), (browser) => engine.createBrowser(browser, safe)).pipe(
            Effect.catchTag("CountryUnavailable", ({ country }) =>
              Effect.fail(Conversion.wrongCountry(`This server has no proxy in country "${country}"`))
            )
          )
        ).pipe(Effect.flatMap(({ browser }) => shown(browser, request))),
      // "stop" is the only action that the contract lets through
      update: ({ params, request }) =>
        engine.stopBrowser(params.browser_id.toLowerCase()).pipe(
          Effect.flatMap((browser) => shown(browser, request)),
          // the address opens nothing any more
          Effect.map((browser) => ({ ...browser, cdpUrl: null })),
          Effect.catchTag("BrowserNotFound", () =>
            Effect.fail(new BrowserNotFoundError({ detail: "Browser not found" }))
          )
        )
    })
  })
)

/** The v4 operations over the engine. */
export const layer = Layer.mergeAll(runs, Events.layer, sessions, browsers)
