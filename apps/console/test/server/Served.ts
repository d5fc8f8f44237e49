import { ConsoleApi, consoleApiPath, consoleSocketPath } from "@webagent/admin"
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
import { type Behavior, layer as handlers } from "./Handlers.ts"
import { makeWorld, type World, type WorldEvent } from "./World.ts"

const signedOut = HttpServerResponse.jsonUnsafe({ detail: "Sign in to the console" }, { status: 401 })

interface Options {
  /** Number of runs. */
  readonly size: number
  readonly port?: number
}

/** Sends events as the real socket does, without pictures. */
const socket = (world: World, cuts: Set<() => void>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const opened = yield* Effect.orDie(request.upgrade)
    const { pull } = yield* opened.reader
    const { write } = yield* opened.writer
    const queue = yield* Queue.unbounded<WorldEvent>()
    const stop = world.listen((event) => Queue.offerUnsafe(queue, event))
    const [first] = yield* pull
    const { after } = JSON.parse(String(first)) as { readonly after: string | null }
    const missed = after === null ? [] : world.eventsAfter(Number(after))
    yield* write(JSON.stringify([...missed, { id: String(world.position()), event: "ping", data: {} }]))
    const cut = Effect.callback<void>((resume) => {
      const end = () => resume(Effect.void)
      cuts.add(end)
      return Effect.sync(() => cuts.delete(end))
    })
    yield* Effect.raceAllFirst([
      Effect.forever(Effect.flatMap(Queue.takeAll(queue), (events) => write(JSON.stringify(events)))),
      Effect.forever(pull),
      cut
    ]).pipe(Effect.ignore, Effect.ensuring(Effect.sync(stop)))
    return HttpServerResponse.empty()
  }).pipe(Effect.catch(() => Effect.succeed(HttpServerResponse.empty({ status: 400 }))))

/** Serves the console over made-up records until the scope closes. */
export const serve = Effect.fnUntraced(function* ({ port = 0, size }: Options) {
  const world = makeWorld(size)
  const behavior: Behavior = { signedIn: true, isAdmin: true, isDown: false }
  const cuts = new Set<() => void>()
  const routes = Layer.mergeAll(
    HttpApiBuilder.layer(ConsoleApi).pipe(
      Layer.provide(handlers(world, behavior)),
      Layer.provide(RequestValidation.layer)
    ),
    HttpRouter.add("GET", consoleSocketPath, socket(world, cuts))
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
