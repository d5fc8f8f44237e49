import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Server } from "../../../src/Server.ts"
import { send } from "../send.ts"
import { ask, layerAdmin } from "./served.ts"

const test = (title: string, body: Effect.Effect<unknown, unknown, Server>) =>
  it.live(title, () => Effect.asVoid(body).pipe(Effect.provide(layerAdmin())))

const begin = (key: string) =>
  Effect.map(ask(key, "POST", "/runs", { task: "Find a mug" }), ({ body }) => String(body["id"]))

type Row = Readonly<Record<string, unknown>>

const audit = (key: string, query = "") =>
  Effect.map(ask(key, "GET", `/audit${query}`), ({ body }) => body["rows"] as ReadonlyArray<Row>)

describe("notes of runs", () => {
  test(
    "marks a run with a note, and removes the mark",
    Effect.gen(function* () {
      const id = yield* begin("shop")
      assert.isNull((yield* ask("shop", "GET", `/runs/${id}`)).body["mark"])
      const set = yield* ask("root", "PUT", `/runs/${id}/mark`, { verdict: "wrong", note: "<b>No</b> mug" })
      assert.deepInclude(set.body, { verdict: "wrong", note: "<b>No</b> mug", by: "root" })
      assert.deepStrictEqual((yield* ask("shop", "GET", `/runs/${id}`)).body["mark"], set.body)
      assert.strictEqual((yield* ask("blog", "PUT", `/runs/${id}/mark`, { verdict: "right" })).status, 404)
      for (const body of [{}, { verdict: "maybe" }, { verdict: "right", note: "x".repeat(2001) }]) {
        assert.strictEqual((yield* ask("shop", "PUT", `/runs/${id}/mark`, body)).status, 422)
      }
      assert.strictEqual((yield* ask("shop", "DELETE", `/runs/${id}/mark`)).status, 204)
      assert.isNull((yield* ask("shop", "GET", `/runs/${id}`)).body["mark"])
    })
  )

  test(
    "shows the run of a link without a key, and nothing with another token or after the link is revoked",
    Effect.gen(function* () {
      const [id, other] = yield* Effect.all([begin("shop"), begin("shop")])
      const { body } = yield* ask("shop", "POST", `/runs/${id}/share`)
      const token = String(body["token"])
      const open = (run: string, query: string) => send("GET", `/share/runs/${run}${query}`, { key: null })
      const shown = yield* open(id, `?token=${token}`)
      assert.strictEqual(shown.status, 200)
      assert.include(String(body["url"]), `/share/runs/${id}?token=${token}`)
      assert.deepInclude(shown.body, { id, task: "Find a mug", stepList: [] })
      assert.doesNotHaveAnyKeys(shown.body, ["owner", "node", "sessionId", "tags"])
      assert.isTrue((yield* ask("shop", "GET", `/runs/${id}`)).body["shared"])
      for (const query of ["", "?token=", "?token=x", `?token=${token}x`]) {
        const refused = yield* open(id, query)
        assert.deepStrictEqual(
          [refused.status, refused.body],
          [404, { detail: "This link shows nothing. Check that it is complete" }]
        )
      }
      assert.strictEqual((yield* open(other, `?token=${token}`)).status, 404)
      assert.strictEqual((yield* open("a%2Fb", `?token=${token}`)).status, 404)
      assert.strictEqual((yield* open(`${id}/steps/1/picture`, `?token=${token}`)).status, 404)
      assert.strictEqual((yield* ask("blog", "POST", `/runs/${id}/share`)).status, 404)
      assert.strictEqual((yield* ask("blog", "DELETE", `/runs/${id}/share`)).status, 404)
      yield* Effect.sleep("2 millis")
      const second = yield* ask("root", "POST", `/runs/${id}/share`)
      assert.strictEqual((yield* open(id, `?token=${token}`)).status, 404)
      assert.strictEqual((yield* open(id, `?token=${String(second.body["token"])}`)).status, 200)
      yield* ask("shop", "DELETE", `/runs/${id}/share`)
      assert.strictEqual((yield* open(id, `?token=${String(second.body["token"])}`)).status, 404)
    })
  )
})

describe("audit log", () => {
  test(
    "has each change with who made it, its records and its status, and no reads",
    Effect.gen(function* () {
      const id = yield* begin("shop")
      yield* ask("shop", "GET", "/runs")
      yield* ask("shop", "POST", "/runs/cancel", { ids: [id, "unknown"] })
      yield* ask("blog", "PUT", `/runs/${id}/mark`, { verdict: "right" })
      yield* ask("shop", "POST", "/keys", { name: "mine" })
      yield* ask("root", "POST", "/keys", { name: "app" })
      yield* ask("root", "POST", "/keys", {})
      const all = yield* audit("root")
      assert.deepStrictEqual(
        all.map(({ action, count, key, status, targets }) => [key, action, status, targets, count]),
        [
          ["root", "keys.create", 422, [], 0],
          ["root", "keys.create", 201, ["app"], 1],
          ["shop", "keys.create", 403, [], 0],
          ["blog", "marks.set", 404, [id], 1],
          ["shop", "runs.cancel", 200, [id, "unknown"], 2],
          ["shop", "runs.create", 201, [id], 1]
        ]
      )
      assert.strictEqual(all[0]?.["address"], "127.0.0.1")
      const own = yield* audit("shop", "?key=root")
      assert.deepStrictEqual([...new Set(own.map(({ key }) => key))], ["shop"])
      assert.lengthOf(yield* audit("root", `?target=${id}&key=shop`), 2)
      assert.lengthOf(yield* audit("root", "?action=keys.create"), 3)
      assert.lengthOf(yield* audit("root", "?target=' OR 1=1 --"), 0)
      const first = yield* ask("root", "GET", "/audit?limit=4")
      const second = yield* ask("root", "GET", `/audit?limit=4&cursor=${String(first.body["next"])}`)
      assert.lengthOf(second.body["rows"] as ReadonlyArray<Row>, 2)
      assert.isNull(second.body["next"])
      assert.strictEqual((yield* ask("shop", "GET", `/audit?cursor=${String(first.body["next"])}`)).status, 400)
    })
  )

  test(
    "names 20 of many records, and cuts long ids",
    Effect.gen(function* () {
      const ids = Array.from({ length: 30 }, (_, index) => `${index}`)
      yield* ask("root", "POST", "/browsers/stop", { ids })
      const [entry] = yield* audit("root")
      assert.deepStrictEqual([entry?.["targets"], entry?.["count"]], [ids.slice(0, 20), 30])
      yield* ask("root", "DELETE", `/runs/${"x".repeat(900)}/mark`)
      const [long] = yield* audit("root")
      assert.deepStrictEqual(long?.["targets"], ["x".repeat(200)])
    })
  )
})
