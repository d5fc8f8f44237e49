import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** A change that someone made, or tried to make. */
export interface AuditEntry {
  readonly at_ms: number
  /** Name of the key. */
  readonly key: string
  /** Address of the client. */
  readonly address: string
  /** Group and operation, such as `runs.cancel`. */
  readonly action: string
  /** Ids or names of the records that it was for; the first of many. */
  readonly targets: ReadonlyArray<string>
  /** Number of records that it was for. */
  readonly count: number
  /** Status of the response. */
  readonly status: number
}

/** An entry with its number, which grows. */
export interface StoredAuditEntry extends AuditEntry {
  readonly id: number
}

/** Selects entries. Every field that is present has to match. */
export interface AuditFilter {
  readonly key?: string
  readonly action?: string
  readonly target?: string
  /** From this time on, in milliseconds since 1970. */
  readonly from_ms?: number
  /** Before this time. */
  readonly to_ms?: number
}

/** The log of changes. */
export interface AuditLogService {
  readonly add: (entry: AuditEntry) => Effect.Effect<void, StoreUnavailable>
  /** Entries with a smaller number, newest first; null is from the newest on. */
  readonly list: (
    filter: AuditFilter,
    before: number | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredAuditEntry>, StoreUnavailable>
  /** Deletes entries of this time or before, at most this many, and returns their number. */
  readonly prune: (until_ms: number, limit: number) => Effect.Effect<number, StoreUnavailable>
}

/** The port to the log of changes; null where it isn't kept. */
export const AuditLog: Context.Reference<AuditLogService | null> = Context.Reference("@webagent/engine/AuditLog", {
  defaultValue: (): AuditLogService | null => null
})
