import { V2Api } from "@webagent/contract/v2"
import { V3Api } from "@webagent/contract/v3"
import { V4Api } from "@webagent/contract/v4"
import { type ApiVersion, basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/** The path of the OpenAPI document of a version. */
export const openApiPath = (version: ApiVersion) => `${basePath[version]}/openapi.json` as const

/** The path of the docs page of a version. */
export const docsPath = (version: ApiVersion) => `${basePath[version]}/docs` as const

/** Document and page, made at the first request: most tests that start a server never ask for them. */
const version = <Id extends ApiVersion, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const path = docsPath(api.identifier)
  const scalar = { hideModels: false, withDefaultFonts: false }
  return HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const document = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api))))
      const page = yield* Effect.cached(
        Effect.promise(() => import("effect/http-api/HttpApiScalar")).pipe(
          Effect.flatMap(({ layer }) =>
            HttpRouter.toHttpEffect(layer(api.prefix(basePath[api.identifier]), { path, scalar }))
          ),
          Effect.provideService(Scope.Scope, yield* Effect.scope)
        )
      )
      yield* router.add("GET", openApiPath(api.identifier), document)
      yield* router.add("GET", path, Effect.orDie(Effect.flatten(page)))
    })
  )
}

/** `/api/vN/openapi.json`, which is the contract's, and `/api/vN/docs`, a page that loads nothing from elsewhere. */
export const layer = Layer.mergeAll(version(V2Api), version(V3Api), version(V4Api))
