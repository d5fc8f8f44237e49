import * as Schema from "effect/Schema"
import { Browser } from "./Browser.ts"
import { Moment } from "./Fields.ts"
import { Profile } from "./Profile.ts"
import type { ScheduledRun } from "./ScheduledRun.ts"
import { Session } from "./Session.ts"
import { Turn } from "./Turn.ts"
import type { Webhook } from "./Webhook.ts"
import { Workspace } from "./Workspace.ts"

/** Result of a create that a snapshot may have. */
const Made = Schema.Union([
  Schema.TaggedStruct("Session", { session: Session, turn: Turn }),
  Schema.TaggedStruct("OpenSession", { session: Session }),
  Schema.TaggedStruct("Message", { id: Schema.String, interrupt: Schema.Boolean, turn: Turn }),
  Schema.TaggedStruct("Browser", { browser: Browser }),
  Schema.TaggedStruct("Profile", { profile: Profile }),
  Schema.TaggedStruct("Workspace", { workspace: Workspace })
])

/** Result of a create, as it was then. A repeated create returns it. */
export type Made =
  | typeof Made.Type
  | { readonly _tag: "Schedule"; readonly schedule: ScheduledRun }
  | { readonly _tag: "Webhook"; readonly webhook: Webhook }

/** That a create with an idempotency key was carried out, in a snapshot. */
export const SnapshotKey = Schema.Struct({
  /** A digest of who asked, for what, and of the key that was given. */
  key: Schema.String,
  /** Another digest of the same request. No two records of a store have the same one. */
  also: Schema.optionalKey(Schema.String),
  /** A digest of the body: the same key with another body is a mistake. */
  body: Schema.String,
  createdAt_ms: Moment,
  made: Made
})

/** That a create with an idempotency key was carried out. */
export type IdempotencyRecord = Omit<typeof SnapshotKey.Type, "made"> & { readonly made: Made }

/** Time that a key is stored: 24 hours. */
export const lifetime_ms = 86_400_000

/** True if the record is no longer valid at this time. */
export const isExpired = (record: IdempotencyRecord, at_ms: number): boolean =>
  record.createdAt_ms + lifetime_ms <= at_ms
