import type { StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { numbered } from "./statements.ts"
import { transaction, unavailable } from "./unavailable.ts"
import type { Write } from "./Writes.ts"

/** Largest number of statements that are joined, because Postgres keeps the plan of each joined statement. */
const most = 16

/** Number of texts that are kept. Steps differ in their tables and in their number of turns and events. */
const mostTexts = 1000

const texts = new Map<string, string>()

/**
 * Returns the joined statements of a step. Postgres runs the parts without a refusal in any order, so each statement has
 * at most one part with events, which are the last parts of a step and whose order counts.
 */
const joinable = (writes: ReadonlyArray<Write>): ReadonlyArray<ReadonlyArray<Write>> => {
  const chunks: Array<Array<Write>> = []
  for (const write of writes) {
    const last = chunks.at(-1)
    const isFull = last?.length === most || (write.isOrdered === true && last?.at(-1)?.isOrdered === true)
    if (last === undefined || isFull) chunks.push([write])
    else last.push(write)
  }
  return chunks
}

const refusedAt = (index: number) => `webagent: statement ${index} of this step is refused`

/**
 * Returns one statement for several. All of them run, in the order of those that can be refused. If one of these wrote
 * no row, an error undoes everything: text is not an integer.
 */
const join = (writes: ReadonlyArray<Write>): string => {
  const parts = writes.map(({ text }, index) => `w${index} AS (${text})`)
  const refusals = writes.flatMap(({ refusal }, index) =>
    refusal === undefined ? [] : [`WHEN NOT EXISTS (SELECT FROM w${index}) THEN '${refusedAt(index)}'`]
  )
  const check = refusals.length === 0 ? "1" : `CAST(CASE ${refusals.join(" ")} END AS INTEGER)`
  return numbered(`WITH ${parts.join(", ")} SELECT ${check}`)
}

const textOf = (writes: ReadonlyArray<Write>): string => {
  const form = writes.map(({ text }) => text).join(";")
  const existing = texts.get(form)
  if (existing !== undefined) return existing
  if (texts.size >= mostTexts) texts.clear()
  const text = join(writes)
  texts.set(form, text)
  return text
}

/** Returns the statement that was refused, if that is the error. */
const refusedOf = (writes: ReadonlyArray<Write>, { reason }: SqlError): Write | undefined => {
  const { message = "" } = (reason.cause ?? {}) as { readonly message?: string }
  return writes.find((_, index) => message.includes(refusedAt(index)))
}

/**
 * Makes commits for Postgres, whose steps are one statement each: one round trip, instead of one for each statement and
 * for the beginning and the end of a transaction. It is stored as a whole or refused as a whole.
 */
export const make = (sql: SqlClient.SqlClient) => {
  const run = (writes: ReadonlyArray<Write>): Effect.Effect<void, Write | SqlError> => {
    const values = writes.flatMap(({ values }) => values)
    return Effect.mapError(
      Effect.asVoid(sql.unsafe(textOf(writes), values)),
      (error) => refusedOf(writes, error) ?? error
    )
  }

  /** Runs the statements of a step within a transaction. Fails with the first one that is refused. */
  const runAll = (writes: ReadonlyArray<Write>) => Effect.forEach(joinable(writes), run, { discard: true })

  return {
    runAll,
    /** Commits the statements of a step. Fails with the first one that is refused. */
    commit: (writes: ReadonlyArray<Write>): Effect.Effect<void, Write | StoreUnavailable> =>
      joinable(writes).length > 1
        ? transaction(sql, runAll(writes))
        : // an interruption would cancel a statement that may be stored already
          Effect.mapError(Effect.uninterruptible(run(writes)), (error) =>
            isSqlError(error) ? unavailable(error) : error
          )
  }
}
