import { assert, describe, it } from "@effect/vitest"
import { AuditLog, ConsoleSessions, noNote, RunNotes } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import { SqlConsoleSessions, SqlNotes } from "../src/index.ts"

const entry = {
  at_ms: 1000,
  key: "shop",
  address: "10.0.0.1",
  action: "runs.cancel",
  targets: ["a"],
  count: 1,
  status: 200
}

/** Tests of the notes and console sessions of each database. */
export const notesOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient, E>) => {
  const test = (title: string, body: Effect.Effect<unknown, unknown>) =>
    it.live(title, () =>
      Effect.asVoid(body).pipe(
        Effect.provide(
          Layer.fresh(Layer.provideMerge(Layer.merge(SqlConsoleSessions.layer, SqlNotes.layer), database)),
          { local: true }
        )
      )
    )

  describe(`SqlNotes over ${name}`, () => {
    test(
      "lists the audit log newest first with filters, and deletes old entries",
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
      "keeps the mark and the link of a run separately",
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

    test(
      "keeps console sessions until they are idle, removed, or too many for their key",
      Effect.gen(function* () {
        const sessions = (yield* ConsoleSessions) ?? assert.fail()
        const limits = { idleUntil_ms: 0, perKey: 2 }
        const session = { hash: "a", key: "shop", keyCreatedAt_ms: 7, begunAt_ms: 1000, usedAt_ms: 1000 }
        yield* sessions.add(session, limits)
        assert.deepStrictEqual(yield* sessions.get("a"), session)
        assert.isNull(yield* sessions.get("A"))
        yield* sessions.use("a", 5000)
        yield* sessions.use("none", 5000)
        assert.deepStrictEqual(yield* sessions.get("a"), { ...session, usedAt_ms: 5000 })
        const given = { ...session, hash: "b", key: "given", keyCreatedAt_ms: null, usedAt_ms: 2000 }
        yield* sessions.add(given, limits)
        assert.deepStrictEqual(yield* sessions.get("b"), given)
        yield* sessions.add({ ...session, hash: "c", begunAt_ms: 2000 }, { ...limits, idleUntil_ms: 2000 })
        assert.deepStrictEqual([yield* sessions.get("b"), yield* sessions.get("c")], [null, null])
        for (const [hash, begunAt_ms] of [
          ["d", 3000],
          ["e", 4000]
        ] as const)
          yield* sessions.add({ ...session, hash, begunAt_ms, usedAt_ms: 9000 }, limits)
        assert.isNull(yield* sessions.get("a"))
        assert.strictEqual((yield* sessions.get("d"))?.hash, "d")
        yield* sessions.remove("d")
        assert.isNull(yield* sessions.get("d"))
        assert.isNotNull(yield* sessions.get("e"))
      })
    )

    test(
      "lists the links of the newest runs first, without revoked ones",
      Effect.gen(function* () {
        const notes = (yield* RunNotes) ?? assert.fail()
        const share = { id: "x", createdAt_ms: 1, expiresAt_ms: 2 }
        for (const id of ["p1", "p3", "p2", "p4"]) yield* notes.set(id, { share: { ...share, id } })
        yield* notes.set("p4", { share: null })
        yield* notes.set("p5", { mark: { verdict: "right", note: null, by: "shop", at_ms: 1 } })
        const listed = (yield* notes.shares(null, 1000)).filter(({ turnId }) => turnId.startsWith("p"))
        assert.deepStrictEqual(
          listed,
          ["p3", "p2", "p1"].map((id) => ({ turnId: id, share: { ...share, id } }))
        )
        const idsOf = (after: string | null, limit: number) =>
          Effect.map(notes.shares(after, limit), (shares) => shares.map(({ turnId }) => turnId))
        assert.deepStrictEqual(yield* idsOf("p4", 2), ["p3", "p2"])
        assert.deepStrictEqual(yield* idsOf("p2", 1), ["p1"])
      })
    )
  })
}
