import { consoleApiPath, consolePath } from "@webagent/admin"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ErrorResponse from "../http/policy/ErrorResponse.ts"
import * as Hosts from "../http/policy/Hosts.ts"
import { pathOf } from "../http/policy/RequestPath.ts"
import { Nodes } from "../nodes/Nodes.ts"
import * as Signature from "../nodes/Signature.ts"
import * as Files from "./Files.ts"
import { headers, uncached } from "./Headers.ts"
import { isForeign } from "./Origins.ts"
import { ConsoleSettings } from "./Settings.ts"

/** The beginnings of addresses that can be the console's as the router reads them: `//console` and `/%63onsole` too. */
const canBeOurs = /^\/[c/%]/u

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/** True if a request's URL belongs to the console, as the router reads it. */
export const isOurs = (url: string): boolean => canBeOurs.test(url) && isWithin(pathOf(url), consolePath)

const foreign = ErrorResponse.make(403, "Only the console's own pages may send this request", uncached)

const readsOnly = ErrorResponse.make(405, "Method Not Allowed", { ...uncached, allow: "GET, HEAD" })

const closed = ErrorResponse.make(404, "This server was started without a console")

/** True for a person who opened the server's address in a browser, without the console's path. */
const isPersonAtRoot = ({ headers, method, url }: HttpServerRequest.HttpServerRequest): boolean =>
  url === "/" && method === "GET" && /\btext\/html\b/u.test(headers["accept"] ?? "")

const toConsole = HttpServerResponse.redirect(consolePath, { headers: { ...uncached, vary: "accept" } })

/**
 * Wraps an app: serves the console's files at `/console`, and guards its API at `/console/api`, which the app has. A browser
 * that opens `/` gets to the console.
 */
export const around = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.map(Effect.all([ConsoleSettings, Nodes]), ([{ access, folder = Files.defaultFolder }, nodes]) => {
    const files = Files.make(folder)
    /** True if another node sends the request on: it checked the page, and `NodeRouting` checks its signature. */
    const isForwarded = ({ headers }: HttpServerRequest.HttpServerRequest) =>
      nodes !== null && Signature.header in headers
    const respond = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, path: string) {
      if (isWithin(path, consoleApiPath) && isForwarded(request)) return yield* app
      // a page that points its own name at this machine has the same origin as the console
      const name = yield* Hosts.findRefusedHost
      if (name !== undefined) return ErrorResponse.make(403, Hosts.sentence(name), uncached)
      const isRead = request.method === "GET" || request.method === "HEAD"
      if (isWithin(path, consoleApiPath)) {
        if (yield* isForeign(request)) return foreign
        return HttpServerResponse.setHeaders(yield* app, uncached)
      }
      return isRead ? yield* files(request, path) : readsOnly
    })
    return Effect.withFiber<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest>(
      (fiber) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        // all other requests pass without another look
        if (!isOurs(request.url)) return access !== "off" && isPersonAtRoot(request) ? Effect.succeed(toConsole) : app
        if (access === "off") return Effect.succeed(closed)
        return Effect.map(respond(request, pathOf(request.url)), (response) =>
          HttpServerResponse.setHeaders(response, headers)
        )
      }
    )
  })
