import { AdminOperations } from "@webagent/admin"
import type * as Effect from "effect/Effect"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type * as Context from "effect/Context"
import * as LazyGroup from "../../api/LazyGroup.ts"
import { NodeRouting, place } from "../../api/Placement.ts"

const ofBrowser = { node: "ofBrowser", param: "browser_id" } as const

/** The operations of the admin API that this server has. */
const operations = place(AdminOperations, {
  runs: { create: { node: "withRoom", launches: "later" } },
  schedules: { run: { node: "withRoom", launches: "later" } },
  sessions: { purge: { node: "ofSessionFiles", param: "session_id" } },
  browsers: {
    get: ofBrowser,
    links: ofBrowser,
    control: ofBrowser,
    takeControl: ofBrowser,
    releaseControl: ofBrowser
  }
})

const routed = () => operations.middleware(NodeRouting)

/** The operations of the admin API, as their handlers see them: wherever they are mounted. */
export type Operations = ReturnType<typeof routed>

type Groups = Operations extends HttpApi.HttpApi<string, infer Groups> ? Groups : never

/** Makes the handlers of a group, wherever the operations are mounted. */
export const group =
  <
    const Identifier extends HttpApiGroup.Identifier<Groups>,
    Used extends Effect.Effect<unknown, unknown, unknown>,
    Made
  >(
    identifier: Identifier,
    build: (
      handlers: HttpApiBuilder.Handlers.FromGroup<HttpApiGroup.WithIdentifier<Groups, Identifier>>
    ) => Generator<Used, HttpApiBuilder.Handlers.ValidateReturn<Made>, never>
  ) =>
  (api: Operations) =>
    LazyGroup.make(api, identifier, build)

/**
 * The operations at a path, behind a check of the caller. The check runs at the node that handles the request, so
 * requests are routed first.
 */
export const mountedAt = <I extends HttpApiMiddleware.AnyId, S>(
  path: `/${string}`,
  auth: Context.Key<I, S>
): Operations => operations.prefix(path).middleware(auth).middleware(NodeRouting) as object as Operations
