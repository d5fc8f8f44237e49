import { ControlApi, controlPath } from "@webagent/control"
import { ErrorHandler } from "@webagent/server"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"

/** Path of the control API's OpenAPI document, which needs no key. */
export const openApiPath = `${controlPath}/openapi.json` as const

const DocumentApi = HttpApi.make("document").add(
  HttpApiGroup.make("document").add(HttpApiEndpoint.get("openApi", openApiPath))
)

/** The OpenAPI document, made when it is first asked for. */
export const document = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const made = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(ControlApi))))
    yield* router.add("GET", openApiPath, made)
  })
)

/** Responds to requests without a route, and to bugs. */
export const unrouted = ErrorHandler.layer(
  [ControlApi, DocumentApi],
  `Not found. The control API is described at ${openApiPath}.`
)
