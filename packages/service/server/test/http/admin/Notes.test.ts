import { assert, describe, it } from "@effect/vitest"
import { Recordings } from "@webagent/engine"
import type { Answer } from "@webagent/test-fixtures/Requests"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Server } from "../../../src/Server.ts"
import { send } from "../send.ts"
import type { Perform } from "../served.ts"
import { ask, layerAdmin } from "./served.ts"

const test = (title: string, body: Effect.Effect<unknown, unknown, Server>) =>
  it.live(title, () => Effect.asVoid(body).pipe(Effect.provide(layerAdmin())))

const begin = (key: string) =>
  Effect.map(ask(key, "POST", "/runs", { task: "Find a mug" }), ({ body }) => String(body["id"]))

type Row = Readonly<Record<string, unknown>>

const audit = (key: string, query = "") =>
  Effect.map(ask(key, "GET", `/audit${query}`), ({ body }) => body["rows"] as ReadonlyArray<Row>)

describe("notes on runs", () => {
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
    "open a shared run without a key, but not with another token or after the link is revoked",
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
      // a key that sees the run can read its link again
      assert.deepStrictEqual((yield* ask("shop", "GET", `/runs/${id}/share`)).body, second.body)
      assert.strictEqual((yield* ask("blog", "GET", `/runs/${id}/share`)).status, 404)
      assert.strictEqual((yield* ask("shop", "GET", `/runs/${other}/share`)).status, 404)
      const listed = { ...second.body, task: "Find a mug", title: "Find a mug", owner: "shop" }
      for (const [key, links] of [
        ["shop", [listed]],
        ["root", [listed]],
        ["blog", []]
      ] as const) {
        const list = yield* ask(key, "GET", "/shares")
        assert.deepStrictEqual(list.body as unknown, { rows: links, next: null, complete: true })
      }
      yield* ask("shop", "DELETE", `/runs/${id}/share`)
      assert.deepStrictEqual((yield* ask("shop", "GET", "/shares")).body["rows"], [])
      assert.strictEqual((yield* ask("shop", "GET", `/runs/${id}/share`)).status, 404)
      assert.strictEqual((yield* open(id, `?token=${String(second.body["token"])}`)).status, 404)
    })
  )

  test(
    "list the links of over a thousand runs page by page, each once, to keys that see these runs",
    Effect.gen(function* () {
      const newest = yield* begin("blog")
      yield* ask("blog", "POST", `/runs/${newest}/share`)
      const ids = yield* Effect.forEach(Array.from({ length: 1100 }), () => begin("shop"), { concurrency: 16 })
      yield* Effect.forEach(ids, (id) => ask("shop", "POST", `/runs/${id}/share?days=1`), { concurrency: 16 })
      const walk = Effect.fnUntraced(function* (key: string) {
        const seen: Array<string> = []
        for (let cursor: string | null = ""; cursor !== null;) {
          const { body }: Answer = yield* ask(
            key,
            "GET",
            `/shares?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`
          )
          seen.push(...(body["rows"] as ReadonlyArray<Row>).map(({ runId }) => String(runId)))
          cursor = body["next"] as string | null
        }
        return seen
      })
      assert.deepStrictEqual(yield* walk("shop"), ids.toSorted().toReversed())
      assert.deepStrictEqual(yield* walk("blog"), [newest])
      assert.lengthOf(yield* walk("root"), ids.length + 1)
      const first = yield* ask("shop", "GET", "/shares?limit=1")
      for (const [key, cursor] of [
        ["blog", String(first.body["next"])],
        ["shop", "x"],
        [
          "shop",
          Buffer.from(`${Buffer.from(String(first.body["next"]), "base64url").toString()}\0`).toString("base64url")
        ]
      ] as const)
        assert.strictEqual((yield* ask(key, "GET", `/shares?cursor=${cursor}`)).status, 400)
    })
  )

  it.live("show the recording of a browser that only did this run, for the requested lifetime of the link", () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-shares-"))
    const path = join(folder, "a.webm")
    writeFileSync(path, "video")
    const file = Option.some({ path, contentType: "video/webm", bytes: 5, finishedAt_ms: 0 })
    const files = Layer.succeed(Recordings, {
      find: () => Effect.succeed(file),
      keep: () => Effect.succeed(null),
      forget: () => Effect.void,
      prune: () => Effect.succeed(0)
    })
    const perform: Perform = (_, { browser }) =>
      Stream.concat(
        Stream.make({ _tag: "Started" } as const),
        Stream.fromEffect(
          Effect.as(Effect.scoped(Effect.orDie(browser)), { _tag: "Completed", report: { output: "a mug" } } as const)
        )
      )
    return Effect.gen(function* () {
      const start = Effect.gen(function* () {
        const { body } = yield* ask("shop", "POST", "/runs", { task: "Find a mug", enableRecording: true })
        const id = String(body["id"])
        while ((yield* ask("shop", "GET", `/runs/${id}`)).body["status"] !== "completed")
          yield* Effect.sleep("5 millis")
        return { id, sessionId: String(body["sessionId"]) }
      })
      const linkOf = (id: string, query = "") => ask("shop", "POST", `/runs/${id}/share${query}`)
      const open = (id: string, link: Answer, part = "") =>
        send("GET", `/share/runs/${id}${part}?token=${String(link.body["token"])}`, { key: null })
      const { id, sessionId } = yield* start
      const link = yield* linkOf(id, "?days=2")
      assert.strictEqual(
        Date.parse(String(link.body["expiresAt"])) - Date.parse(String(link.body["createdAt"])),
        2 * 86_400_000
      )
      for (const days of ["0", "366", "1e2", " 2"]) assert.strictEqual((yield* linkOf(id, `?days=${days}`)).status, 422)
      assert.isFalse((yield* open(id, link)).body["recording"])
      assert.strictEqual((yield* open(id, link, "/recording")).status, 404)
      yield* ask("shop", "POST", `/sessions/${sessionId}/stop`)
      assert.isTrue((yield* open(id, link)).body["recording"])
      assert.strictEqual((yield* open(id, link, "/recording")).text, "video")
      assert.strictEqual((yield* open(id, { ...link, body: { token: "x" } }, "/recording")).status, 404)
      // the video of a session shows its other runs, too
      const two = yield* start
      yield* ask("shop", "POST", `/runs/${two.id}/messages`, { text: "And a cup", interrupt: false })
      yield* ask("shop", "POST", `/sessions/${two.sessionId}/stop`)
      const second = yield* linkOf(two.id)
      assert.isFalse((yield* open(two.id, second)).body["recording"])
      assert.strictEqual((yield* open(two.id, second, "/recording")).status, 404)
    }).pipe(
      Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true }))),
      Effect.provide(Layer.provide(layerAdmin({ perform }), files))
    )
  })
})

describe("the audit log", () => {
  test(
    "has each change with its author, records and status, but no reads",
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
    "names 20 of many records, and truncates long ids",
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

  test(
    "has exports that a program reports, even with a read-only key",
    Effect.gen(function* () {
      assert.strictEqual((yield* ask("reader", "POST", "/audit/exports", { list: "runs", count: 120 })).status, 204)
      for (const body of [{ list: "<b>", count: 1 }, { list: "runs", count: -1 }, {}])
        assert.strictEqual((yield* ask("reader", "POST", "/audit/exports", body)).status, 422)
      const [, , , entry] = yield* audit("root", "?action=audit.export")
      assert.deepInclude(entry, { key: "reader", action: "audit.export", targets: ["runs"], count: 120, status: 204 })
    })
  )
})
