import { assert, it } from "@effect/vitest"
import { AuditLog, RunNotes, Store } from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, SqlNotes, SqlStore } from "../src/index.ts"
import { file } from "./files.ts"
import { notesOver } from "./notes.ts"
import { plansOf } from "./plans.ts"

const database = Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path })))

notesOver("SQLite", database)

it.live("the note of a run is deleted with the run", () =>
  Effect.gen(function* () {
    const store = yield* Store
    const notes = (yield* RunNotes) ?? assert.fail()
    const { events, session, turns } = creation("1")
    yield* store.commit({ session, turns, events })
    yield* notes.set("t1", { share: { id: "x", createdAt_ms: 1, expiresAt_ms: 2 } })
    const stopped = { ...session, status: "stopped" as const, revision: 2, finishedAt_ms: 1 }
    const over = turns.map((turn) => ({ ...turn, status: "cancelled" as const, finishedAt_ms: 1 }))
    yield* store.commit({ session: stopped, turns: over, events: [] })
    assert.isTrue(yield* store.purge("s1"))
    assert.isNull((yield* notes.get("t1")).share)
  }).pipe(Effect.provide(Layer.provideMerge(Layer.merge(SqlStore.layer, SqlNotes.layer), database)))
)

it.live("a target's entries are found by an index", () =>
  Effect.gen(function* () {
    const path = yield* file
    const read = Effect.gen(function* () {
      const log = (yield* AuditLog) ?? assert.fail()
      yield* log.list({ target: "a" }, null, 10)
    }).pipe(Effect.provide(Layer.provide(SqlNotes.layer, Database.layer({ file: path }))))
    const plans = (yield* plansOf(path, read)).filter(({ text }) => text.includes("audit_targets"))
    assert.lengthOf(plans, 1)
    assert.isFalse(plans.flatMap(({ steps }) => steps).some((step) => step.startsWith("SCAN")))
  })
)
