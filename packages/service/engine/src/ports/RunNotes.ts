import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** The opinion of a person about a run. */
export interface RunMark {
  readonly verdict: "right" | "wrong"
  readonly note: string | null
  /** Name of the key that set it. */
  readonly by: string
  readonly at_ms: number
}

/** A link that shows a run to people without a key. */
export interface RunShare {
  /** Part of the link: a link with another id shows nothing. */
  readonly id: string
  readonly createdAt_ms: number
  readonly expiresAt_ms: number
}

/** Marks and notes that people add to a run. */
export interface RunNote {
  readonly mark: RunMark | null
  readonly share: RunShare | null
}

/** The note of a run without marks and notes. */
export const noNote: RunNote = { mark: null, share: null }

/** Storage of notes. They are deleted with their runs. */
export interface RunNotesService {
  readonly get: (turnId: string) => Effect.Effect<RunNote, StoreUnavailable>
  /** Sets the given fields. */
  readonly set: (turnId: string, note: Partial<RunNote>) => Effect.Effect<void, StoreUnavailable>
  /** The links of runs, those of the newest runs first, after that of a run. */
  readonly shares: (
    after: string | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<{ readonly turnId: string; readonly share: RunShare }>, StoreUnavailable>
}

/** The port to what people added to runs; null where it can't be stored. */
export const RunNotes: Context.Reference<RunNotesService | null> = Context.Reference("@webagent/engine/RunNotes", {
  defaultValue: (): RunNotesService | null => null
})
