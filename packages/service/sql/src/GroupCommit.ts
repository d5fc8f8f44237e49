import type { StoreUnavailable } from "@webagent/engine"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { never, unavailable } from "./unavailable.ts"
import type { Write } from "./Writes.ts"

type Outcome = Exit.Exit<void, Write | StoreUnavailable>

type Commit = (writes: ReadonlyArray<Write>) => Effect.Effect<void, Write | StoreUnavailable>

/**
 * Commits the statements of a step together with those of other steps that come at the same time, at a fraction of the
 * cost of a transaction of effect/sql. Fails with the first statement that is refused, which doesn't affect the other
 * steps. If the database undoes the whole transaction, as on a full disk, all its steps fail. Null for a database whose
 * steps commit one by one.
 */
export const GroupCommit: Context.Reference<Commit | null> = Context.Reference("@webagent/sql/GroupCommit", {
  defaultValue: (): Commit | null => null
})

interface GroupCommitOptions {
  readonly db: DatabaseSync
  readonly prepare: (text: string) => StatementSync
  /** Runs while no other transaction of the connection does. */
  readonly alone: (run: Effect.Effect<void>) => Effect.Effect<void, SqlError>
  readonly toError: (cause: unknown) => SqlError
}

interface Waiting {
  readonly writes: ReadonlyArray<Write>
  readonly resume: (outcome: Outcome) => void
}

/** Maximum number of steps in a transaction, because nothing else runs meanwhile. */
const most = 64

/** Makes the group commit of a SQLite connection. */
export const make = Effect.fnUntraced(function* ({ alone, db, prepare, toError }: GroupCommitOptions) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let waiting: Array<Waiting> = []

  const control = (text: string) => prepare(text).run()

  /** Runs the statements of a step. Returns the first one that is refused. */
  const runAll = (writes: ReadonlyArray<Write>): Write | undefined =>
    writes.find(({ refusal, text, values }) => {
      const statement = prepare(text)
      if (refusal !== undefined) return statement.get(...values) === undefined
      statement.run(...values)
      return false
    })

  const attempt = (writes: ReadonlyArray<Write>): Outcome => {
    control("SAVEPOINT step")
    let outcome: Outcome = Exit.void
    try {
      const refused = runAll(writes)
      if (refused !== undefined) outcome = Exit.fail(refused)
    } catch (cause) {
      // after some errors, such as that of a full disk, SQLite has undone the whole transaction
      if (!db.isTransaction) throw cause
      outcome = Exit.fail(never(toError(cause)))
    }
    if (Exit.isFailure(outcome)) control("ROLLBACK TO step")
    control("RELEASE step")
    return outcome
  }

  const commit = (group: ReadonlyArray<Waiting>): ReadonlyArray<Outcome> => {
    let commits = false
    try {
      control("BEGIN IMMEDIATE")
      const outcomes = group.map(({ writes }) => attempt(writes))
      commits = true
      control("COMMIT")
      return outcomes
    } catch (cause) {
      // the next transaction tries again if this fails
      if (db.isOpen && db.isTransaction) Effect.runSync(Effect.ignore(Effect.try(() => control("ROLLBACK"))))
      const error = toError(cause)
      return group.map(() => Exit.fail(commits ? unavailable(error) : never(error)))
    }
  }

  const failed = (cause: Cause.Cause<SqlError>): Outcome => {
    const error = Cause.squash(cause)
    return isSqlError(error) ? Exit.fail(never(error)) : Exit.die(error)
  }

  const next = Effect.sync(() => {
    const group = waiting.splice(0, most)
    if (waiting.length > 0) setImmediate(start)
    commit(group).forEach((outcome, index) => group[index]?.resume(outcome))
  })

  const start = () =>
    void fork(
      alone(next).pipe(
        // every step gets an outcome, and the next step starts a group
        Effect.catchCause((cause) =>
          Effect.sync(() => waiting.splice(0).forEach(({ resume }) => resume(failed(cause))))
        )
      )
    )

  const together: Commit = (writes) =>
    Effect.callback((resume) => {
      const one = { writes, resume: (outcome: Outcome) => resume(outcome) }
      // all steps that are ready in this turn of the event loop share a transaction
      if (waiting.push(one) === 1) setImmediate(start)
      return Effect.sync(() => void (waiting = waiting.filter((each) => each !== one)))
    })
  return together
})
