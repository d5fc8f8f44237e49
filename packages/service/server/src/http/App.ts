import { adminPath, consoleApiPath } from "@webagent/admin"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as EventHub from "../api/EventHub.ts"
import * as V2 from "../api/v2/Handlers.ts"
import * as V3 from "../api/v3/Handlers.ts"
import * as V4 from "../api/v4/Handlers.ts"
import * as Console from "../console/Console.ts"
import { StartedAt } from "./admin/StartedAt.ts"
import * as SharedRuns from "./admin/SharedRuns.ts"
import * as AttachmentsEndpoint from "./endpoints/AttachmentsEndpoint.ts"
import * as CdpEndpoint from "./endpoints/CdpEndpoint.ts"
import * as Docs from "./endpoints/Docs.ts"
import * as FilesEndpoint from "./endpoints/FilesEndpoint.ts"
import * as FastReads from "./endpoints/FastReads.ts"
import type * as Identity from "./endpoints/Identity.ts"
import { ServerApi } from "./endpoints/ServerApi.ts"
import * as NodeRouting from "./policy/NodeRouting.ts"
import { pathOf, routerConfig } from "./policy/RequestPath.ts"
import * as Mount from "./Mount.ts"
import * as LiveEndpoint from "./endpoints/LiveEndpoint.ts"
import * as McpEndpoint from "./endpoints/McpEndpoint.ts"
import * as Monitoring from "./endpoints/Monitoring.ts"
import * as SessionLinks from "./endpoints/SessionLinks.ts"
import * as StepsEndpoint from "./endpoints/StepsEndpoint.ts"
import { Scheduler } from "../schedules/Scheduler.ts"
import { WebhookSender } from "../webhooks/Sender.ts"

/** An effect that responds to the current request. */
export type HttpApp<E = unknown, R = HttpServerRequest.HttpServerRequest | Scope.Scope> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R
>

const router = Mount.makeRouter([V2.Served, V3.Served, V4.Served, ServerApi, SharedRuns.Served], [McpEndpoint.mcpPath])

/** Every route except those of operators; needs an Engine, LinkTokens and the contract's two middlewares. */
const everyday = (about: Identity.About) =>
  Mount.mount(
    router,
    [
      Mount.handlers(V2.Served, V2.layer(V4.browsers)),
      Mount.handlers(V3.Served, V3.layer(V4.browsers)),
      Mount.handlers(V4.Served, V4.layer),
      Mount.handlers(
        ServerApi,
        Layer.mergeAll(
          AttachmentsEndpoint.layer,
          CdpEndpoint.layer,
          Docs.layer,
          FilesEndpoint.layer,
          LiveEndpoint.layer,
          Monitoring.layer(about),
          SessionLinks.layer,
          StepsEndpoint.layer
        )
      ),
      Mount.handlers(SharedRuns.Served, SharedRuns.layer)
    ],
    { [McpEndpoint.mcpPath]: McpEndpoint.make }
  )

/** The routes of operators, whose code is loaded with their first request. */
const operatorLayer = Layer.unwrap(Effect.promise(async () => (await import("./Operators.ts")).layer))

/** The beginnings of addresses that can be an operator's as the router reads them. */
const canBeOperators = /^\/[ac/%]/u

const isOperators = (url: string): boolean => {
  if (!canBeOperators.test(url)) return false
  const path = pathOf(url)
  return [adminPath, consoleApiPath].some((folder) => path === folder || path.startsWith(`${folder}/`))
}

/** The services that both kinds of routes use. */
const shared = Layer.mergeAll(NodeRouting.layer, EventHub.EventHub.layer, Scheduler.layer, WebhookSender.layer)

const routes = Effect.fnUntraced(
  function* (about: Identity.About) {
    const everydayApp = yield* everyday(about)
    const started = Effect.provideService(StartedAt, yield* Clock.currentTimeMillis)
    const operators = yield* Mount.lazily(started(HttpRouter.toHttpEffect(operatorLayer)))
    const app = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
      isOperators(url) ? Effect.flatten(operators) : everydayApp
    )
    const all: HttpApp = yield* Console.around(yield* FastReads.before(app))
    return all
  },
  Effect.provideService(HttpRouter.RouterConfig, routerConfig)
)

/**
 * Runs an effect that handles requests on services to which each request can add its own. By default, a context is
 * copied after eight additions, and each request adds more than eight to the hundred that a server has.
 */
export const forRequests = <A, E, R>(handling: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(handling, (services: Context.Context<R>): Context.Context<R> =>
    Context.makeUnsafe(new Map(services.mapUnsafe), { maxDepth: 24 })
  )

/**
 * The whole app as one effect that responds to the current request, with or without a socket. The routes of operators
 * are made with their first request: most simulated services get none, and tests make thousands of services.
 */
export const make = (about: Identity.About = {}) =>
  Effect.flatMap(Layer.build(shared), (context) => Effect.provideContext(routes(about), context))
