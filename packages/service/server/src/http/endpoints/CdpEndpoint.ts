import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import type { Socket as NodeSocket } from "node:net"
import * as LazyGroup from "../../api/LazyGroup.ts"
import * as LinkOwners from "../../api/LinkOwners.ts"
import { linkTo } from "../../api/Links.ts"
import { LinkTokens } from "../../api/LinkTokens.ts"
import { originOf } from "../../api/Origin.ts"
import { cdpPath } from "../../api/v4/Conversion.ts"
import { Nodes } from "../../nodes/Nodes.ts"
import {
  BrowserNotFound,
  type BrowserStopped,
  type CdpMessage,
  type CdpTransport,
  type ConnectionEnd,
  Engine,
  type StoreUnavailable
} from "@webagent/engine"
import * as ErrorResponse from "../policy/ErrorResponse.ts"
import { relayMessages } from "../websocket/BytesWebSocket.ts"
import { relay } from "../websocket/CdpRelay.ts"
import { ServerApi } from "./ServerApi.ts"
import * as ConnectionLimit from "../websocket/ConnectionLimit.ts"
import { closeReasons } from "../websocket/CloseReasons.ts"
import * as Upgrade from "../policy/Upgrade.ts"
import * as Hosts from "../policy/Hosts.ts"

/** The WebSocket close code that tells a client that its browser was stopped. */
const stoppedCode = 4001

/** The WebSocket close code after `Browser.close`: all went well. */
const closedCode = 1000

/** Converts the reason why a connection closed with its browser to the reason why the browser stopped. */
const reasonOf = (how: Exclude<ConnectionEnd, "closed" | "dropped">) => (how === "stopped" ? "asked" : how)

/** Waits for the client to leave. Its messages go elsewhere, so its reader reports nothing else. */
const left = (socket: Socket.Socket) => Effect.ignore(Effect.flatMap(socket.reader, ({ pull }) => pull))

/** Waits up to 1 s for a partly sent message to finish. */
const whole = ({ frames }: CdpTransport) =>
  Effect.repeat(Effect.void, {
    schedule: Schedule.spaced("10 millis"),
    while: () => frames?.areWhole() === false,
    times: 100
  })

/** Says why its connection ends. */
const farewell = Effect.fnUntraced(function* (
  socket: Socket.Socket,
  how: Exclude<ConnectionEnd, "dropped"> | "revoked"
) {
  const { write } = yield* socket.writer
  if (how === "revoked") return yield* write(new Socket.CloseEvent(revokedCode, LinkOwners.revokedSentence))
  yield* write(
    how === "closed"
      ? new Socket.CloseEvent(closedCode)
      : new Socket.CloseEvent(stoppedCode, closeReasons[reasonOf(how)])
  )
})

/** Event of a CDP connection. */
export type ConnectionEvent = "connected" | "refused" | "left" | "stopped" | "dropped"

interface CdpObserverService {
  /** `socket` is the client's; without one no connection was made. */
  readonly observe: (browserId: string, event: ConnectionEvent, socket?: NodeSocket) => Effect.Effect<void>
}

/** Observes CDP connections to browsers; does nothing unless a layer replaces it. */
export const CdpObserver: Context.Reference<CdpObserverService> = Context.Reference("@webagent/server/CdpObserver", {
  defaultValue: (): CdpObserverService => ({ observe: () => Effect.void })
})

const eventOf = (how: ConnectionEnd | "left" | "revoked"): ConnectionEvent => {
  if (how === "revoked") return "stopped"
  if (how === "dropped" || how === "left") return how
  return how === "closed" ? "left" : "stopped"
}

/** The WebSocket close code for a client whose link doesn't open any more. */
const revokedCode = 1008

/** The API key of the browser's owner was revoked. */
class KeyRevoked extends Data.TaggedError("KeyRevoked")<{ readonly id: string }> {}

/** A browser has no such page. */
class PageNotFound extends Data.TaggedError("PageNotFound")<{ readonly targetId: string }> {}

/** Maximum number of concurrent clients of a browser. */
const mostClients = 16

const tooMany = ErrorResponse.make(429, `This browser has ${mostClients} clients already`, { "retry-after": "1" })

/** Time limit for a browser's response to a request of the server. */
const answersWithin_s = 5

const text = new TextDecoder()

/** Asks a browser one thing. */
const ask = Effect.fnUntraced(function* (transport: CdpTransport, method: string) {
  const response = Effect.callback<CdpMessage>((resume) => {
    transport.receive({ onMessage: (message) => resume(Effect.succeed(message)), onDrain: () => undefined })
    transport.send(JSON.stringify({ id: 1, method }))
  })
  const message = yield* Effect.raceFirst(response, Effect.as(transport.ended, "{}"))
  const { result = {} }: { readonly result?: Readonly<Record<string, unknown>> } = JSON.parse(
    typeof message === "string" ? message : text.decode(message)
  )
  return result
})

/** A browser's answer at `/json/version`. */
const versionOf = (transport: CdpTransport, addressOf: (path: string) => string) =>
  Effect.map(ask(transport, "Browser.getVersion"), (version) => ({
    Browser: version["product"],
    "Protocol-Version": version["protocolVersion"],
    "User-Agent": version["userAgent"],
    "V8-Version": version["jsVersion"],
    webSocketDebuggerUrl: addressOf("")
  }))

const Targets = Schema.Struct({ targetInfos: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })

/** The pages of a browser. */
const pagesOf = (transport: CdpTransport) =>
  Effect.map(ask(transport, "Target.getTargets"), (targets) =>
    Schema.is(Targets)(targets) ? targets.targetInfos.filter(({ type }) => type === "page") : []
  )

/** A browser's list of its pages, as at `/json/list`. */
const listOf = (transport: CdpTransport, addressOf: (path: string) => string) =>
  Effect.map(pagesOf(transport), (pages) =>
    pages.map(({ targetId, title, type, url }) => ({
      description: "",
      id: targetId,
      title,
      type,
      url,
      webSocketDebuggerUrl: addressOf(`/devtools/page/${String(targetId)}`)
    }))
  )

/**
 * A browser's CDP endpoint, and under it the discovery for libraries that get an HTTP address. It takes no key: a CDP
 * library gets only a URL, so the token in the URL is the secret, and a request without it gets the answer of an
 * unknown browser. A browser runs on when its client leaves. A web page must never drive a browser, so a request with
 * the header `Origin` is refused.
 */
export const layer = LazyGroup.make(ServerApi, "cdp", function* (handlers) {
  const engine = yield* Engine
  const tokens = yield* LinkTokens
  const { observe } = yield* CdpObserver
  const nodes = yield* Nodes
  const owners = yield* LinkOwners.LinkOwners
  const enter = ConnectionLimit.make(mostClients)

  /** Its id becomes a part of a path, so it has to be one of the browser's own. */
  const hasPage = (id: string, page: string) =>
    Effect.gen(function* () {
      const pages = yield* pagesOf(yield* engine.connectBrowser(id))
      if (!pages.some(({ targetId }) => targetId === page)) return yield* new PageNotFound({ targetId: page })
    }).pipe(
      Effect.scoped,
      Effect.timeoutOrElse({
        duration: `${answersWithin_s} seconds`,
        orElse: () => Effect.fail(new PageNotFound({ targetId: page }))
      })
    )

  const requested = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { browser_id = "", target_id } = yield* HttpRouter.params
    const id = browser_id.toLowerCase()
    const { token } = yield* HttpServerRequest.ParsedSearchParams
    const connect = Effect.gen(function* () {
      if (!tokens.opens(cdpPath(id), token)) return yield* new BrowserNotFound({ id })
      const { owner } = yield* engine.browser(id)
      if (!(yield* owners.mayOpen(owner))) return yield* new KeyRevoked({ id })
      if (target_id !== undefined) yield* hasPage(id, target_id)
      return { owner, transport: yield* engine.connectBrowser(id, target_id) }
    })
    return { request, id, connect }
  })

  const gone = (id: string) =>
    Effect.map(Effect.option(engine.browser(id)), (browser) => {
      const { status, stopReason } = Option.getOrUndefined(browser) ?? {}
      // an active browser that no node has: its node is lost
      const reason = status === "active" && nodes !== null ? "node_lost" : (stopReason ?? "asked")
      return ErrorResponse.make(410, reason === "asked" ? "Browser is stopped" : closeReasons[reason])
    })

  type Refused = BrowserNotFound | BrowserStopped | KeyRevoked | PageNotFound | StoreUnavailable
  const refusals = <R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, Refused, R>) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      if (headers["origin"] !== undefined) return ErrorResponse.make(403, "Web pages cannot use a CDP endpoint")
      return yield* answer
    }).pipe(
      Hosts.checked,
      Effect.catchTags({
        BrowserNotFound: () => Effect.succeed(ErrorResponse.make(404, "Browser not found")),
        KeyRevoked: () => Effect.succeed(ErrorResponse.make(403, LinkOwners.revokedSentence)),
        PageNotFound: () => Effect.succeed(ErrorResponse.make(404, "Page not found")),
        BrowserStopped: ({ id }) => gone(id)
      })
    )

  const connected = Effect.gen(function* () {
    const { id, connect, request } = yield* requested
    const isWebSocket = Upgrade.isWebSocket(request)
    const { owner, transport } = yield* Effect.tapError(connect, () =>
      isWebSocket ? observe(id, "refused") : Effect.void
    )
    if (!isWebSocket) return Upgrade.required("This is a CDP endpoint: connect with a WebSocket")
    if (!(yield* enter(id))) {
      yield* observe(id, "refused")
      return tooMany
    }
    const wire = NodeHttpServerRequest.toIncomingMessage(request).socket
    relayMessages(wire, relay(wire, transport))
    // the request asks for an upgrade, so only a bug of the listener can prevent it
    const socket = yield* Effect.orDie(request.upgrade)
    yield* observe(id, "connected", wire)
    const how = yield* Effect.onInterrupt(
      Effect.raceAllFirst([
        Effect.as(left(socket), "left" as const),
        transport.ended,
        Effect.as(owners.revoked(owner), "revoked" as const)
      ]),
      () => observe(id, "left", wire)
    )
    yield* observe(id, eventOf(how), wire)
    if (how === "dropped") wire.resetAndDestroy()
    else if (how !== "left") yield* Effect.ignore(Effect.andThen(whole(transport), farewell(socket, how)))

    return HttpServerResponse.empty()
  }).pipe(refusals)

  const discovery = (what: (transport: CdpTransport, addressOf: (path: string) => string) => Effect.Effect<unknown>) =>
    Effect.gen(function* () {
      const { id, connect, request } = yield* requested
      const { transport } = yield* connect
      if (!(yield* enter(id))) return tooMany
      const address = new URL(linkTo(tokens, yield* originOf(request))(cdpPath(id)).replace(/^http/u, "ws"))
      const body = yield* what(transport, (path) => `${address.origin}${address.pathname}${path}${address.search}`)
      return HttpServerResponse.jsonUnsafe(body, { headers: { "cache-control": "no-store" } })
    }).pipe(
      // its connection is over before its client, told where to connect, takes the place
      Effect.scoped,
      Effect.timeoutOrElse({
        duration: `${answersWithin_s} seconds`,
        orElse: () =>
          Effect.succeed(ErrorResponse.make(504, `The browser did not respond within ${answersWithin_s} seconds`))
      }),
      refusals
    )
  const list = discovery(listOf)
  const version = discovery(versionOf)
  return handlers.handleAll({
    browser: () => connected,
    page: () => connected,
    pages: () => list,
    list: () => list,
    listSlash: () => list,
    version: () => version,
    versionSlash: () => version
  })
})
