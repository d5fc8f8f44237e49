import * as Effect from "effect/Effect"
import { DatabaseSync } from "node:sqlite"

/** SQLite's plan of each read that an effect prepares, by the text of the read. */
export const plansOf = <A, E, R>(file: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const texts = new Set<string>()
    const { prepare } = DatabaseSync.prototype
    DatabaseSync.prototype.prepare = function (text, ...rest) {
      texts.add(text)
      return prepare.call(this, text, ...rest)
    }
    yield* Effect.ensuring(
      effect,
      Effect.sync(() => void (DatabaseSync.prototype.prepare = prepare))
    )
    const db = new DatabaseSync(file, { readOnly: true })
    const reads = [...texts].filter((text) => /^\s*(?:SELECT|WITH)/u.test(text))
    const plans = reads.map((text) => ({
      text,
      steps: db
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all()
        .map(({ detail }) => String(detail))
    }))
    db.close()
    return plans
  })
