import { assert, describe, it } from "@effect/vitest"
import { MemoryConsoleSessions } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { connect, create, met, send, start, type Started, until, withStore } from "./neighbours.ts"

const signIn = (node: Started) =>
  Effect.map(send(node, "POST", "/console/api/session", { body: { key: "wak_test" } }), ({ headers, status }) => {
    assert.strictEqual(status, 200)
    return headers["set-cookie"]?.[0]?.split(";")[0] ?? ""
  })

/** A page of the console at a node that shows pictures of a browser. */
const page = Effect.fnUntraced(function* (node: Started, cookie: string, id: string) {
  const { heard, socket } = yield* connect(node, "/console/api/socket", { cookie, origin: node.url })
  socket.send(JSON.stringify({ after: null, run: null, pictures: [id] }))
  const pictures = () => heard.filter((text) => text.includes(id) && text.includes("picture"))
  return { pictures, socket }
})

describe("the console's pictures with several nodes", () => {
  it.live("come from the browser's node to the page of another node", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const sessions = MemoryConsoleSessions.make()
        const a = yield* start(store, "a", { sessions })
        const b = yield* start(store, "b", { most: 0, sessions })
        yield* met(store, 2)
        const { id } = yield* create(b)
        assert.isTrue(a.running.has(id))
        const cookie = yield* signIn(b)
        const { pictures } = yield* page(b, cookie, id)
        yield* until(() => pictures().length > 0)
        assert.include(pictures()[0], `${id}picture of a`)
        const direct = yield* page(a, cookie, id)
        yield* until(() => direct.pictures().length > 0)
      })
    )
  )

  it.live("need a session that the browser's node knows", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const sessions = MemoryConsoleSessions.make()
        const b = yield* start(store, "b", { most: 0, sessions })
        const a = yield* start(store, "a", { sessions })
        // this node knows no sessions of the others
        const c = yield* start(store, "c", { most: 0 })
        yield* met(store, 3)
        const { id } = yield* create(b)
        const { pictures } = yield* page(b, yield* signIn(b), id)
        yield* until(() => pictures().length > 0)
        const apart = yield* page(c, yield* signIn(c), id)
        yield* Effect.sleep("300 millis")
        assert.isEmpty(apart.pictures())
        for (const [headers, status] of [
          [{ cookie: yield* signIn(c) }, 401],
          [{}, 401],
          [{ "x-webagent-node": "made up" }, 403]
        ] as const)
          assert.strictEqual((yield* send(a, "GET", `/console/api/pictures/${id}`, { headers })).status, status)
      })
    )
  )

  it.live("are read on the browser's node, whatever host name the first node's proxy serves", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const sessions = MemoryConsoleSessions.make()
        const a = yield* start(store, "a", { sessions })
        const b = yield* start(store, "b", { most: 0, sessions, listen: { trustProxy: ["127.0.0.1"] } })
        yield* met(store, 2)
        const { id } = yield* create(b)
        const headers = {
          cookie: yield* signIn(b),
          host: "agent.example",
          origin: "https://agent.example",
          "x-forwarded-for": "203.0.113.9",
          "x-forwarded-proto": "https",
          "x-forwarded-host": "agent.example"
        }
        const { body, status } = yield* send(b, "GET", `/console/api/browsers/${id}`, { headers })
        assert.deepStrictEqual([status, body["title"]], [200, "at a"])
        assert.strictEqual((yield* send(a, "GET", `/console/api/browsers/${id}`, { headers })).status, 403)
      })
    )
  )
})
