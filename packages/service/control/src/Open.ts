import * as Schema from "effect/Schema"

/** Open resources: turns without a final status, and sessions and browsers that aren't stopped. */
export const OpenView = Schema.Struct({
  turns: Schema.Array(
    Schema.Struct({ id: Schema.String, sessionId: Schema.String, status: Schema.String, createdAt_ms: Schema.Finite })
  ),
  sessions: Schema.Array(Schema.Struct({ id: Schema.String, createdAt_ms: Schema.Finite })),
  browsers: Schema.Array(Schema.Struct({ id: Schema.String, startedAt_ms: Schema.Finite }))
}).annotate({ identifier: "OpenView" })

export type OpenView = typeof OpenView.Type
