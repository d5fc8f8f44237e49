import * as Schema from "effect/Schema"

/** What `list --json` prints. */
export const ListOutput = Schema.Struct({
  suites: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      /** How `run` is told to run it: its name, or its file. */
      argument: Schema.String,
      scenarios: Schema.Array(
        Schema.Struct({
          name: Schema.String,
          needs: Schema.Array(Schema.String),
          tags: Schema.Array(Schema.String),
          trials: Schema.Int,
          /** Run only this scenario, and others that say so. */
          only: Schema.Boolean,
          /** Why it is not run; null when it is. */
          skip: Schema.NullOr(Schema.String),
          /** For all its trials, an exact decimal; null without one. */
          budget_usd: Schema.NullOr(Schema.String),
          /** File and line; null where they are unknown. */
          where: Schema.NullOr(Schema.String)
        })
      )
    })
  )
}).annotate({ identifier: "ListOutput" })
