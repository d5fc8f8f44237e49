import { BrowserStopped, type LiveInput, LiveViews, MemoryStore, Recordings, type View } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { statSync, writeFileSync } from "node:fs"
import type { ListenOptions, Server } from "@webagent/server"
import { WebSocket } from "ws"
import { layerOver } from "./served.ts"

/** Browsers that look as a test says, and what was done in them. */
export const makeShown = () => {
  const views = Effect.runSync(PubSub.sliding<View>({ capacity: 1, replay: 1 }))
  const done: Array<LiveInput> = []
  const gone = new Set<string>()
  let concealed = false
  const layer = Layer.succeed(LiveViews, {
    has: (id) => !gone.has(id),
    open: (id) =>
      gone.has(id)
        ? Effect.fail(new BrowserStopped({ id }))
        : Effect.succeed({
            views: Stream.takeUntil(Stream.fromPubSub(views), ({ tab }) => tab === null),
            input: (input) => Effect.sync(() => void done.push(input)),
            isConcealed: () => concealed
          }),
    conceal: (id) => conceal(id)
  })
  const show = (text: string, at_ms = 0, tabs?: View["tabs"]) =>
    PubSub.publish(views, {
      picture: { jpeg: Buffer.from(text), at_ms },
      tab: { title: text, address: "https://shop.example" },
      ...(tabs === undefined ? {} : { tabs })
    })
  const end = PubSub.publish(views, { picture: null, tab: null })
  const conceal = (_id: string) => Effect.sync(() => void (concealed = true))
  return { conceal, done, end, gone, layer, show }
}

/** Recordings that are files of a test. */
export const recordings = (path: string, content: string) => {
  writeFileSync(path, content)
  return Layer.succeed(Recordings, {
    find: (id) =>
      Effect.succeed(
        id.endsWith("1")
          ? Option.some({
              path,
              contentType: "video/webm",
              bytes: statSync(path).size,
              finishedAt_ms: statSync(path).mtimeMs
            })
          : Option.none()
      ),
    keep: (browserId, name) => Effect.succeed(`${browserId}/${name}`),
    forget: () => Effect.void,
    prune: () => Effect.succeed(0)
  })
}

/** A server with ports for what is seen. */
export const layerWith = (ports: Layer.Layer<never>, listen: ListenOptions = {}): Layer.Layer<Server> =>
  Layer.fresh(Layer.provide(layerOver(MemoryStore.layer, { listen }), ports))

/** A socket of a live view with what came, and its end; opened by a page of `origin` unless it is null. */
export const watch = Effect.fnUntraced(function* (
  url: string,
  origin: string | null = new URL(url).origin,
  query = ""
) {
  const messages: Array<string | Buffer> = []
  const address = `${url.replace(/^http/u, "ws")}/socket${query}`
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocket(address, origin === null ? {} : { origin })),
    (open) => Effect.sync(() => open.terminate())
  )
  const ended: { how?: string } = {}
  socket.on("error", () => undefined)
  socket.on("message", (data, isBinary) => messages.push(isBinary ? (data as Buffer) : String(data)))
  socket.on("unexpected-response", (_, { statusCode }) => (ended.how = `refused ${statusCode}`))
  socket.on("close", (code, reason) => (ended.how ??= `${code} ${reason}`))
  return { ended, messages, socket }
})

export const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), until(isSo))))
