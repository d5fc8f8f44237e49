import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { WebSocket } from "ws"
import type { LiveEventView } from "../../src/http/admin/LiveEvents.ts"
import { Server } from "../../src/Server.ts"
import { makeShown, until } from "../http/shown.ts"
import { ask, layerConsole, send, signIn } from "./served.ts"

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
      .flatMap((frame) => JSON.parse(frame) as ReadonlyArray<LiveEventView>)
  return { socket, frames, ended, opened, request, events }
})

describe("the console's socket", () => {
  it.live("sends changes with their records, only those of its key, and continues at the page's position", () =>
    Effect.gen(function* () {
      const { header } = yield* signIn("wak_shop")
      const create = (key: string, task: string) =>
        Effect.map(send("POST", "/api/v4/runs", { key, body: { task } }), ({ body }) => String(body["id"]))
      const first = yield* open({ cookie: header.cookie })
      yield* first.opened
      first.request({})
      // the first event has the position, so that a page that loses its connection at once misses nothing
      yield* until(() => first.events().length > 0)
      assert.strictEqual(first.events()[0]?.event, "ping")
      const other = yield* create("wak_blog", "another key's task")
      const mine = yield* create("wak_shop", "Find a mug")
      const runs = (page: typeof first) =>
        page
          .events()
          .flatMap(({ data, event }) => (event === "run" ? [data as { id: string; status: string; task: string }] : []))
      yield* until(() => runs(first).some(({ id, status }) => id === mine && status === "completed"))
      assert.isFalse(runs(first).some(({ id }) => id === other))
      assert.strictEqual(runs(first)[0]?.task, "Find a mug")

      first.socket.terminate()
      const last = first.events().at(-1)?.id ?? ""
      const missed = yield* create("wak_shop", "while away")
      const again = yield* open({ cookie: header.cookie })
      yield* again.opened
      again.request({ after: last })
      yield* until(() => runs(again).some(({ id, status }) => id === missed && status === "completed"))
      assert.isFalse(runs(again).some(({ id }) => id === mine))
    }).pipe(Effect.scoped, Effect.provide(layerConsole()))
  )

  it.live("keeps the connection when the page opens another run", () =>
    Effect.gen(function* () {
      const { header } = yield* signIn("wak_shop")
      const page = yield* open({ cookie: header.cookie })
      yield* page.opened
      for (const run of [null, "00000000-0000-7000-8000-000000000001", null]) {
        page.request({ run })
        yield* Effect.sleep("100 millis")
      }
      yield* send("POST", "/api/v4/runs", { key: "wak_shop", body: { task: "Find a mug" } })
      yield* until(() => page.ended.how !== undefined || page.events().some(({ event }) => event === "run"))
      assert.isUndefined(page.ended.how)
    }).pipe(Effect.scoped, Effect.provide(layerConsole()))
  )

  it.live("sends a reset for an unknown position", () =>
    Effect.gen(function* () {
      for (const after of ["999999999", "a made-up position"]) {
        const { events, opened, request } = yield* open()
        yield* opened
        request({ after })
        yield* until(() => events().some(({ event }) => event === "reset"))
      }
    }).pipe(Effect.scoped, Effect.provide(layerConsole({ access: "open" })))
  )

  it.live("sends pictures only of the named browsers, and stops when they're out of view", () => {
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

  it.live("sends pictures only of its own key's browsers", () => {
    const shown = makeShown()
    return Effect.gen(function* () {
      const create = (key: string) =>
        Effect.map(send("POST", "/api/v3/browsers", { key, body: {} }), ({ body }) => String(body["id"]))
      const [mine, other] = [yield* create("wak_shop"), yield* create("wak_blog")]
      const picturesFor = Effect.fnUntraced(function* (key: string) {
        const { header } = yield* signIn(key)
        const { frames, opened, request } = yield* open({ cookie: header.cookie })
        yield* opened
        request({ pictures: [other, mine] })
        const named = (id: string) =>
          frames.some((frame) => typeof frame !== "string" && String(frame).slice(1).startsWith(id))
        yield* until(() => named(mine))
        yield* Effect.sleep("100 millis")
        return { mine: named(mine), other: named(other) }
      })
      yield* shown.show("a picture")
      assert.deepStrictEqual(yield* picturesFor("wak_shop"), { mine: true, other: false })
      assert.deepStrictEqual(yield* picturesFor("wak_root"), { mine: true, other: true })
    }).pipe(Effect.scoped, Effect.provide(layerConsole({ views: shown.layer })))
  })

  it.live("sends at most two pictures per second of a browser, including the newest one", () => {
    const shown = makeShown()
    return Effect.gen(function* () {
      const { frames, opened, request } = yield* open()
      yield* opened
      const began_ms = performance.now()
      request({ pictures: ["b1"] })
      for (let n = 0; n < 60; n++) {
        yield* shown.show(`picture ${n}`)
        yield* Effect.sleep("20 millis")
      }
      const pictures = () => frames.filter((frame) => typeof frame !== "string").map(String)
      yield* until(() => pictures().some((text) => text.endsWith("picture 59")))
      // the first one comes at once; a busy machine takes more time for all of them
      assert.isAtMost(pictures().length, Math.floor((performance.now() - began_ms) / 500) + 2)
    }).pipe(Effect.scoped, Effect.provide(layerConsole({ access: "open", views: shown.layer })))
  })

  it.live("sends no picture that shows a secret", () => {
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

  it.live("opens only for a session, and only from the console's own page", () =>
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

  it.live("is refused for a key without the scope read", () =>
    Effect.gen(function* () {
      const { header: root } = yield* signIn("wak_root")
      const { body } = yield* ask("POST", "/keys", root, { name: "writer", scopes: ["runs"] })
      const { header } = yield* signIn(String(body["secret"]))
      const { ended, opened } = yield* open({ cookie: header.cookie })
      yield* opened
      assert.strictEqual(ended.how, "refused 403")
    }).pipe(Effect.scoped, Effect.provide(layerConsole()))
  )

  it.live("closes after an invalid message", () =>
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
})
