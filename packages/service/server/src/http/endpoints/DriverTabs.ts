import { Engine } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Audit from "../../api/Audit.ts"

/** Time that a driver without a tab has to open one again, such as by a reload, before control is free. */
const reopensWithin = "3 seconds"

/** Sockets are real, even if the clock of the service is simulated. */
const realClock = Clock.Clock.defaultValue()

/** Makes a function that counts a tab of a driver until the scope closes. Control is released without any tab. */
export const make = Effect.gen(function* () {
  const engine = yield* Engine
  const fork = Effect.runForkWith(yield* Effect.context())
  /** Number of open tabs by the control that they belong to. */
  const tabs = new Map<string, number>()

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
    const leave = () => {
      const count = (tabs.get(controlId) ?? 1) - 1
      if (count > 0) return void tabs.set(controlId, count)
      tabs.delete(controlId)
      const released = Effect.ignore(release(browserId, controlId))
      return void fork(Effect.provideService(released, HttpServerRequest.HttpServerRequest, request))
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => tabs.set(controlId, (tabs.get(controlId) ?? 0) + 1)),
      () => Effect.sync(leave)
    )
  })
})
