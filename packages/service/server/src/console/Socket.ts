import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { SocketRequest } from "@webagent/admin"
import { Engine, Owner } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as LazyGroup from "../api/LazyGroup.ts"
import { Caller } from "../api/Caller.ts"
import type { LiveEventView, LiveRequest } from "../http/admin/LiveEvents.ts"
import * as ApiKeyAuth from "../http/policy/ApiKeyAuth.ts"
import * as ErrorResponse from "../http/policy/ErrorResponse.ts"
import * as Upgrade from "../http/policy/Upgrade.ts"
import { awaitDrain } from "../http/websocket/Backpressure.ts"
import { limitMessages } from "../http/websocket/BytesWebSocket.ts"
import type { makeFind } from "./ConsoleAuth.ts"
import type { ConsoleExtensionService } from "./Extension.ts"
import * as Pictures from "./Pictures.ts"
import { Served } from "./SignIn.ts"

/** The largest message of a page: a hundred ids of browsers. */
const largestMessage_bytes = 32 * 1024

/** Time after which a browser without pictures is looked for again: it starts, or its node was cut off. */
const castPause = "2 seconds"

/** Time between two checks of the session. */
const checkPause = "15 seconds"

/** Close code for a page whose session is over: it shows the sign-in. */
const signedOutCode = 4401

/** Close code for a page that sends anything else than its requests. */
const refusedCode = 1008

const decodeRequest = Schema.decodeUnknownResult(Schema.fromJsonString(SocketRequest))

/** Sockets are real, even if the clock of the service is simulated. */
const realClock = Clock.Clock.defaultValue()

/** A frame of a picture: the length of the id, the id, and the JPEG. */
const frameOf = (id: string, jpeg: Uint8Array): Uint8Array => {
  const name = Buffer.from(id.slice(0, 200), "utf8")
  return Buffer.concat([Buffer.of(name.length), name, jpeg])
}

/** The parts of the console that the socket uses. */
interface SocketOptions {
  readonly find: ReturnType<typeof makeFind>
  /** Streams the changes that the caller may see. */
  readonly feed: (request: LiveRequest) => Stream.Stream<LiveEventView, unknown>
  /** Events of the program behind the console. */
  readonly more: ConsoleExtensionService["events"]
}

interface Connection {
  readonly caller: Caller
  readonly request: HttpServerRequest.HttpServerRequest
}

/** The one WebSocket of a tab: changes of records and pictures of browsers. */
export const layer = ({ feed, find, more }: SocketOptions) =>
  LazyGroup.make(Served, "socket", function* (handlers) {
    const engine = yield* Engine
    const pictures = yield* Pictures.make

    /** Fails for a browser of another key: an id is no permission. */
    const allowed = (caller: Caller, id: string) =>
      caller.isAdmin ? Effect.void : Effect.provideService(engine.browser(id), Owner, caller.owner)

    const serve = Effect.fnUntraced(function* ({ caller, request }: Connection) {
      const wire = NodeHttpServerRequest.toIncomingMessage(request).socket
      limitMessages(wire, largestMessage_bytes)
      const socket = yield* Effect.orDie(request.upgrade)
      const { pull } = yield* socket.reader
      const { write } = yield* socket.writer
      const wanted = yield* Queue.sliding<SocketRequest>(1)
      const casts = yield* FiberMap.make<string>()
      const begun = Deferred.makeUnsafe<void>()
      let position: string | null = null

      const send = (events: ReadonlyArray<LiveEventView>) => {
        position = events.at(-1)?.id ?? position
        Deferred.doneUnsafe(begun, Exit.void)
        return Effect.andThen(write(JSON.stringify(events)), awaitDrain(wire))
      }

      /** Sends an event that has no position of its own: it repeats the page's. */
      const share = (event: Omit<LiveEventView, "id">) => Effect.suspend(() => send([{ id: position ?? "", ...event }]))

      const receive = (frame: string | Uint8Array) => {
        const text = typeof frame === "string" ? frame : Buffer.from(frame).toString("utf8")
        const decoded = decodeRequest(text)
        return Result.isFailure(decoded)
          ? Effect.andThen(write(new Socket.CloseEvent(refusedCode, "This is no request")), Effect.never)
          : Queue.offer(wanted, decoded.success)
      }
      const inbound = Effect.forever(
        Effect.flatMap(pull, (frames) => Effect.forEach(frames, receive, { discard: true }))
      )

      const show = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const shown = new Set(ids)
        for (const [id] of casts) if (!shown.has(id)) yield* FiberMap.remove(casts, id)
        for (const id of shown) {
          const drawn = Stream.runForEach(pictures.of(id, request), (jpeg) =>
            Effect.andThen(write(frameOf(id, jpeg)), awaitDrain(wire))
          )
          const cast = Effect.repeat(
            Effect.ignore(Effect.scoped(Effect.andThen(allowed(caller, id), drawn))),
            Schedule.spaced(castPause)
          )
          yield* FiberMap.run(casts, id, cast, { onlyIfMissing: true })
        }
      })

      /** Sends the changes for the newest request; another run begins again from the same position. */
      const follow = Effect.fnUntraced(function* () {
        let run: string | null | undefined
        const following = yield* FiberMap.make<"feed">()
        yield* Effect.forever(
          Effect.gen(function* () {
            const request = yield* Queue.take(wanted)
            yield* show(request.pictures)
            if (run === request.run) return
            run = request.run
            const events = feed({ after: position ?? request.after, run })
            yield* FiberMap.run(
              following,
              "feed",
              events.pipe(
                Stream.groupedWithin(500, "50 millis"),
                Stream.runForEach(send),
                Effect.provideService(Owner, caller.isAdmin ? null : caller.owner),
                Effect.provideService(Caller, caller),
                // a request for another run interrupts this one and keeps the connection
                Effect.onExit((exit) =>
                  Exit.hasInterrupts(exit) ? Effect.void : Effect.ignore(write(new Socket.CloseEvent(1012)))
                )
              )
            )
          })
        )
      })

      const check = Effect.gen(function* () {
        // an open page is no use: the session can be idle meanwhile
        const isSignedIn = yield* find(request, false).pipe(
          Effect.map((one) => one !== undefined),
          // while the store is unavailable, the page stays connected
          Effect.orElseSucceed(() => true)
        )
        if (isSignedIn) return
        yield* write(new Socket.CloseEvent(signedOutCode, "The session is over"))
        return yield* Effect.never
      })

      yield* Effect.raceAllFirst([
        inbound,
        Effect.scoped(follow()),
        Deferred.await(begun).pipe(Effect.andThen(Stream.runForEach(more, share)), Effect.andThen(Effect.never)),
        Effect.repeat(check, Schedule.spaced(checkPause)).pipe(Effect.andThen(Effect.never))
      ])
    }, Effect.scoped)

    /** Runs with the session of a request; the response is a refusal without one that may read. */
    const withSession = <E, R>(
      use: (connection: Connection) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const caller = yield* find(request)
        if (caller === undefined) return ErrorResponse.make(401, "Sign in to the console")
        const mayRead = caller.isAdmin || caller.key === null || caller.key.scopes.includes("read")
        return mayRead ? yield* use({ caller, request }) : ApiKeyAuth.lacksScope("read")
      })

    const open = withSession(
      Effect.fnUntraced(function* ({ caller, request }) {
        if (!Upgrade.isWebSocket(request))
          return Upgrade.required("This is the console's socket: connect with a WebSocket")
        yield* Effect.ignore(serve({ caller, request }).pipe(Effect.provideService(Clock.Clock, realClock)))
        return HttpServerResponse.empty()
      })
    )

    /** The pictures of a browser of this node, for the socket of a page that another node serves. */
    const picturesHere = (id: string) =>
      withSession(({ caller }) =>
        Effect.match(allowed(caller, id), {
          onFailure: () => ErrorResponse.make(404, "Browser not found"),
          onSuccess: () =>
            HttpServerResponse.stream(Stream.map(pictures.ofThisNode(id), Pictures.frameOf), {
              contentType: "application/octet-stream"
            })
        })
      )

    return handlers.handleAll({
      open: () => open,
      pictures: () => Effect.flatMap(HttpRouter.params, ({ browser_id = "" }) => picturesHere(browser_id.toLowerCase()))
    })
  })
