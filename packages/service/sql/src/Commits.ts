import {
  Conflict,
  type IdempotencyRecord,
  idempotencyLifetime_ms,
  KeyTaken,
  type Step,
  type Store
} from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { GroupCommit } from "./GroupCommit.ts"
import * as JoinedWrites from "./JoinedWrites.ts"
import { parsedKey } from "./Rows.ts"
import { read, transaction } from "./unavailable.ts"
import { type Write, writesOf } from "./Writes.ts"

type Commit = Store["Service"]["commit"]

/** Makes the commit of a step: everything is written, or nothing. */
export const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const joined = sql.onDialectOrElse({ pg: () => JoinedWrites.make(sql), orElse: () => undefined })
  const quickly = joined?.commit ?? (yield* GroupCommit)

  const run = ({ refusal, text, values }: Write): Effect.Effect<void, Write | SqlError> =>
    Effect.flatMap(sql.unsafe(text, values), (rows) =>
      refusal === undefined || rows.length === 1 ? Effect.void : Effect.fail({ _tag: "Write", refusal, text, values })
    )

  const runAll = joined?.runAll ?? ((writes: ReadonlyArray<Write>) => Effect.forEach(writes, run, { discard: true }))

  /** Commits the statements of a step. Fails with one that is refused. */
  const write = (writes: ReadonlyArray<Write>, { also }: Step) => {
    const alone = transaction(sql, Effect.andThen(runAll(writes), also ?? Effect.void))
    return quickly === null || also !== undefined
      ? alone
      : // a group would wait forever for the transaction that this step is a part of
        Effect.flatMap(Effect.serviceOption(sql.transactionService), (outer) =>
          Option.isSome(outer) ? alone : quickly(writes)
        )
  }

  /** Deletes expired records of a create's digests. Fails if one has not expired. */
  const freeKey = (record: IdempotencyRecord) =>
    read(
      Effect.gen(function* () {
        const digests = sql.in(record.also === undefined ? [record.key] : [record.key, record.also])
        const rows = yield* sql`SELECT n, created_at_ms, record FROM idempotency_keys
          WHERE key IN ${digests} OR also IN ${digests}`
        for (const { created_at_ms, n, record: text } of rows) {
          if (Number(created_at_ms) > record.createdAt_ms - idempotencyLifetime_ms) {
            return yield* new KeyTaken({ record: parsedKey(text) })
          }
          yield* sql`DELETE FROM idempotency_keys WHERE n = ${n}`
        }
      })
    )

  const commit: Commit = (step) =>
    Effect.catchTag(write(writesOf(step), step), "Write", ({ refusal }) =>
      refusal?.of === "key"
        ? Effect.flatMap(freeKey(refusal.record), () => commit(step))
        : Effect.fail(new Conflict({ id: refusal?.id ?? "" }))
    )

  return commit
})
