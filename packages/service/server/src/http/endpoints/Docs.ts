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
import * as LazyGroup from "../../api/LazyGroup.ts"
import { docsPath, ServerApi } from "./ServerApi.ts"

/** The contract's document of a version, made at the first request: most tests that start a server never read it. */
const documentOf = <Id extends ApiVersion, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api))))

/** The page of a version, which loads nothing from elsewhere. */
const pageOf = Effect.fnUntraced(function* <Id extends ApiVersion, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) {
  const scalar = { hideModels: false, withDefaultFonts: false }
  const page = yield* Effect.cached(
    Effect.gen(function* () {
      const { layer } = yield* Effect.promise(() => import("effect/http-api/HttpApiScalar"))
      const router = yield* HttpRouter.make
      yield* layer(api.prefix(basePath[api.identifier]), { path: docsPath<ApiVersion>(api.identifier), scalar }).pipe(
        Layer.provide(Layer.succeed(HttpRouter.HttpRouter, router)),
        Layer.build
      )
      return router.asHttpEffect()
    }).pipe(Effect.provideService(Scope.Scope, yield* Effect.scope))
  )
  // the page has one route, which has no failure
  return Effect.orDie(Effect.flatten(page))
})

/** The OpenAPI documents and docs pages of the versions. */
export const layer = LazyGroup.make(ServerApi, "documents", function* (handlers) {
  const [v2, v3, v4] = yield* Effect.all([documentOf(V2Api), documentOf(V3Api), documentOf(V4Api)])
  const [v2Page, v3Page, v4Page] = yield* Effect.all([pageOf(V2Api), pageOf(V3Api), pageOf(V4Api)])
  return handlers.handleAll({
    v2: () => v2,
    v3: () => v3,
    v4: () => v4,
    v2Page: () => v2Page,
    v3Page: () => v3Page,
    v4Page: () => v4Page
  })
})
