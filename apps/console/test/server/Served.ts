import { ConsoleApi, consoleApiPath, consoleSocketPath, SharedRunsApi } from "@webagent/admin"
import { Console, ConsoleSettings, Listener, RequestValidation } from "@webagent/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { readFileSync } from "node:fs"
import type { Behavior } from "./Behavior.ts"
import { layer as handlers } from "./Handlers.ts"
import { sharedLayer } from "./handlers/Shares.ts"
import { picture } from "./picture.ts"
import { hostile, makeWorld, type World, type WorldEvent } from "./World.ts"

const signedOut = HttpServerResponse.jsonUnsafe({ detail: "Sign in to the console" }, { status: 401 })

interface Options {
  /** Number of runs. */
  readonly size: number
  /** Number of active browsers; 3 by default. */
  readonly browsers?: number
  /** The pictures of browsers, in turn; one by default. */
  readonly pictures?: ReadonlyArray<Uint8Array>
  readonly port?: number
}

/** Time between two pictures of a browser. */
const picturePause = "500 millis"

const pictureFrame = (id: string, jpeg: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.of(id.length), Buffer.from(id), jpeg])

/** Sends events and pictures as the real socket does. */
const socket = (world: World, behavior: Behavior, cuts: Set<() => void>, pictures: ReadonlyArray<Uint8Array>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const opened = yield* Effect.orDie(request.upgrade)
    const { pull } = yield* opened.reader
    const { write: send } = yield* opened.writer
    const write = (frame: string | Uint8Array) => (behavior.isSilent ? Effect.void : send(frame))
    const queue = yield* Queue.unbounded<WorldEvent>()
    const stop = world.listen((event) => Queue.offerUnsafe(queue, event))
    const [first] = yield* pull
    const requestOf = (text: unknown) =>
      JSON.parse(String(text)) as { readonly after: string | null; readonly pictures: ReadonlyArray<string> }
    const { after, pictures: wanted } = requestOf(first)
    world.show(wanted)
    let round = 0
    const draw = Effect.suspend(() => {
      round++
      const shown = [...world.shown()]
      return Effect.forEach(
        shown,
        (id, index) => write(pictureFrame(id, pictures[(round + index) % pictures.length] ?? new Uint8Array())),
        { discard: true }
      )
    })
    const missed = after === null ? [] : world.eventsAfter(Number(after))
    yield* write(JSON.stringify([...missed, { id: String(world.position()), event: "ping", data: {} }]))
    const cut = Effect.callback<void>((resume) => {
      const end = () => resume(Effect.void)
      cuts.add(end)
      return Effect.sync(() => cuts.delete(end))
    })
    yield* Effect.raceAllFirst([
      Effect.forever(Effect.flatMap(Queue.takeAll(queue), (events) => write(JSON.stringify(events)))),
      Effect.forever(Effect.map(pull, (texts) => world.show(requestOf(texts.at(-1)).pictures))),
      Effect.forever(Effect.andThen(draw, Effect.sleep(picturePause))),
      cut
    ]).pipe(Effect.ignore, Effect.ensuring(Effect.sync(stop)))
    return HttpServerResponse.empty()
  }).pipe(Effect.catch(() => Effect.succeed(HttpServerResponse.empty({ status: 400 }))))

const finished = { failure: null, duration_ms: 2600 }

const liveSteps = [
  { number: 1, summary: "navigate: Open the results", address: "https://maps.example/", ...finished },
  { number: 2, summary: `click: ${hostile[0]}`, address: "https://maps.example/", ...finished, failure: "It moved" },
  { number: 3, summary: "read: Read the table of prices", address: "https://maps.example/flights" }
]

/** Shows a browser as the socket of a live page does: tabs, viewers, steps and a picture behind 9 bytes. */
const live = (world: World) =>
  Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const id = url.split("/")[2] ?? ""
    const opened = yield* Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ upgrade }) => Effect.orDie(upgrade))
    const { pull } = yield* opened.reader
    const { write } = yield* opened.writer
    const [title, address] = [hostile[0], hostile[2]]
    const tabs = [
      { title: "Flights to Rome", address: "https://maps.example/flights" },
      { title, address }
    ]
    const messages = [{ title, address, control: false }, { viewers: 2, tabs }, ...liveSteps]
    for (const message of messages) yield* write(JSON.stringify(message))
    yield* write(Buffer.concat([Buffer.alloc(9), picture]))
    /** A slow browser: input waits for its turn, and is lost after the release. */
    const receive = (frame: string | Uint8Array) =>
      Effect.gen(function* () {
        const input = JSON.parse(Buffer.from(frame).toString()) as {
          readonly action?: string
          readonly address?: string
          readonly key?: string
        }
        if (input.address !== undefined) {
          if (/^(?:https?:|[^:]*$)/u.test(input.address)) return void world.opened.push(input.address)
          return yield* write(JSON.stringify({ refused: "A browser opens only http and https addresses." }))
        }
        if (input.action !== "pressed" || input.key === undefined) return
        yield* Effect.sleep("60 millis")
        if (input.key === "Escape") {
          world.drive(id, null)
          yield* write(JSON.stringify({ title, address, control: false, by: "release" }))
        } else if (world.browsers.get(id)?.driver !== null) world.typed.push(input.key)
      })
    return yield* Effect.forever(Effect.flatMap(pull, (frames) => Effect.forEach(frames, receive, { discard: true })))
  }).pipe(Effect.catch(() => Effect.succeed(HttpServerResponse.empty({ status: 400 }))))

const video = readFileSync(new URL("recording.webm", import.meta.url))

/** A recording, or the part of it that a player asks for. */
const recording = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/u.exec(headers["range"] ?? "") ?? []
  const start = Number(first ?? 0)
  const end = last === undefined || last === "" ? video.length - 1 : Number(last)
  return HttpServerResponse.uint8Array(video.subarray(start, end + 1), {
    status: first === undefined ? 200 : 206,
    contentType: "video/webm",
    headers: {
      "accept-ranges": "bytes",
      ...(first === undefined ? {} : { "content-range": `bytes ${start}-${end}/${video.length}` })
    }
  })
})

/** Stores the bytes of an expected file. */
const upload = (world: World) =>
  Effect.gen(function* () {
    const { text, url } = yield* HttpServerRequest.HttpServerRequest
    const file = world.uploads.get(/\/uploads\/([^?]*)\?token=t$/u.exec(url)?.[1] ?? "")
    if (file === undefined)
      return HttpServerResponse.jsonUnsafe({ detail: "No upload is expected here" }, { status: 404 })
    file.bytes = yield* Effect.orDie(text)
    return HttpServerResponse.empty({ status: 200 })
  })

/** Serves the console over made-up records until the scope closes. */
export const serve = Effect.fnUntraced(function* ({ browsers = 3, pictures = [picture], port = 0, size }: Options) {
  const world = makeWorld(size, browsers)
  const behavior: Behavior = {
    signedIn: true,
    isAdmin: true,
    isDown: false,
    isSilent: false,
    model: "openai:gpt-6-mini"
  }
  const cuts = new Set<() => void>()
  const routes = Layer.mergeAll(
    HttpApiBuilder.layer(ConsoleApi).pipe(
      Layer.provide(handlers(world, behavior)),
      Layer.provide(RequestValidation.layer)
    ),
    HttpApiBuilder.layer(SharedRunsApi).pipe(Layer.provide(sharedLayer(world)), Layer.provide(RequestValidation.layer)),
    HttpRouter.add("GET", "/recordings/:id", recording),
    HttpRouter.add("PUT", "/uploads/:id", upload(world)),
    HttpRouter.add("GET", "/live/:id/:token/socket", live(world)),
    HttpRouter.add("GET", consoleSocketPath, socket(world, behavior, cuts, pictures))
  )
  const served = Layer.unwrap(
    Effect.map(Effect.flatMap(HttpRouter.toHttpEffect(routes), Console.around), (app) =>
      HttpServer.serve(
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
          if (behavior.isDown) return Effect.succeed(HttpServerResponse.empty({ status: 503 }))
          const needsSession = url.startsWith(consoleApiPath) && !url.startsWith(`${consoleApiPath}/session`)
          return needsSession && !behavior.signedIn ? Effect.succeed(signedOut) : app
        })
      )
    )
  ).pipe(
    Layer.provideMerge(Listener.layer({ host: "127.0.0.1", port })),
    Layer.provide(Layer.succeed(ConsoleSettings, { access: "key" }))
  )
  const context = yield* Layer.build(served)
  const address = HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address)
  return {
    address,
    world,
    behavior,
    /** Ends every WebSocket, as a restart does. */
    cut: () => {
      for (const one of cuts) one()
    }
  }
})
