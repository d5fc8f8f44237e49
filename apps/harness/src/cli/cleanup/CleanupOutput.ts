import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import type { Leftover } from "../../leftovers/Leftover.ts"

/** The output of `cleanup --json`. */
export const CleanupOutput = Schema.Struct({
  ledger: Schema.String,
  dryRun: Schema.Boolean,
  items: Schema.Array(
    Schema.Struct({
      kind: Schema.String,
      /** Null where the create got no response. */
      id: Schema.NullOr(Schema.String),
      /** The key to pass to `--forget`. */
      key: Schema.String,
      owner: Schema.NullOr(Schema.String),
      openedAt: Schema.String,
      origin: Schema.String,
      /**
       * `left`: nothing was done yet. `over`: ended by itself. `open`: may continue and cost. `unknown`: may exist. `in use`:
       * its process runs, or it is too new.
       */
      state: Schema.Literals(["left", "stopped", "over", "open", "unknown", "in use"]),
      /** The reason, or the service's answer; may be empty. */
      why: Schema.String
    })
  )
}).annotate({ identifier: "CleanupOutput" })

/** The items of a ledger for a program. */
export const itemsOf = (leftovers: ReadonlyArray<Leftover>): typeof CleanupOutput.Type.items =>
  leftovers.map(({ item: { at_ms, id, key, kind, origin, owner }, state, why }) => ({
    kind,
    id: id ?? null,
    key,
    owner: owner ?? null,
    openedAt: DateTime.formatIso(DateTime.makeUnsafe(at_ms)),
    origin,
    state,
    why
  }))
