import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

/** A recording that is complete. */
export interface Recording {
  readonly path: string
  readonly contentType: string
  readonly bytes: number
  readonly finishedAt_ms: number
}

/** Storage of recordings. */
export interface RecordingsService {
  /**
   * The recording of a browser, or a picture by the reference that `keep` answered; waits while it is being written.
   * None where there is none, or not any more.
   */
  readonly find: (id: string) => Effect.Effect<Option.Option<Recording>>
  /** Keeps a JPEG of what a browser showed beside its recording; null where there is no room for it. */
  readonly keep: (browserId: string, name: string, jpeg: Uint8Array) => Effect.Effect<string | null>
  /** Deletes the recording of a browser and its pictures, if there are any. */
  readonly forget: (browserId: string) => Effect.Effect<void>
  /** Deletes recordings and pictures that were complete at this time or before. */
  readonly prune: (finishedUntil_ms: number) => Effect.Effect<number>
}

/** The port to whatever keeps recordings of browsers; null where browsers cannot be recorded. */
export const Recordings: Context.Reference<RecordingsService | null> = Context.Reference(
  "@webagent/engine/Recordings",
  { defaultValue: (): RecordingsService | null => null }
)
