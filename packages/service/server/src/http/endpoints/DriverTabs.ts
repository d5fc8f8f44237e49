import { Engine } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Audit from "../../api/Audit.ts"

/** Time that a driver without a tab has to open one again, such as by a reload, before control is free. */
const reopensWithin = "3 seconds"

/** Sockets are real, even if the clock of the service is simulated. */
const realClock = Clock.Clock.defaultValue()

/**
 * Makes a function that enters a tab of a driver until the scope closes. Control is released without any tab. Of several
 * tabs, the one opened last drives; the function returns whether that is the entered one.
 */
export const make = Effect.gen(function* () {
  const engine = yield* Engine
  const fork = Effect.runForkWith(yield* Effect.context())
  /** Open tabs by the control that they belong to, in the order in which they were opened. */
  const tabs = new Map<string, ReadonlyArray<symbol>>()

  const release = Effect.fnUntraced(function* (browserId: string, controlId: string) {
    yield* Effect.provideService(Effect.sleep(reopensWithin), Clock.Clock, realClock)
    if (tabs.has(controlId)) return
    const control = yield* engine.controlOf(browserId)
    if (control?.id !== controlId) return
    yield* engine.releaseControl(browserId, control.driver)
    yield* Audit.add({ key: control.driver, action: "browsers.releaseControl", ids: [browserId], status: 204 })
  })

  return Effect.fnUntraced(function* (browserId: string, controlId: string) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const tab = Symbol(controlId)
    const open = (change: (before: ReadonlyArray<symbol>) => ReadonlyArray<symbol>) =>
      Effect.sync(() => void tabs.set(controlId, change(tabs.get(controlId) ?? [])))
    const leave = Effect.andThen(
      open((before) => before.filter((one) => one !== tab)),
      Effect.sync(() => {
        if ((tabs.get(controlId) ?? []).length > 0) return
        tabs.delete(controlId)
        const released = Effect.ignore(release(browserId, controlId))
        fork(Effect.provideService(released, HttpServerRequest.HttpServerRequest, request))
      })
    )
    yield* Effect.acquireRelease(
      open((before) => [...before, tab]),
      () => leave
    )
    return () => tabs.get(controlId)?.at(-1) === tab
  })
})
