import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { type LiveFrame, type LiveMessage, LiveRequest } from "@webagent/harness-api"
import { awaitDrain } from "@webagent/server"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import type * as FileSystem from "effect/FileSystem"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as Changed from "./Changed.ts"
import * as Follow from "./Follow.ts"
import type { HandlersOptions } from "./Handlers.ts"

/** Close code for a page that sends anything else than its requests. */
const refusedCode = 1008

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(LiveRequest))

/** The wire is JSON as it is: nothing of a message is transformed. */
const frameOf = (messages: typeof LiveFrame.Encoded): string => JSON.stringify(messages)

const pings: Stream.Stream<LiveMessage> = Stream.map(Stream.tick("15 seconds"), () => ({ _tag: "Ping" }))

/** The one WebSocket of a tab: what has changed, and the events of the run that the page shows. */
export const serve = ({ model, own }: HandlersOptions, fs: FileSystem.FileSystem) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const wire = NodeHttpServerRequest.toIncomingMessage(request).socket
    const socket = yield* Effect.orDie(request.upgrade)
    const { pull } = yield* socket.reader
    const { write } = yield* socket.writer
    const wanted = yield* Queue.sliding<LiveRequest>(1)

    const receive = (frame: string | Uint8Array) => {
      const decoded = decode(typeof frame === "string" ? frame : Buffer.from(frame).toString("utf8"))
      return Result.isFailure(decoded)
        ? Effect.andThen(write(new Socket.CloseEvent(refusedCode, "This is no request")), Effect.never)
        : Queue.offer(wanted, decoded.success)
    }
    const inbound = Effect.forever(Effect.flatMap(pull, (frames) => Effect.forEach(frames, receive, { discard: true })))
    const send = (messages: Stream.Stream<LiveMessage, unknown, never>) =>
      messages.pipe(
        Stream.groupedWithin(500, "50 millis"),
        Stream.runForEach((group) => Effect.andThen(write(frameOf(group)), awaitDrain(wire)))
      )
    const follow = Effect.gen(function* () {
      const following = yield* FiberHandle.make()
      yield* Effect.forever(
        Effect.gen(function* () {
          const { after, run } = yield* Queue.take(wanted)
          yield* run === null
            ? FiberHandle.clear(following)
            : FiberHandle.run(
                following,
                send(
                  Stream.merge<LiveMessage, never, never, LiveMessage, never, never>(
                    Follow.events(fs, { run, after }, model.folders),
                    own.messages(run)
                  )
                )
              )
        })
      )
    })
    yield* Effect.raceAllFirst([inbound, Effect.scoped(follow), send(Stream.merge(pings, Changed.stream(model)))])
  }, Effect.scoped)
