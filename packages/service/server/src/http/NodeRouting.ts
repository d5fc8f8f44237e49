import { basePath, operations } from "@webagent/contract/Wire"
import { LaunchFailed, type Node } from "@webagent/engine"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import { livePath, recordingPath } from "../api/Links.ts"
import { originOf } from "../api/Origin.ts"
import { forwardedHeaders, IsFromNode, requestSender } from "../api/TrustedProxies.ts"
import { cdpPath } from "../api/v4/Conversion.ts"
import { sessionHeader } from "../mcp/Sessions.ts"
import { Nodes, type NodesService } from "../nodes/Nodes.ts"
import * as Signature from "../nodes/Signature.ts"
import * as Tunnel from "../nodes/Tunnel.ts"
import * as ErrorResponse from "./policy/ErrorResponse.ts"
import { Counted } from "./policy/KeyLimits.ts"
import { closeReasons } from "./websocket/CloseReasons.ts"
import * as Hosts from "./policy/Hosts.ts"
import { mcpPath } from "./endpoints/McpEndpoint.ts"
import { pathOf } from "./policy/RequestPath.ts"
import * as RequestFacts from "./policy/RequestFacts.ts"
import { maxBodySize } from "./policy/RequestValidation.ts"

const id = "([^/]+)"

const at = (path: string) => new RegExp(`^${path}$`, "u")

/** The path of an operation of v4, whose parameter is the id. */
const v4Path = (operation: keyof typeof operations.v4) =>
  `${basePath.v4}${operations.v4[operation].path.replace(/\{\w+\}/u, id)}`

/** The requests that only one node can answer, and how to find that node. */
const owned = [
  { method: "GET", pattern: at(`${cdpPath(id)}(?:/.*)?`), owner: "ofBrowser" },
  { method: "GET", pattern: at(`${livePath(id)}/.*`), owner: "ofBrowser" },
  { method: "PATCH", pattern: at(v4Path("updateBrowser")), owner: "ofBrowser" },
  { method: "GET", pattern: at(`${recordingPath(id)}(?:/.*)?`), owner: "ofFiles" },
  { method: "POST", pattern: at(v4Path("queueMessage")), owner: "ofSession" }
] as const

const createBrowserPath = v4Path("createBrowser")

/** The creates that need a browser, now or when their run starts. */
const creates = new Set([createBrowserPath, v4Path("createRun"), `${basePath.v3}${operations.v3.createSession.path}`])

const misdirected = ErrorResponse.make(421, "What this request is for is at another server. Send it again")

const unsigned = ErrorResponse.make(
  403,
  `The header ${Signature.header} is wrong, too old, or was used before. Only servers of this service send it`,
  { [Signature.header]: Signature.refused }
)

/** Refuses a late request. Only a node can have signed it, so the clock of a machine is wrong. */
const late = Effect.as(
  Effect.logWarning(
    "A request of another node is from more than 10 seconds ago or ahead, and was refused. Set the clocks of the machines."
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
  failed: counter("webagent_node_requests_failed_total", "Requests that another node did not answer")
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
      // `modify` would make a request that does not have the body that was read already
      return Object.create(request, { headers: { value: headers } }) as HttpServerRequest.HttpServerRequest
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
          : `Node ${name} does not answer at ${address}. Check the address that it advertises, and the network.`
      return Metric.update(counters.failed, 1).pipe(
        Effect.andThen(Effect.logWarning(warning)),
        Effect.as(applied === "no" ? undefined : unknown)
      )
    })
  )

const isFull = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return error instanceof LaunchFailed && error.reason === "full"
}

/** True if a draining node refuses a create: one that `needsIt`, or any if no other node would start it. */
const refuses = (drain: NodesService["drain"], needsIt: boolean) =>
  Effect.map(Effect.orDie(drain), ({ hasOthers, isDraining }) => isDraining && (needsIt || !hasOthers))

/** The MCP session id that clients get: the start of its node, then the id of the session there. */
const sessionId = /^(?<start>[^.]+)\.(?<id>[^.]+)$/u

/** Answers an MCP request at this node. */
const ofMcp = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>, start: string, id?: string) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const here =
      id === undefined ? request : request.modify({ headers: Headers.set(request.headers, sessionHeader, id) })
    const response = yield* Effect.provideService(app, HttpServerRequest.HttpServerRequest, here)
    yield* HttpEffect.appendPreResponseHandler((_, response) => {
      const opened = response.headers[sessionHeader]
      return Effect.succeed(
        opened === undefined ? response : HttpServerResponse.setHeader(response, sessionHeader, `${start}.${opened}`)
      )
    })
    return response
  })

/**
 * Forwards requests that another node has to answer, and creates that find no room here. A request makes one hop at
 * most: this node never forwards what another node forwarded. The node that answers checks keys and tokens.
 */
export const routed = <E, R>(
  served: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest | Scope.Scope> =>
  Effect.gen(function* () {
    const nodes = yield* Nodes
    if (nodes === null) return yield* served
    const request = yield* HttpServerRequest.HttpServerRequest
    const claim = yield* nodes.check(request, request.headers[Signature.header])
    if (claim === "late") return yield* late
    if (claim === "refused") return unsigned
    if (claim === "elsewhere") return misdirected
    const isHop = claim !== "none"
    if (isHop) yield* RequestFacts.noteForwarded(request)
    const app = isHop ? Effect.provideService(served, IsFromNode, true) : served
    const answered = claim === "counted" ? Effect.provideService(app, Counted, true) : app
    const path = pathOf(request.url)
    const asked = request.method === "HEAD" ? "GET" : request.method

    for (const { method, owner, pattern } of owned) {
      const found = asked === method ? pattern.exec(path)?.[1] : undefined
      if (found === undefined) continue
      const node = yield* Effect.orDie(nodes[owner](found.toLowerCase()))
      // this node answers a request to a host name that is not allowed
      const isRefused = asked === "GET" && (yield* Hosts.findRefusedHost) !== undefined
      if (owner === "ofSession" && node === undefined && (yield* refuses(nodes.drain, false))) return draining
      if (node === undefined || isRefused) return yield* app
      if (isHop) return misdirected
      if (node === "silent") return notSent
      // the app answers a request whose body cannot be read
      return (yield* Effect.catchTag(sent(request, node, false), "HttpServerError", () => app)) ?? notSent
    }
    if (path === mcpPath) {
      const { id, start = nodes.start } = sessionId.exec(request.headers[sessionHeader] ?? "")?.groups ?? {}
      if (start === nodes.start) return yield* ofMcp(app, start, id)
      const owner = isHop ? undefined : yield* Effect.orDie(nodes.withStart(start))
      if (owner === undefined) return yield* app
      if (owner === "silent") return notSent
      return (yield* Effect.catchTag(sent(request, owner, false), "HttpServerError", () => app)) ?? notSent
    }
    if (request.method !== "POST" || !creates.has(path)) return yield* app

    /** The answer of another node with room, else of this node. */
    const elsewhere = (here: typeof app, isCounted: boolean) =>
      Effect.gen(function* () {
        let counted = isCounted
        for (const node of yield* Effect.orDie(nodes.withRoom)) {
          const answer = yield* Effect.catchTag(sent(request, node, counted), "HttpServerError", () =>
            Effect.succeed("unread" as const)
          )
          if (answer === undefined) continue
          // the app answers a request whose body cannot be read
          if (answer === "unread") break
          if (answer.headers[Signature.header] !== Signature.full) return answer
          counted = true
        }
        return yield* Effect.provideService(here, Counted, counted)
      })
    if (!isHop && !(yield* Effect.orDie(nodes.hasRoom))) {
      // another node starts a stored run, but only this one could launch the browser
      const isRefused = yield* refuses(nodes.drain, path === createBrowserPath)
      return yield* elsewhere(isRefused ? Effect.succeed(draining) : app, false)
    }
    return yield* Effect.catchCause(answered, (cause) => {
      if (!isFull(cause)) return Effect.failCause(cause)
      return isHop ? Effect.succeed(full) : elsewhere(Effect.failCause(cause), true)
    })
  })
