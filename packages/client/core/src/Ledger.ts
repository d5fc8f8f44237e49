import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { LedgerEntry, OpenItem } from "./LedgerEntry.ts"

/** The ledger cannot be written or read. The message says where and why. */
export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", {
  message: Schema.String
}) {}

/** Remembers what was created and is not over, so that what a killed process left can be found and stopped. */
export interface Ledger {
  /**
   * Writes an event of a resource that costs money.
   *
   * @param entry - The event.
   * @returns An effect that succeeds once the entry is safe.
   * @throws `LedgerError` if it can't be written.
   * @example
   * ```ts
   * import { Ledger } from "@webagent/core"
   * import * as Clock from "effect/Clock"
   * import * as Effect from "effect/Effect"
   *
   * export const closeRun = Effect.fn(function* (id: string) {
   *   const ledger = yield* Ledger.Current
   *   yield* ledger.write({ _tag: "closed", at_ms: yield* Clock.currentTimeMillis, kind: "run", id })
   * })
   * ```
   */
  readonly write: (entry: LedgerEntry) => Effect.Effect<void, LedgerError>
  /** Resources that may cost money now: opened and not closed, or opening without a known outcome. */
  readonly open: Effect.Effect<ReadonlyArray<OpenItem>, LedgerError>
}

/** Remembers nothing. */
export const none: Ledger = { write: () => Effect.void, open: Effect.succeed([]) }

/**
 * The ledger of a call: what surrounds the call, else what the Transport was made with, such as `LedgerFile.layer`, else
 * `none`. It is written before each create goes out: one that cannot be written down is not sent.
 */
export const Current = Context.Reference<Ledger>("@webagent/core/Ledger/Current", { defaultValue: () => none })
