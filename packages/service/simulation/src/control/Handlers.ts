import { ControlApi } from "@webagent/control"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { Control } from "./Control.ts"

const done = { done: true } as const

const behavior = HttpApiBuilder.group(
  ControlApi,
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

const record = HttpApiBuilder.group(
  ControlApi,
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

const state = HttpApiBuilder.group(
  ControlApi,
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

const operations = HttpApiBuilder.group(
  ControlApi,
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

/** The operations of the control API. */
export const layer = Layer.mergeAll(behavior, record, state, operations)
