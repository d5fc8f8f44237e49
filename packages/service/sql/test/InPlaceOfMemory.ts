import type { Records, Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { file } from "./files.ts"

const none: Records = {
  sessions: [],
  turns: [],
  turnSteps: [],
  modelCalls: [],
  messages: [],
  browsers: [],
  idempotencyRecords: []
}

/** Names of the tables, by the kind of record. */
const tableOf: Readonly<Record<keyof Records, string>> = {
  sessions: "sessions",
  turns: "turns",
  turnSteps: "turn_steps",
  modelCalls: "model_calls",
  messages: "messages",
  browsers: "browsers",
  idempotencyRecords: "idempotency_keys"
}

const fill = Effect.fnUntraced(function* (records: Records) {
  const sql = yield* SqlClient.SqlClient
  const { browserRow, keyRow, messageRow, modelCallRow, sessionRow, stepRow, turnRow } = yield* Effect.promise(
    () => import("../src/Rows.ts")
  )
  const insert = <K extends keyof Records>(kind: K, row: (record: Records[K][number]) => Record<string, unknown>) =>
    Effect.forEach(records[kind], (record) => sql`INSERT INTO ${sql(tableOf[kind])} ${sql.insert(row(record))}`)
  yield* insert("sessions", sessionRow)
  yield* insert("turns", turnRow)
  yield* insert("turnSteps", stepRow)
  yield* insert("modelCalls", modelCallRow)
  yield* insert("messages", messageRow)
  yield* insert("browsers", browserRow)
  yield* insert("idempotencyRecords", keyRow)
})

/**
 * Replaces the engine's `MemoryStore.layerOf` under WEBAGENT_STORE=sqlite, so that the tests of every package run
 * unchanged over a database file. Each store has its own file, which is deleted with it.
 */
export const layerOf = (records: Records): Layer.Layer<Store> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const path = yield* file
      // loaded late, because the engine exports this module and the database imports the engine
      const { Database, SqlStore } = yield* Effect.promise(() => import("../src/index.ts"))
      const filled = Layer.provideMerge(Layer.effectDiscard(fill(records)), Database.layer({ file: path }))
      return Layer.orDie(Layer.provide(SqlStore.layer, filled))
    })
  )

/** Replaces the engine's `MemoryStore.layer`. */
export const layer: Layer.Layer<Store> = layerOf(none)
