import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { type Browser, Engine, LiveInput, type LiveView, LiveViews, type View, WebAddress } from "@webagent/engine"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { constTrue, memoize } from "effect/Function"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import type { Socket as NodeSocket } from "node:net"
import * as LazyGroup from "../../api/LazyGroup.ts"
import * as LinkOwners from "../../api/LinkOwners.ts"
import * as Links from "../../api/Links.ts"
import { LinkTokens } from "../../api/LinkTokens.ts"
import { originOf } from "../../api/Origin.ts"
import * as ErrorResponse from "../policy/ErrorResponse.ts"
import { limitMessages } from "../websocket/BytesWebSocket.ts"
import * as Upgrade from "../policy/Upgrade.ts"
import { awaitDrain } from "../websocket/Backpressure.ts"
import { closeReasons } from "../websocket/CloseReasons.ts"
import * as Hosts from "../policy/Hosts.ts"
import * as DriverTabs from "./DriverTabs.ts"
import { ServerApi } from "./ServerApi.ts"
import * as LivePage from "./LivePage.ts"
import * as LiveScript from "./LiveScript.ts"
import * as LiveViewers from "./LiveViewers.ts"
import * as TabMessages from "./TabMessages.ts"
import * as ViewerControl from "./ViewerControl.ts"

/** The most viewers of a browser at once. */
const mostViewers = 50

/** Interval at which viewers of a page that doesn't change learn who drives it. */
const driverEvery = "500 millis"

/** The largest message of a viewer with control, such as pasted text. */
const largestMessage_bytes = 64 * 1024

/** Close message for viewers whose browser is gone. */
const farewellOf = (reason: Browser.Browser["stopReason"]) => `${closeReasons[reason ?? "ended"]}.`

/** The reason why a link shows no browser. */
class NotShown extends Data.TaggedError("NotShown")<{ readonly status: 403 | 404 | 410; readonly reason: string }> {}

const unknown = "This link shows nothing. Check that it is complete."
const elsewhere = "This browser cannot be seen here."

const refusedAddress = "A browser opens only http and https addresses. Enter one such as example.com."

const decodeInput = Schema.decodeUnknownResult(Schema.fromJsonString(LiveInput))

/** Makes the message of a picture once for all viewers. */
const messageOf = memoize((picture: NonNullable<View["picture"]>): Uint8Array => {
  const message = Buffer.alloc(LiveScript.headerLength + picture.jpeg.length)
  message.writeDoubleBE(picture.at_ms, 1)
  message.set(picture.jpeg, LiveScript.headerLength)
  return message
})

/** The path and query of a link: the viewer's page may be reached by another host name. */
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

/** True if this server's page opens the socket. Clients other than browsers send no `Origin`. */
const isOwnPage = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<boolean> => {
  const { host, origin } = request.headers
  if (origin === undefined) return Effect.succeed(true)
  const page = URL.parse(origin)?.host
  return page !== undefined && page === host
    ? Effect.succeed(true)
    : Effect.map(originOf(request), (start) => page === URL.parse(start)?.host)
}

/** A viewer of a browser. */
interface Viewer {
  readonly id: string
  readonly access: "view" | "control" | "driver"
  /** The control that its link belongs to; null for the links of a browser, which don't end before it. */
  readonly controlId: string | null
  /** False while the person who has control drives in another tab. */
  readonly isDriving: () => boolean
  readonly owner: string | null
  readonly request: HttpServerRequest.HttpServerRequest
  readonly socket: Socket.Socket
  readonly view: LiveView
  readonly viewers: LiveViewers.Viewers
  readonly wire: NodeSocket
}

/** Sends the number of viewers and the tabs, each time that they change, to a viewer that asked for them. */
const makeDetails = <E>(
  { access, request, view, viewers }: Viewer,
  write: (text: string) => Effect.Effect<void, E>
) => {
  const isWanted = new URLSearchParams(request.url.split("?")[1]).has("details", "true")
  let tabs: View["tabs"] = []
  let sent = ""
  const send = Effect.suspend(() => {
    const isConcealed = access === "view" && view.isConcealed()
    const details = { viewers: viewers.count(), tabs: isConcealed ? [] : (tabs ?? []) } satisfies LiveScript.Details
    const text = JSON.stringify(details)
    if (!isWanted || text === sent) return Effect.void
    sent = text
    return write(text)
  })
  return {
    show: (next: View) => {
      tabs = next.tabs
      return send
    },
    follow: Stream.runForEach(viewers.changes, () => send)
  }
}

/** The page that shows a browser, and its socket. The token in the path is the secret, so neither takes a key. */
export const layer = LazyGroup.make(ServerApi, "live", function* (handlers) {
  const engine = yield* Engine
  const tokens = yield* LinkTokens
  const views = yield* LiveViews
  const owners = yield* LinkOwners.LinkOwners
  const linksOf = yield* Links.make
  const enter = LiveViewers.make(mostViewers)
  const enterDriver = yield* DriverTabs.make

  /** The browser of a request, and whether its link gives control. */
  const requested = Effect.gen(function* () {
    const host = yield* Hosts.findRefusedHost
    if (host !== undefined) return yield* new NotShown({ status: 403, reason: Hosts.sentence(host) })
    const { browser_id = "", token = "" } = yield* HttpRouter.params
    const id = browser_id.toLowerCase()
    const control = yield* engine.controlOf(id)
    const access = Links.accessOf(tokens, id, token, control?.id)
    const nothing = new NotShown({ status: 404, reason: unknown })
    if (access === undefined) return yield* nothing
    const { owner, status, stopReason } = yield* Effect.catchTag(engine.browser(id), "BrowserNotFound", () => nothing)
    if (!(yield* owners.mayOpen(owner))) {
      return yield* new NotShown({ status: 403, reason: `${LinkOwners.revokedSentence}.` })
    }
    if (status === "stopped") return yield* new NotShown({ status: 410, reason: farewellOf(stopReason) })
    if (views?.has(id) !== true) return yield* new NotShown({ status: 404, reason: elsewhere })
    const controlId = access === "driver" ? (control?.id ?? null) : null
    return { id, access, controlId, owner, open: views.open(id) }
  })

  const show = Effect.fnUntraced(function* (viewer: Viewer) {
    const { access, id, owner, request, socket, view, wire } = viewer
    const control = yield* ViewerControl.make({ ...viewer, engine, browserId: id })
    const { pull } = yield* socket.reader
    const { write } = yield* socket.writer
    const refuse = (reason: string) =>
      Effect.andThen(write(new Socket.CloseEvent(LiveScript.refusedCode, reason)), Effect.never)
    const receive = (frame: string | Uint8Array) => {
      if (access === "view") return refuse("This link is for viewing only")
      const input = decodeInput(typeof frame === "string" ? frame : Buffer.from(frame).toString("utf8"))
      if (Result.isFailure(input)) return refuse("The message is no input")
      return Effect.flatMap(control.takes(input.success), (isTaken) =>
        Effect.andThen(isTaken ? enter(input.success) : Effect.void, tell)
      )
    }
    const enter = (input: LiveInput) => {
      if (input._tag !== "Address") return view.input(input)
      const address = WebAddress.complete(input.address)
      return WebAddress.mayLoad(address)
        ? view.input({ ...input, address })
        : write(JSON.stringify({ refused: refusedAddress } satisfies LiveScript.Refused))
    }
    const inbound = Effect.forever(Effect.flatMap(pull, (frames) => Effect.forEach(frames, receive, { discard: true })))
    let picture: View["picture"] = null
    const details = makeDetails(viewer, write)
    let newest: View | undefined
    const isConcealed = () => access === "view" && view.isConcealed()
    const sendTab = TabMessages.make({ access, isConcealed, driver: control.driver, write })
    const tell = Effect.suspend(() => (newest === undefined ? Effect.void : sendTab(newest)))
    const outbound = Stream.runForEach(view.views, (next) =>
      Effect.gen(function* () {
        newest = next
        yield* sendTab(next)
        yield* details.show(next)
        if (next.picture !== null && next.picture !== picture && !isConcealed()) yield* write(messageOf(next.picture))
        picture = next.picture
        // a viewer that reads slowly skips views and gets the newest one
        yield* awaitDrain(wire)
      })
    )
    const changes = Effect.forever(Effect.andThen(Effect.sleep(driverEvery), tell))
    const farewell = Effect.flatMap(Effect.option(engine.browser(id)), (browser) => {
      const reason = Option.match(browser, {
        onNone: () => "ended" as const,
        onSome: ({ status, stopReason }) => (status === "stopped" ? (stopReason ?? "ended") : undefined)
      })
      // without a reason the browser still runs, and the page connects again
      return write(
        reason === undefined
          ? new Socket.CloseEvent(1012)
          : new Socket.CloseEvent(LiveScript.stoppedCode, farewellOf(reason))
      )
    })
    const steps = Stream.runForEach(engine.stepsIn(id), ({ address, beganAt_ms, ended, ordinal, picture, summary }) =>
      Effect.gen(function* () {
        const url = picture === null ? null : (yield* linksOf(request)).recording(picture)
        const step = {
          number: ordinal,
          summary,
          address: address ?? "",
          picture: url === null ? "" : pathOf(url),
          ...(ended === undefined ? {} : { failure: ended.failure, duration_ms: ended.at_ms - beganAt_ms })
        }
        yield* write(JSON.stringify(step satisfies LiveScript.Step))
        yield* awaitDrain(wire)
      })
    )
    const revoked = Effect.andThen(
      owners.revoked(owner),
      write(new Socket.CloseEvent(LiveScript.refusedCode, `${LinkOwners.revokedSentence}.`))
    )
    yield* Effect.raceAllFirst([
      revoked,
      inbound,
      changes,
      Effect.andThen(steps, Effect.never),
      Effect.andThen(details.follow, Effect.never),
      Effect.andThen(outbound, farewell)
    ])
  })

  const page = requested.pipe(
    Effect.as(HttpServerResponse.html(LivePage.live)),
    Effect.catchTag("NotShown", ({ reason, status }) =>
      Effect.succeed(HttpServerResponse.setStatus(HttpServerResponse.html(LivePage.over(reason)), status))
    ),
    Effect.map(HttpServerResponse.setHeaders(LivePage.headers))
  )

  const socket = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const browser = yield* requested
    if (!(yield* isOwnPage(request))) {
      return ErrorResponse.make(403, "Only the page of this link can open its socket")
    }
    if (!Upgrade.isWebSocket(request)) return Upgrade.required("This is a live view: connect with a WebSocket")
    const viewers = yield* enter(browser.id)
    if (viewers === undefined) {
      return ErrorResponse.make(429, `This browser has ${mostViewers} viewers already`, { "retry-after": "10" })
    }
    const isDriving = browser.controlId === null ? constTrue : yield* enterDriver(browser.id, browser.controlId)
    const view = yield* browser.open
    const wire = NodeHttpServerRequest.toIncomingMessage(request).socket
    limitMessages(wire, largestMessage_bytes)
    // the request asks for an upgrade, so only a bug of the listener can prevent it
    const socket = yield* Effect.orDie(request.upgrade)
    yield* Effect.ignore(show({ ...browser, isDriving, request, socket, view, viewers, wire }))
    return HttpServerResponse.empty()
  }).pipe(
    Effect.catchTags({
      NotShown: ({ reason, status }) => Effect.succeed(ErrorResponse.make(status, reason, LivePage.headers)),
      BrowserStopped: () => Effect.succeed(ErrorResponse.make(410, farewellOf("ended"), LivePage.headers))
    })
  )

  return handlers.handleAll({ page: () => page, socket: () => socket })
})
