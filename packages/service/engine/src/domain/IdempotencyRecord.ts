import type { Browser } from "./Browser.ts"
import type { Session } from "./Session.ts"
import type { Turn } from "./Turn.ts"

/** What a create made, as it was made. A repeated create is answered from this. */
export type Made =
  | { readonly _tag: "Session"; readonly session: Session; readonly turn: Turn }
  | { readonly _tag: "Message"; readonly id: string; readonly interrupt: boolean; readonly turn: Turn }
  | { readonly _tag: "Browser"; readonly browser: Browser }

/** That a create with an idempotency key was carried out. */
export interface IdempotencyRecord {
  /** A digest of who asked, for what, and of the key that was given. */
  readonly key: string
  /** A digest of the body: the same key with another body is a mistake. */
  readonly body: string
  readonly createdAt_ms: number
  readonly made: Made
}

/** How long a key is remembered: 24 hours. */
export const lifetime_ms = 86_400_000

/** Whether the record counts no more at this time. */
export const isExpired = (record: IdempotencyRecord, at_ms: number): boolean =>
  record.createdAt_ms + lifetime_ms <= at_ms
