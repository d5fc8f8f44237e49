import { Agent, BrowserPool, Engine, IdSource, MemoryStore, type Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ApiKeyAuth from "../../src/http/ApiKeyAuth.ts"
import * as Operation from "../../src/http/Operation.ts"
import * as RequestValidation from "../../src/http/RequestValidation.ts"
import { Server } from "../../src/Server.ts"

const ids = Layer.sync(IdSource, () => {
  let count = 0
  return {
    next: () => Effect.sync(() => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`)
  }
})

const browsers = Layer.succeed(BrowserPool, {
  countries: ["DE"],
  launch: () =>
    Effect.succeed({
      connect: Effect.succeed({
        send: () => true,
        receive: constVoid,
        pause: constVoid,
        resume: constVoid,
        ended: Effect.never
      }),
      stop: Effect.void
    })
})

/** An agent that repeats its task at once. */
const agent = Layer.succeed(Agent, {
  model: "test",
  version: "test-1",
  perform: ({ task }) =>
    Stream.make({ _tag: "Started" } as const, { _tag: "Completed", report: { output: task } } as const)
})

/** A server over a socket and this store whose runs are over at once; the key is `wak_test`. */
export const layerOver = (store: Layer.Layer<Store>): Layer.Layer<Server> =>
  Layer.orDie(Server.layer({ about: { of: "a test" }, around: Operation.measured })).pipe(
    Layer.provide([ApiKeyAuth.layer(["wak_test"]), RequestValidation.layer]),
    Layer.provide(Layer.provide(Engine.layer, [agent, browsers, store, ids])),
    Layer.fresh
  )

/** The same over a store in memory. */
export const layerTest: Layer.Layer<Server> = layerOver(MemoryStore.layer)
