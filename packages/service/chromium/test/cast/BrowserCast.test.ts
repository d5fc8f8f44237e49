import { assert, it } from "@effect/vitest"
import { overTransport } from "@webagent/cdp"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as BrowserCast from "../../src/cast/BrowserCast.ts"
import { until } from "../support/live.ts"

/** A browser with one tab that hangs as soon as its cast has started. */
const hanging = Effect.gen(function* () {
  const isCast = yield* Deferred.make<void>()
  const keys: Array<{ readonly id: number; readonly key: string }> = []
  let onMessage: (message: string) => void = () => undefined
  const send = (message: string) => {
    const { id, method, params } = JSON.parse(message) as {
      readonly id: number
      readonly method: string
      readonly params: { readonly key: string }
    }
    const receive = (received: object) => onMessage(JSON.stringify(received))
    const respond = (result: object) => receive({ id, result })
    if (method === "Target.attachToTarget") respond({ sessionId: "tab" })
    if (method === "Input.dispatchKeyEvent") keys.push({ id, key: params.key })
    if (method === "Page.startScreencast") {
      const metadata = { deviceWidth: 100, deviceHeight: 100 }
      receive({ method: "Page.screencastFrame", sessionId: "tab", params: { data: "", metadata, sessionId: 1 } })
      Deferred.doneUnsafe(isCast, Effect.void)
    }
    if (method !== "Target.setDiscoverTargets") return true
    respond({})
    const targetInfo = { targetId: "1", type: "page", title: "", url: "about:blank" }
    receive({ method: "Target.targetCreated", params: { targetInfo } })
    return true
  }
  const receive = (receiver: { readonly onMessage: (message: string) => void }) => void ({ onMessage } = receiver)
  const client = yield* overTransport({ send, receive, ended: Effect.never })
  /** Responds to a key, as a browser does once its page has handled it. */
  const handle = (id: number) => onMessage(JSON.stringify({ id, result: {} }))
  return { client, isCast: Deferred.await(isCast), keys, handle }
})

it.live("closes a cast although its browser hangs", () =>
  Effect.gen(function* () {
    const { client, isCast } = yield* hanging
    yield* Effect.scoped(Effect.andThen(BrowserCast.make(client), isCast))
  })
)

it.live("sends keys to a hanging page in order, until 64 of them are pending", () =>
  Effect.gen(function* () {
    const { client, handle, isCast, keys } = yield* hanging
    const { input } = yield* BrowserCast.make(client)
    yield* isCast
    const names = Array.from({ length: 65 }, (_, index) => `key ${index}`)
    const press = (key: string) => input({ _tag: "Key", action: "pressed", key, code: "", keyCode: 0, modifiers: 0 })
    const pressing = yield* Effect.forkChild(Effect.forEach(names, press, { discard: true }))
    yield* until(() => keys.length >= 64)
    yield* Effect.sleep("20 millis")
    assert.deepStrictEqual(
      keys.map(({ key }) => key),
      names.slice(0, 64)
    )
    handle(keys[0]?.id ?? -1)
    yield* Fiber.join(pressing)
    assert.strictEqual(keys.at(-1)?.key, "key 64")
  }).pipe(Effect.scoped)
)
