import * as Schema from "effect/Schema"

/** The output of `list --json`. */
export const ListOutput = Schema.Struct({
  suites: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      /** The argument that makes `run` run the suite: its name, or its file. */
      argument: Schema.String,
      scenarios: Schema.Array(
        Schema.Struct({
          name: Schema.String,
          needs: Schema.Array(Schema.String),
          tags: Schema.Array(Schema.String),
          /** Who looks at its failures; null without an owner. */
          owner: Schema.NullOr(Schema.String),
          trials: Schema.Int,
          /** Run only this scenario, and others that say so. */
          only: Schema.Boolean,
          /** The reason why it is skipped; null if it runs. */
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
