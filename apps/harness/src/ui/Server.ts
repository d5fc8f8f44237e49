import { HarnessApi, uiApiPath, uiPath, uiSocketPath } from "@webagent/harness-api"
import { ConsoleFiles, ConsoleHeaders, ErrorResponse, pathOf, RequestValidation } from "@webagent/server"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Feed from "./Feed.ts"
import { Guard, isForeign, isOwnHost, mayUse, sessionPath } from "./Guard.ts"
import * as Handlers from "./Handlers.ts"
import * as Screens from "../page/Screens.ts"

const { headers, uncached } = ConsoleHeaders

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

const refuse = (status: number, detail: string) => ErrorResponse.make(status, detail, uncached)

const foreignHost = refuse(403, "Open this page at 127.0.0.1, with the address that the command printed.")

const foreignPage = refuse(403, "Only the page of this command may send this request.")

const signedOut = refuse(401, "This page has no session. Open the address that the command printed.")

const readsOnly = ErrorResponse.make(405, "Method Not Allowed", { ...uncached, allow: "GET, HEAD" })

const unbuilt = refuse(503, Screens.unbuiltSentence)

const noSocket = ErrorResponse.make(426, "Connect with a WebSocket.", { connection: "Upgrade", upgrade: "websocket" })

/** Downloads of a run's files: a browser must show none of them as a page of this origin. */
const download = { "content-disposition": "attachment" }

/** The app: pages at `/ui`, the API and its WebSocket below, and nothing else. */
export const make = Effect.fnUntraced(function* (options: Handlers.HandlersOptions, folder = Screens.served) {
  const guard = yield* Guard
  const api = yield* HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(HarnessApi).pipe(
      Layer.provide(Handlers.layer(options)),
      Layer.provide(RequestValidation.layer)
    )
  )
  const files = ConsoleFiles.make(folder, uiPath)
  const serve = Feed.serve(options, yield* FileSystem.FileSystem)

  const ofApi = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, path: string) {
    if (isForeign(request)) return foreignPage
    if (path !== sessionPath && !mayUse(request, guard)) return signedOut
    if (path !== uiSocketPath) return HttpServerResponse.setHeaders(yield* api, uncached)
    if (request.headers["upgrade"]?.toLowerCase() !== "websocket") return noSocket
    yield* Effect.ignore(serve(request))
    return HttpServerResponse.empty()
  })

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const path = pathOf(request.url)
    const respond = Effect.gen(function* () {
      if (!isOwnHost(request.headers["host"], guard)) return foreignHost
      if (isWithin(path, uiApiPath)) return yield* ofApi(request, path)
      if (request.method !== "GET" && request.method !== "HEAD") return readsOnly
      // relative links of the page need the slash
      if (path === "/" || path === uiPath) return HttpServerResponse.redirect(`${uiPath}/`, { status: 302 })
      if (isWithin(path, uiPath)) {
        const file = yield* files(request, path)
        return file.status === 503 ? unbuilt : file
      }
      return refuse(404, `There is nothing here. Open ${uiPath}/.`)
    })
    const response = HttpServerResponse.setHeaders(yield* respond, headers)
    return /^\/ui\/api\/runs\/[^/]+\/files\//u.test(path) ? HttpServerResponse.setHeaders(response, download) : response
  })
})
