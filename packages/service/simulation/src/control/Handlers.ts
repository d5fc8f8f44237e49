import type { ControlOperations } from "@webagent/control"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { Control } from "./Control.ts"

const done = { done: true } as const

const behavior = (api: typeof ControlOperations) =>
  HttpApiBuilder.group(
    api,
    "behaviour",
    Effect.fnUntraced(function* (handlers) {
      const control = yield* Control
      return handlers.handleAll({
        getProfile: () => control.profile,
        setProfile: ({ payload }) =>
          control
            .setProfile("preset" in payload ? payload.preset : payload.profile)
            .pipe(Effect.catchTag("ControlInvalidError", (error) => Effect.die(error))),
        getFaults: () => control.faults,
        setFaults: ({ payload }) => Effect.orDie(control.setFaults(payload)),
        refuseConnections: ({ payload }) => Effect.as(control.refuseConnections(payload.for), done)
      })
    })
  )

const record = (api: typeof ControlOperations) =>
  HttpApiBuilder.group(
    api,
    "record",
    Effect.fnUntraced(function* (handlers) {
      const control = yield* Control
      return handlers.handleAll({
        getJournal: ({ query }) => control.journal(query),
        getVerdicts: () => control.verdicts,
        getOpen: () => control.open
      })
    })
  )

const state = (api: typeof ControlOperations) =>
  HttpApiBuilder.group(
    api,
    "state",
    Effect.fnUntraced(function* (handlers) {
      const control = yield* Control
      return handlers.handleAll({
        getTime: () => control.time,
        setTime: ({ payload }) => control.setTime(payload),
        advanceTime: ({ payload }) => control.advance(payload.by),
        reset: ({ payload }) => Effect.as(control.reset(payload), done),
        getSnapshot: () => control.snapshot,
        restoreSnapshot: ({ payload }) => Effect.as(control.restore(payload), done)
      })
    })
  )

const operations = (api: typeof ControlOperations) =>
  HttpApiBuilder.group(
    api,
    "operations",
    Effect.fnUntraced(function* (handlers) {
      const control = yield* Control
      return handlers.handleAll({
        cancelRun: ({ params }) => control.cancelRun(params.run_id.toLowerCase()),
        stopSession: ({ params }) => control.stopSession(params.session_id.toLowerCase()),
        shareSession: ({ params }) => control.shareSession(params.session_id.toLowerCase()),
        dropConnections: ({ params }) => control.dropConnections(params.browser_id.toLowerCase())
      })
    })
  )

/** The operations of the control API, wherever they are mounted. */
export const layer = (api: typeof ControlOperations) =>
  Layer.mergeAll(behavior(api), record(api), state(api), operations(api))
