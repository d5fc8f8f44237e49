import type { StoreUnavailable } from "@webagent/engine"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

/** The port to whatever stores the bytes of files. The database stores everything else about them. */
export class FileBytes extends Context.Service<
  FileBytes,
  {
    /** Stores bytes under an id and returns their number. A write that fails or is cut leaves nothing. */
    readonly write: <E>(id: string, bytes: Stream.Stream<Uint8Array, E>) => Effect.Effect<number, E | StoreUnavailable>
    readonly read: (id: string) => Stream.Stream<Uint8Array, StoreUnavailable>
    /** Deletes the bytes of an id, and what an interrupted write left of them. */
    readonly remove: (id: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("@webagent/sql/FileBytes") {}
