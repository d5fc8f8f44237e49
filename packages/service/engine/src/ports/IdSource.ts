import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Kind of record that an id is for. */
export type IdKind =
  | "session"
  | "turn"
  | "message"
  | "browser"
  | "profile"
  | "workspace"
  | "upload"
  | "webhook"
  | "delivery"
  | "schedule"

/** Source of new ids. */
export class IdSource extends Context.Service<
  IdSource,
  {
    /** A new id. `refusals` says how many for the same thing were taken already. */
    readonly next: (kind: IdKind, refusals?: number) => Effect.Effect<string>
  }
>()("@webagent/engine/IdSource") {}
