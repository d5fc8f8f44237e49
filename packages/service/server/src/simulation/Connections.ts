import type { ConnectionEntry } from "@webagent/control"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Journal } from "./Journal.ts"
import { clipped, longestResource } from "./Requests.ts"

/** What becomes of a CDP connection. */
export type ConnectionEvent = (typeof ConnectionEntry.Type)["event"]

/** Writes down what becomes of the CDP connections to a browser. */
export type ConnectionRecorder = (browserId: string, event: ConnectionEvent) => Effect.Effect<void>

/** Writes into the journal of the simulated service; where nothing is simulated nobody writes. */
export const recorder: Effect.Effect<ConnectionRecorder> = Effect.map(
  Effect.serviceOption(Journal),
  (journal): ConnectionRecorder =>
    Option.match(journal, {
      onNone: () => () => Effect.void,
      onSome:
        ({ record }) =>
        (browserId, event) =>
          record({ type: "connection", browserId: clipped(browserId, longestResource), event })
    })
)
