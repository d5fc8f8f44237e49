import { Browser, LiveViews, Recordings } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { DevTools, LiveBrowsers, type RecordingOptions, Sandbox } from "../../src/index.ts"
import { attach, runtime, start } from "./chromium.ts"

const id = "00000000-0000-4000-8000-000000000001"

/** A browser that can be seen, and a hand on its page that is not the viewer's. */
export const shown = Effect.fnUntraced(function* (options: { readonly recording?: boolean } = {}) {
  const { devTools } = yield* Effect.provide(start("shown", yield* runtime), Sandbox.layerNone)
  const counted = { connections: 0, used: 0 }
  const connect = Effect.tap(DevTools.connect(devTools), () => Effect.sync(() => void counted.connections++))
  const { add } = yield* LiveBrowsers
  yield* add(
    Browser.make({ id, proxyCountryCode: null, startedAt_ms: 0, recording: options.recording ?? false }),
    connect,
    () => void counted.used++
  )
  const client = yield* DevTools.connect(devTools)
  const session = yield* attach(client)
  const run = (expression: string) =>
    Effect.map(
      session.send("Runtime.evaluate", { expression, returnByValue: true }),
      ({ result }) => (result as { readonly value?: unknown }).value
    )
  const screenshot = Effect.map(
    session.send("Page.captureScreenshot", { format: "jpeg", quality: 60, optimizeForSpeed: true }),
    ({ data }) => Buffer.from(String(data), "base64")
  )
  return { client, counted, id, run, screenshot, session }
})

/** The ports to what is shown. */
export const ports = Effect.gen(function* () {
  const views = yield* LiveViews
  const recordings = yield* Recordings
  if (views === null || recordings === null) return yield* Effect.die("the layer gives both")
  return { recordings, views }
})

/** A view of it that says what it looks like now. */
export const look = Effect.fnUntraced(function* () {
  const { views } = yield* ports
  const { input, views: all } = yield* views.open(id)
  const seen: Array<Uint8Array> = []
  let view: Stream.Success<typeof all> = { picture: null, tab: null }
  yield* Effect.forkScoped(
    Stream.runForEach(all, (next) =>
      Effect.sync(() => {
        if (next.picture !== null && next.picture !== view.picture) seen.push(next.picture.jpeg)
        view = next
      })
    )
  )
  return { input, now: () => view, seen }
})

/** Waits for as long as a test may take. */
export const until = (isSo: Effect.Effect<boolean> | (() => boolean)): Effect.Effect<void> =>
  Effect.flatMap(typeof isSo === "function" ? Effect.sync(isSo) : isSo, (yes) =>
    yes ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), until(isSo))
  )

export const layer = (options?: RecordingOptions) => Layer.fresh(LiveBrowsers.layer(options))
