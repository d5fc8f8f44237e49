import { assert, describe, it } from "@effect/vitest"
import { Owner } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { WebSocket } from "ws"
import type { FeedEvent, FeedRequest } from "../../src/console/Feed.ts"
import { Server } from "../../src/Server.ts"
import { makeShown, until } from "../http/shown.ts"
import { ask, layerConsole, signIn } from "./served.ts"

interface OpenOptions {
  readonly cookie?: string
  readonly origin?: string
}

/** A page's socket, with what it received. */
const open = Effect.fnUntraced(function* ({ cookie = "", origin }: OpenOptions = {}) {
  const { address } = yield* Server
  const frames: Array<string | Buffer> = []
  const ended: { how?: string } = {}
  const socket = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new WebSocket(`${address.replace("http", "ws")}/console/api/socket`, {
          headers: { cookie },
          origin: origin ?? address
        })
    ),
    (one) => Effect.sync(() => one.terminate())
  )
  socket.on("error", () => undefined)
  socket.on("message", (data, isBinary) => frames.push(isBinary ? (data as Buffer) : String(data)))
  socket.on("unexpected-response", (_, { statusCode }) => (ended.how = `refused ${statusCode}`))
  socket.on("close", (code) => (ended.how ??= String(code)))
  const opened = until(() => socket.readyState === WebSocket.OPEN || ended.how !== undefined)
  const request = (change: Partial<{ after: string | null; run: string | null; pictures: ReadonlyArray<string> }>) =>
    socket.send(JSON.stringify({ after: null, run: null, pictures: [], ...change }))
  const events = () =>
    frames
      .filter((frame) => typeof frame === "string")
      .flatMap((frame) => JSON.parse(frame) as ReadonlyArray<FeedEvent>)
  return { socket, frames, ended, opened, request, events }
})

/** A feed that sends what a test puts into it, and remembers what it was asked. */
const makeFeed = () => {
  const asked: Array<FeedRequest & { readonly owner: string | null }> = []
  const queue = Effect.runSync(Queue.unbounded<FeedEvent>())
  const feed = (request: FeedRequest) =>
    Stream.unwrap(
      Effect.map(Owner, (owner) => {
        asked.push({ ...request, owner })
        return Stream.fromQueue(queue)
      })
    )
  return { asked, feed, send: (event: FeedEvent) => Queue.offerUnsafe(queue, event) }
}

const event = (n: number): FeedEvent => ({ id: String(n), event: "run", data: { id: `run-${n}` } })

describe("the console's socket", () => {
  it.live("sends changes from the position of the page on, for the owner of its key", () => {
    const { asked, feed, send } = makeFeed()
    return Effect.gen(function* () {
      const { header } = yield* signIn("wak_shop")
      const { events, opened, request } = yield* open({ cookie: header.cookie })
      yield* opened
      request({ after: "41", run: "r1" })
      yield* until(() => asked.length === 1)
      assert.deepStrictEqual(asked[0], { after: "41", run: "r1", owner: "shop" })
      send(event(42))
      send(event(43))
      yield* until(() => events().length === 2)
      assert.deepStrictEqual(events(), [event(42), event(43)])
      // another run continues from what the page already has
      request({ after: "41", run: "r2" })
      yield* until(() => asked.length === 2)
      assert.deepStrictEqual(asked[1], { after: "43", run: "r2", owner: "shop" })
    }).pipe(Effect.scoped, Effect.provide(layerConsole({ feed })))
  })

  it.live("sends pictures of the named browsers only, and stops when they're out of view", () => {
    const shown = makeShown()
    return Effect.gen(function* () {
      const { frames, opened, request } = yield* open()
      yield* opened
      yield* shown.show("first")
      request({ pictures: ["b1"] })
      const pictures = () => frames.filter((frame) => typeof frame !== "string").map(String)
      yield* until(() => pictures().length === 1)
      assert.deepStrictEqual(pictures(), ["\u0002b1first"])
      request({ pictures: [] })
      yield* Effect.sleep("50 millis")
      yield* shown.show("second")
      yield* Effect.sleep("100 millis")
      assert.lengthOf(pictures(), 1)
    }).pipe(Effect.scoped, Effect.provide(layerConsole({ access: "open", views: shown.layer })))
  })

  it.live("sends at most two pictures per second of a browser, and the newest one", () => {
    const shown = makeShown()
    return Effect.gen(function* () {
      const { frames, opened, request } = yield* open()
      yield* opened
      request({ pictures: ["b1"] })
      for (let n = 0; n < 60; n++) {
        yield* shown.show(`picture ${n}`)
        yield* Effect.sleep("20 millis")
      }
      const pictures = () => frames.filter((frame) => typeof frame !== "string").map(String)
      yield* until(() => pictures().some((text) => text.endsWith("picture 59")))
      assert.isAtMost(pictures().length, 6)
    }).pipe(Effect.scoped, Effect.provide(layerConsole({ access: "open", views: shown.layer })))
  })

  it.live("sends no picture with a secret in it", () => {
    const shown = makeShown()
    return Effect.gen(function* () {
      yield* shown.conceal("b1")
      const { frames, opened, request } = yield* open()
      yield* opened
      request({ pictures: ["b1"] })
      yield* shown.show("secret")
      yield* Effect.sleep("200 millis")
      assert.isEmpty(frames.filter((frame) => typeof frame !== "string"))
    }).pipe(Effect.scoped, Effect.provide(layerConsole({ access: "open", views: shown.layer })))
  })

  it.live("opens for a session only, and only from the console's own page", () =>
    Effect.gen(function* () {
      const { header } = yield* signIn("wak_shop")
      for (const [options, how] of [
        [{}, "refused 401"],
        [{ cookie: header.cookie, origin: "http://evil.example" }, "refused 403"],
        [{ cookie: header.cookie, origin: "http://127.0.0.1:1" }, "refused 403"]
      ] as const) {
        const { ended, opened } = yield* open(options)
        yield* opened
        assert.strictEqual(ended.how, how)
      }
      assert.strictEqual((yield* ask("GET", "/socket", header)).status, 426)
    }).pipe(Effect.scoped, Effect.provide(layerConsole()))
  )

  it.live("closes for a message that is no request", () =>
    Effect.gen(function* () {
      for (const message of ["{", "{}", JSON.stringify({ after: null, run: null, pictures: [1] })]) {
        const { ended, opened, socket } = yield* open()
        yield* opened
        socket.send(message)
        yield* until(() => ended.how !== undefined)
        assert.strictEqual(ended.how, "1008", message)
      }
    }).pipe(Effect.scoped, Effect.provide(layerConsole({ access: "open" })))
  )

  it.live("closes if the feed fails, so that the page connects again", () =>
    Effect.gen(function* () {
      const { ended, opened, request } = yield* open()
      yield* opened
      request({})
      yield* until(() => ended.how !== undefined)
      assert.strictEqual(ended.how, "1012")
    }).pipe(
      Effect.scoped,
      Effect.provide(layerConsole({ access: "open", feed: () => Stream.fail("the store is away") }))
    )
  )
})
