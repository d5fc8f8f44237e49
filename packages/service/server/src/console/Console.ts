import { consoleApiPath, consolePath } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ErrorResponse from "../http/policy/ErrorResponse.ts"
import * as Hosts from "../http/policy/Hosts.ts"
import { pathOf } from "../http/policy/RequestPath.ts"
import * as Files from "./Files.ts"
import { headers, uncached } from "./Headers.ts"
import { isForeign } from "./Origins.ts"
import { ConsoleSettings } from "./Settings.ts"

/** The beginnings of addresses that can be the console's as the router reads them: `//console` and `/%63onsole` too. */
const canBeOurs = /^\/[c/%]/u

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

const foreign = ErrorResponse.make(403, "Only the console's own pages may send this request", uncached)

const readsOnly = ErrorResponse.make(405, "Method Not Allowed", { ...uncached, allow: "GET, HEAD" })

const closed = ErrorResponse.make(404, "This server was started without a console")

/** Wraps an app: serves the console's files at `/console`, and guards its API at `/console/api`, which the app has. */
export const around = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.map(ConsoleSettings, ({ access, folder = Files.defaultFolder }) => {
    const files = Files.make(folder)
    const respond = (request: HttpServerRequest.HttpServerRequest, path: string) =>
      Effect.gen(function* () {
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
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      // all other requests pass without another look
      if (!canBeOurs.test(request.url)) return yield* app
      const path = pathOf(request.url)
      if (!isWithin(path, consolePath)) return yield* app
      if (access === "off") return closed
      return HttpServerResponse.setHeaders(yield* respond(request, path), headers)
    })
  })
