import { type Caller, waiting, waitOf } from "@webagent/core/promise/Caller"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as V2 from "../Sessions.ts"
import type { Sessions } from "./Sessions.ts"

/** The operations on sessions, as promises. */
export const make = ({ call, iterate }: Caller<V2.Sessions>): Sessions => ({
  get: (id, options) => call(() => Effect.flatMap(V2.Sessions, (sessions) => sessions.get(id)), options),
  untilTerminal: (id, options) =>
    call(
      () => Effect.flatMap(V2.Sessions, (sessions) => sessions.untilTerminal(id, waitOf(options))),
      options,
      waiting
    ),
  watch: (id, options) =>
    iterate(() => Stream.unwrap(Effect.map(V2.Sessions, (sessions) => sessions.watch(id, waitOf(options)))), options)
})
