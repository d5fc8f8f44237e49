import { assert, describe, it } from "@effect/vitest"
import { AuditLog, noNote, RunNotes } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import { SqlNotes } from "../src/index.ts"

const entry = {
  at_ms: 1000,
  key: "shop",
  address: "10.0.0.1",
  action: "runs.cancel",
  targets: ["a"],
  count: 1,
  status: 200
}

/** What the notes of each database have to do. */
export const notesOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient, E>) => {
  const test = (title: string, body: Effect.Effect<unknown, unknown>) =>
    it.live(title, () =>
      Effect.asVoid(body).pipe(
        Effect.provide(Layer.fresh(Layer.provideMerge(SqlNotes.layer, database)), { local: true })
      )
    )

  describe(`SqlNotes over ${name}`, () => {
    test(
      "lists the audit log newest first, by what a filter says, and deletes old entries",
      Effect.gen(function* () {
        const log = (yield* AuditLog) ?? assert.fail()
        yield* log.add(entry)
        yield* log.add({ ...entry, at_ms: 2000, key: "blog", targets: [`"b' OR 1=1 --`, "c"], count: 9, status: 404 })
        yield* log.add({ ...entry, at_ms: 3000, action: "keys.create", targets: [] })
        const all = yield* log.list({}, null, 10)
        const [third, second, first] = all
        assert.deepStrictEqual(
          [first, third],
          [
            { ...entry, id: first?.id ?? 0 },
            { ...entry, at_ms: 3000, action: "keys.create", targets: [], id: third?.id ?? 0 }
          ]
        )
        const found = (filter: Parameters<typeof log.list>[0], before: number | null = null) =>
          Effect.map(log.list(filter, before, 10), (entries) => entries.map(({ id }) => id))
        assert.deepStrictEqual(yield* found({ key: "blog" }), [second?.id])
        assert.deepStrictEqual(yield* found({ target: `"b' OR 1=1 --` }), [second?.id])
        assert.deepStrictEqual(yield* found({ target: "b' OR" }), [])
        assert.deepStrictEqual(yield* found({ action: "keys.create", from_ms: 3000 }), [third?.id])
        assert.deepStrictEqual(yield* found({ from_ms: 2000, to_ms: 3000 }), [second?.id])
        assert.deepStrictEqual(yield* found({}, second?.id), [first?.id])
        assert.strictEqual(yield* log.prune(2000, 1), 1)
        assert.strictEqual(yield* log.prune(2000, 10), 1)
        assert.deepStrictEqual(yield* found({}), [third?.id])
      })
    )

    test(
      "keeps the mark and the link of a run apart",
      Effect.gen(function* () {
        const notes = (yield* RunNotes) ?? assert.fail()
        const mark = { verdict: "wrong", note: "é'\u2028", by: "shop", at_ms: 1 } as const
        const share = { id: "x", createdAt_ms: 1, expiresAt_ms: 2 }
        assert.deepStrictEqual(yield* notes.get("a"), noNote)
        yield* notes.set("a", { mark })
        yield* notes.set("a", { share })
        assert.deepStrictEqual(yield* notes.get("a"), { mark, share })
        yield* notes.set("a", { mark: null })
        assert.deepStrictEqual(yield* notes.get("a"), { mark: null, share })
        assert.deepStrictEqual(yield* notes.get("b"), noNote)
      })
    )
  })
}
