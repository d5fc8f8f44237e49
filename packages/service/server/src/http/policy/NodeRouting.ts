import { BrowserQueue, type BrowserQueueLimits, type LaunchFailed, type Node } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Predicate from "effect/Predicate"
import { originOf } from "../../api/Origin.ts"
import { NodeRouting, Placement } from "../../api/Placement.ts"
import { isRefusal } from "../../api/Refusal.ts"
import { forwardedHeaders, IsFromNode, requestSender } from "../../api/TrustedProxies.ts"
import { Nodes, type NodesService } from "../../nodes/Nodes.ts"
import * as Signature from "../../nodes/Signature.ts"
import * as Tunnel from "../../nodes/Tunnel.ts"
import { closeReasons } from "../websocket/CloseReasons.ts"
import { BrowserQueueTimeout } from "./BrowserQueueTimeout.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as Hosts from "./Hosts.ts"
import { Counted } from "./KeyLimits.ts"
import * as RefusalResponse from "./RefusalResponse.ts"
import * as RequestFacts from "./RequestFacts.ts"
import { maxBodySize } from "./RequestValidation.ts"

type Response = HttpServerResponse.HttpServerResponse

const misdirected = ErrorResponse.make(421, "What this request is for is at another server. Send it again")

const unsigned = ErrorResponse.make(
  403,
  `The header ${Signature.header} is wrong, too old, or was used before. Only servers of this service send it`,
  { [Signature.header]: Signature.refused }
)

/** Refuses a late request. Only a node can have signed it, so the clock of a machine is wrong. */
const late = Effect.as(
  Effect.logWarning(
    "A request of another node is from more than 10 seconds ago or ahead, and was refused. Set the machines' clocks."
  ),
  unsigned
)

const later = (sentence: string) => ErrorResponse.make(503, sentence, { "retry-after": "1" })

const draining = later("This server is draining, and no other server can take this request. Try again later")

const notSent = later("The server that has this cannot be reached. Nothing was done: try again")

/** The answer to another node's create when this node has no room. */
const full = ErrorResponse.make(429, "All browsers are in use", { [Signature.header]: Signature.full })

const unknown = later(
  "The server that this was sent on to was lost. Try again with the same Idempotency-Key, or look before you do"
)

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const counters = {
  sent: counter("webagent_node_requests_total", "Requests and WebSockets that are for another node and were sent on"),
  failed: counter("webagent_node_requests_failed_total", "Requests without a response from another node")
}

/** The request with its client's address and origin in headers that the other node trusts, and without any others. */
const withSender = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(
    Effect.all([originOf(request), requestSender(request), RequestFacts.RequestFacts]),
    ([start, { address }, facts]) => {
      const { host, protocol } = new URL(start)
      const headers = Headers.setAll(Headers.removeMany(request.headers, forwardedHeaders), {
        ...(address === undefined ? {} : { "x-forwarded-for": address }),
        "x-forwarded-host": host,
        "x-forwarded-proto": protocol.slice(0, -1),
        // the log lines of both nodes have the same id
        ...(facts === null ? {} : { [RequestFacts.requestIdHeader]: facts.id })
      })
      // the request itself reads its body and keeps it: if that node has no room, another one or this one needs it
      return Object.create(request, {
        headers: { value: headers },
        arrayBuffer: { get: () => request.arrayBuffer }
      }) as HttpServerRequest.HttpServerRequest
    }
  )

/** Forwards a request; undefined if that fails before the request was sent. */
const sent = (request: HttpServerRequest.HttpServerRequest, node: Node, counted: boolean) =>
  Effect.andThen(
    Metric.update(counters.sent, 1),
    Effect.flatMap(withSender(request), (named) => Tunnel.forward(named, node, closeReasons.node_lost, counted))
  ).pipe(
    // the other node checks the key, so any client may send this
    Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodySize),
    Effect.catchTag("NodeUnreachable", ({ applied }) => {
      const { address, name } = node
      const warning =
        address === null
          ? `Node ${name} advertises no address, so no request can be sent on to it. Start it with --advertise URL.`
          : `Node ${name} does not respond at ${address}. Check the address that it advertises, and the network.`
      return Metric.update(counters.failed, 1).pipe(
        Effect.andThen(Effect.logWarning(warning)),
        Effect.as(applied === "no" ? undefined : unknown)
      )
    })
  )

/** Forwards a request to the node that has to handle it. A request whose body cannot be read is handled `here`. */
export const forward = <E, R>(node: Node | "silent", here: Effect.Effect<Response, E, R>) =>
  Effect.gen(function* () {
    if (node === "silent") return notSent
    const request = yield* HttpServerRequest.HttpServerRequest
    return (yield* Effect.catchTag(sent(request, node, false), "HttpServerError", () => here)) ?? notSent
  })

/** True if a draining node refuses a create: one that `launches` a browser, or any if no other node would start it. */
const refuses = ({ drain }: NodesService, launches: boolean) =>
  Effect.map(drain, ({ hasOthers, isDraining }) => isDraining && (launches || !hasOthers))

type Owned = Extract<Placement, { readonly param: string }>

/** Handles a request whose browser, files or session another node may have. */
const atOwner = <E, R>(
  nodes: NodesService,
  owner: Owned["node"],
  id: string,
  isHop: boolean,
  here: Effect.Effect<Response, E, R>
) =>
  Effect.gen(function* () {
    const node = yield* nodes[owner](id.toLowerCase())
    if (node === undefined) return owner === "ofSession" && (yield* refuses(nodes, false)) ? draining : yield* here
    const { method } = yield* HttpServerRequest.HttpServerRequest
    const isRead = method === "GET" || method === "HEAD"
    // this node responds to a request for a host name that is not allowed
    if (isRead && (yield* Hosts.findRefusedHost) !== undefined) return yield* here
    return isHop ? misdirected : yield* forward(node, here)
  })

/** Forwards a create to the first node with room; handles it `here` if there is none. */
const atNodeWithRoom = <E, R>(nodes: NodesService, here: Effect.Effect<Response, E, R>, isCounted: boolean) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    let counted = isCounted
    for (const node of yield* nodes.withRoom) {
      const response = yield* Effect.catchTag(sent(request, node, counted), "HttpServerError", () =>
        Effect.succeed("unread" as const)
      )
      if (response === undefined) continue
      // `here` refuses a request whose body cannot be read
      if (response === "unread") break
      if (response.headers[Signature.header] !== Signature.full) return response
      counted = true
    }
    return yield* Effect.provideService(here, Counted, counted)
  })

const isFailure = (reason: LaunchFailed["reason"]) => (error: unknown) =>
  isRefusal(error) && error._tag === "LaunchFailed" && error.reason === reason

/** The limits of a create whose request arrives now; null if this service refuses immediately without a free browser. */
const limitsNow = Effect.zipWith(BrowserQueueTimeout, Clock.currentTimeMillis, (within, since_ms) =>
  Duration.isZero(within) ? null : { since_ms, until_ms: since_ms + Duration.toMillis(within), waitsForRoom: false }
)

/** Lets a create wait here for a free browser; if it is movable, only until another node has room. */
const queued = <E, R>(
  here: Effect.Effect<Response, E, R>,
  limits: BrowserQueueLimits | null,
  isMovable?: BrowserQueueLimits["isMovable"]
) => Effect.provideService(here, BrowserQueue, limits && { ...limits, waitsForRoom: true, isMovable })

/** Handles a create at the first node with a free browser, for which it waits here in the meantime. */
const atFirstFreeNode = <E, R>(
  nodes: NodesService,
  here: Effect.Effect<Response, E, R>,
  limits: BrowserQueueLimits | null,
  isCounted: boolean
): ReturnType<typeof atNodeWithRoom<E, R>> => {
  const hasOthers = Effect.map(nodes.withRoom, (others) => others.length > 0)
  const waiting = queued(
    here,
    limits,
    Effect.orElseSucceed(hasOthers, () => false)
  )
  return Effect.catchIf(atNodeWithRoom(nodes, waiting, isCounted), isFailure("moved"), () =>
    atFirstFreeNode(nodes, here, limits, true)
  )
}

/** Handles a create that needs a browser at a node with room: this one if it has room, otherwise another. */
const withRoom = <E, R>(
  nodes: NodesService,
  launches: "immediately" | "later",
  isHop: boolean,
  here: Effect.Effect<Response, E, R>
) =>
  Effect.gen(function* () {
    const limits = yield* limitsNow
    const immediately = Effect.provideService(here, BrowserQueue, limits)
    if (isHop) return yield* Effect.catchIf(immediately, isFailure("full"), () => Effect.succeed(full))
    const hasRoom = yield* nodes.hasRoom
    // another node starts a stored run, but only this one could launch the browser
    if (!hasRoom && (yield* refuses(nodes, launches === "immediately")))
      return yield* atNodeWithRoom(nodes, Effect.succeed(draining), false)
    if (launches === "later") return yield* hasRoom ? here : atNodeWithRoom(nodes, here, false)
    if (!hasRoom) return yield* atFirstFreeNode(nodes, here, limits, false)
    return yield* Effect.catchIf(immediately, isFailure("full"), () => atFirstFreeNode(nodes, here, limits, true))
  })

const fromNode = Context.make(IsFromNode, true)
const fromNodeCounted = Context.add(fromNode, Counted, true)

/**
 * Checks whether another node forwarded a request, and runs `handle` if it may be handled here. A request makes one hop
 * at most: this node never forwards a forwarded request. The node that handles it checks keys and tokens.
 */
export const received = <E, R>(
  nodes: NodesService,
  handle: (isHop: boolean) => Effect.Effect<Response, E, R>
): Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const claim = yield* nodes.check(request, request.headers[Signature.header])
    switch (claim) {
      case "none":
        return yield* handle(false)
      case "late":
        return yield* late
      case "refused":
        return unsigned
      case "elsewhere":
        return misdirected
      case "right":
      case "counted":
        yield* RequestFacts.noteForwarded(request)
        return yield* Effect.provideContext(handle(true), claim === "counted" ? fromNodeCounted : fromNode)
    }
  })

/** Responds to the engine's refusals. */
export const respond = <E, R>(app: Effect.Effect<Response, E, R>) =>
  Effect.catchIf(app, isRefusal, (refusal) => Effect.succeed(RefusalResponse.make(refusal)))

/** The session that a field of the body names. The endpoint refuses a body that can't be read. */
const sessionIn = (field: string | undefined) =>
  field === undefined
    ? Effect.succeed(undefined)
    : Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ json }) => json).pipe(
        Effect.map((body) =>
          Predicate.hasProperty(body, field) && Predicate.isString(body[field]) ? body[field] : undefined
        ),
        Effect.orElseSucceed(() => undefined),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodySize)
      )

/** Handles each request of an endpoint where the endpoint's `Placement` says. */
export const layer: Layer.Layer<NodeRouting> = Layer.effect(
  NodeRouting,
  Effect.map(Nodes, (nodes) =>
    NodeRouting.of((httpEffect, { endpoint }) => {
      const placement = Context.get(endpoint.annotations, Placement)
      if (nodes === null) {
        const launches = placement?.node === "withRoom" && placement.launches === "immediately"
        return respond(launches ? Effect.flatMap(limitsNow, (limits) => queued(httpEffect, limits)) : httpEffect)
      }
      return respond(
        received(nodes, (isHop) => {
          if (placement === null) return httpEffect
          if (placement.node !== "withRoom") {
            return Effect.flatMap(HttpRouter.params, ({ [placement.param]: id = "" }) =>
              atOwner(nodes, placement.node, id, isHop, httpEffect)
            )
          }
          const { launches, unlessOf } = placement
          return Effect.flatMap(sessionIn(unlessOf), (id) =>
            id === undefined
              ? withRoom(nodes, launches, isHop, httpEffect)
              : atOwner(nodes, "ofSession", id, isHop, httpEffect)
          )
        })
      )
    })
  )
)
