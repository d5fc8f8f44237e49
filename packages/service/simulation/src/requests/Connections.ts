import { CdpObserver } from "@webagent/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isCut } from "../faults/Outage.ts"
import { Journal } from "../journal/Journal.ts"
import { clipped, longestResource } from "../journal/Requests.ts"

/** Writes what becomes of CDP connections into the journal: one that an outage cut did not end by its client. */
export const layer: Layer.Layer<never, never, Journal> = Layer.effect(
  CdpObserver,
  Effect.map(Journal, ({ record }) => ({
    observe: (browserId, event, socket) =>
      record({
        type: "connection",
        browserId: clipped(browserId, longestResource),
        event: event === "left" && socket !== undefined && isCut(socket) ? "dropped" : event
      })
  }))
)
