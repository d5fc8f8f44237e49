import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { SocketRequest } from "@webagent/admin"
import { Engine, LiveViews, Owner, type LiveViewsService, type View } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import { Caller } from "../api/Caller.ts"
import type { LiveEventView, LiveRequest } from "../http/admin/LiveEvents.ts"
import * as ApiKeyAuth from "../http/policy/ApiKeyAuth.ts"
import * as ErrorResponse from "../http/policy/ErrorResponse.ts"
import * as Upgrade from "../http/policy/Upgrade.ts"
import { awaitDrain } from "../http/websocket/Backpressure.ts"
import { limitMessages } from "../http/websocket/BytesWebSocket.ts"
import type { makeFind } from "./ConsoleAuth.ts"
import { Served } from "./SignIn.ts"

/** The largest message of a page: a hundred ids of browsers. */
const largestMessage_bytes = 32 * 1024

/** Time between two pictures of a browser. */
const picturePause = "500 millis"

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
const frameOf = (id: string, { jpeg }: NonNullable<View["picture"]>): Uint8Array => {
  const name = Buffer.from(id.slice(0, 200), "utf8")
  return Buffer.concat([Buffer.of(name.length), name, jpeg])
}

/** The pictures of a browser, two per second at most; none while a secret is in them. */
const picturesOf = (views: LiveViewsService, id: string) =>
  Stream.unwrap(
    Effect.map(views.open(id), ({ isConcealed, views: shown }) =>
      shown.pipe(
        Stream.filter(({ picture }) => picture !== null && !isConcealed()),
        Stream.map(({ picture }) => picture),
        Stream.changes,
        // a slow page gets the newest picture, and none of those before
        Stream.buffer({ capacity: 1, strategy: "sliding" }),
        Stream.throttle({ cost: () => 1, units: 1, duration: picturePause })
      )
    )
  )

/** The parts of the console that the socket uses. */
interface SocketOptions {
  readonly find: ReturnType<typeof makeFind>
  /** Streams the changes that the caller may see. */
  readonly feed: (request: LiveRequest) => Stream.Stream<LiveEventView, unknown>
}

interface Connection {
  readonly caller: Caller
  readonly request: HttpServerRequest.HttpServerRequest
}

/** The one WebSocket of a tab: changes of records and pictures of browsers. */
export const layer = ({ feed, find }: SocketOptions) =>
  HttpApiBuilder.group(
    Served,
    "socket",
    Effect.fnUntraced(function* (handlers) {
      const views = yield* LiveViews
      const engine = yield* Engine

      const serve = Effect.fnUntraced(function* ({ caller, request }: Connection) {
        const wire = NodeHttpServerRequest.toIncomingMessage(request).socket
        limitMessages(wire, largestMessage_bytes)
        const socket = yield* Effect.orDie(request.upgrade)
        const { pull } = yield* socket.reader
        const { write } = yield* socket.writer
        const wanted = yield* Queue.sliding<SocketRequest>(1)
        const casts = yield* FiberMap.make<string>()
        let position: string | null = null

        const send = (events: ReadonlyArray<LiveEventView>) => {
          position = events.at(-1)?.id ?? position
          return Effect.andThen(write(JSON.stringify(events)), awaitDrain(wire))
        }

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
            if (views?.has(id) !== true) continue
            const drawn = Stream.runForEach(picturesOf(views, id), (picture) =>
              picture === null ? Effect.void : Effect.andThen(write(frameOf(id, picture)), awaitDrain(wire))
            )
            // an id is no permission: another key's browser isn't found
            const allowed = caller.isAdmin
              ? drawn
              : Effect.andThen(Effect.provideService(engine.browser(id), Owner, caller.owner), drawn)
            yield* FiberMap.run(casts, id, Effect.ignore(Effect.scoped(allowed)), { onlyIfMissing: true })
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
                  Effect.ensuring(write(new Socket.CloseEvent(1012)).pipe(Effect.ignore))
                )
              )
            })
          )
        })

        const check = Effect.gen(function* () {
          if ((yield* find(request)) !== undefined) return
          yield* write(new Socket.CloseEvent(signedOutCode, "The session is over"))
          return yield* Effect.never
        })

        yield* Effect.raceAllFirst([
          inbound,
          Effect.scoped(follow()),
          Effect.repeat(check, Schedule.spaced(checkPause)).pipe(Effect.andThen(Effect.never))
        ])
      }, Effect.scoped)

      const open = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const caller = yield* find(request)
        if (caller === undefined) return ErrorResponse.make(401, "Sign in to the console")
        const mayRead = caller.isAdmin || caller.key === null || caller.key.scopes.includes("read")
        if (!mayRead) return ApiKeyAuth.lacksScope("read")
        if (!Upgrade.isWebSocket(request))
          return Upgrade.required("This is the console's socket: connect with a WebSocket")
        yield* Effect.ignore(serve({ caller, request }).pipe(Effect.provideService(Clock.Clock, realClock)))
        return HttpServerResponse.empty()
      })

      return handlers.handleAll({ open: () => open })
    })
  )
