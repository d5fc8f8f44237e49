import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { folder, ready, run, send, start } from "./program.ts"

/** Creates this many browsers at once, and returns the statuses and the ids. */
const create = Effect.fnUntraced(function* (v4: string | undefined, key: string, count: number) {
  const responses = yield* Effect.all(
    Array.from({ length: count }, () => send(v4, key, "POST", "/browsers", {})),
    { concurrency: "unbounded" }
  )
  const ids = responses.flatMap(({ body, status }) => (status === 201 ? [String(body["id"])] : []))
  return { statuses: responses.map(({ status }) => status).toSorted(), ids, responses }
})

it.live("one key alone gets all browsers, three quarters next to a second key, and at most its own limit", () =>
  Effect.gen(function* () {
    const path = yield* folder
    // browsers of a server that is root run as another user
    chmodSync(path, 0o711)
    const data = `--data=${join(path, "server.db")}`
    const limited = yield* run(["keys", "create", "--name=limited", "--max-browsers=4", data])
    const flags = ["serve", "--browsers=chromium", "--min-isolation=none", "--port=0", "--max-browsers=4", data]
    const program = yield* start([...flags, "--api-key=one", "--api-key=two"], { TMPDIR: path })
    const { v4 } = yield* ready(program)
    const stop = (key: string, ids: ReadonlyArray<string>) =>
      Effect.forEach(ids, (id) => send(v4, key, "PATCH", `/browsers/${id}`, { action: "stop" }), {
        concurrency: "unbounded",
        discard: true
      })

    const alone = yield* create(v4, "one", 5)
    assert.deepStrictEqual(alone.statuses, [201, 201, 201, 201, 429])
    yield* stop("one", alone.ids)
    const second = yield* create(v4, "two", 1)
    yield* stop("two", second.ids)
    const next = yield* create(v4, "one", 5)
    assert.deepStrictEqual(next.statuses, [201, 201, 201, 429, 429])
    const refused = next.responses.find(({ status }) => status === 429)
    assert.strictEqual(refused?.headers.get("retry-after"), "5")
    assert.include(String(refused?.body["detail"]), "as many as one key may have")
    const again = yield* create(v4, "two", 1)
    assert.deepStrictEqual(again.statuses, [201])
    yield* stop("one", next.ids)
    yield* stop("two", again.ids)
    assert.deepStrictEqual((yield* create(v4, limited.stdout.trim(), 4)).statuses, [201, 201, 201, 201])
  })
)
