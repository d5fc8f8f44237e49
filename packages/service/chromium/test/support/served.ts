import { assert } from "@effect/vitest"
import { ApiKeyAuth } from "@webagent/contract"
import type { Agent } from "@webagent/engine"
import { Engine, MemoryStore, TimeOrderedIds, layerStreamingAgent } from "@webagent/engine"
import { RequestValidation, Server } from "@webagent/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  Binary,
  type BrowserProcess,
  DevTools,
  ChromiumPool,
  LiveBrowsers,
  type RecordingOptions,
  Sandbox
} from "../../src/index.ts"
import { attach, chromiumSandbox, runtime, start } from "./chromium.ts"

/** Takes every key. */
const keys = Layer.succeed(ApiKeyAuth, { apiKey: (httpEffect) => httpEffect })

const silent: Layer.Layer<Agent> = layerStreamingAgent({
  model: "test",
  version: "test-1",
  perform: () => Stream.never
})

/** A page that a test holds by a session of its own. */
const pageOf = Effect.fnUntraced(function* (devTools: BrowserProcess.BrowserProcess["devTools"]) {
  const client = yield* DevTools.connect(devTools)
  const session = yield* attach(client)
  const send = (method: string, params: Readonly<Record<string, unknown>> = {}) => session.send(method, params)
  const run = (expression: string) =>
    Effect.map(
      send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true }),
      ({ result }) => (result as { readonly value?: unknown }).value
    )
  return { run, send }
})

/** A server of real browsers that can be seen, and how to ask it. */
export const served = Effect.fnUntraced(function* (options?: RecordingOptions, agent: Layer.Layer<Agent> = silent) {
  const root = yield* runtime
  const pool = ChromiumPool.layer({
    binary: yield* Binary.find(),
    chromiumSandbox: yield* chromiumSandbox,
    warm: 0,
    root
  })
  const live = LiveBrowsers.layer(options)
  const context = yield* Layer.build(
    Layer.fresh(Server.layerWithAuth({ apiKeys: ["wak_test"] })).pipe(
      Layer.provide([keys, RequestValidation.layer]),
      Layer.provide(Engine.layer),
      Layer.provideMerge(pool),
      Layer.provideMerge(live),
      Layer.provide([agent, MemoryStore.layer, TimeOrderedIds.layer, Sandbox.layerNone]),
      Layer.fresh
    )
  )
  const { baseUrls } = yield* Effect.provideContext(Server, context)
  const ask = (method: string, path: string, body: object) =>
    Effect.promise(async (): Promise<Readonly<Record<string, string>>> => {
      const headers = { "content-type": "application/json", "x-service-api-key": "any" }
      return (await fetch(`${baseUrls.v4}${path}`, { method, headers, body: JSON.stringify(body) })).json()
    })
  const pageOfBrowser = (id: string) =>
    Effect.flatMap(
      Effect.provideContext(
        ChromiumPool.RunningBrowsers.useSync(({ find }) => find(id)?.devTools ?? assert.fail(`${id} does not run`)),
        context
      ),
      pageOf
    )
  const create = Effect.fnUntraced(function* (body: object = {}) {
    const { controlUrl = "", id = "", liveUrl = "" } = yield* ask("POST", "/browsers", body)
    return { controlUrl, id, liveUrl, page: yield* pageOfBrowser(id) }
  })
  return {
    ask,
    baseUrls,
    create,
    pageOfBrowser,
    stop: (id: string) => ask("PATCH", `/browsers/${id}`, { action: "stop" })
  }
})

/** The browser of a person who opens links. */
export const person = Effect.gen(function* () {
  const { devTools } = yield* Effect.provide(start("person", yield* runtime), Sandbox.layerNone)
  return yield* pageOf(devTools)
})
