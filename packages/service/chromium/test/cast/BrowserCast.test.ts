import { it } from "@effect/vitest"
import { overTransport } from "@webagent/cdp"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as BrowserCast from "../../src/cast/BrowserCast.ts"

/** A browser with one tab that hangs as soon as its cast has started. */
const hanging = Effect.gen(function* () {
  const isCast = yield* Deferred.make<void>()
  let onMessage: (message: string) => void = () => undefined
  const send = (message: string) => {
    const { id, method } = JSON.parse(message) as { readonly id: number; readonly method: string }
    const receive = (received: object) => onMessage(JSON.stringify(received))
    const respond = (result: object) => receive({ id, result })
    if (method === "Target.attachToTarget") respond({ sessionId: "tab" })
    if (method === "Page.startScreencast") Deferred.doneUnsafe(isCast, Effect.void)
    if (method !== "Target.setDiscoverTargets") return true
    respond({})
    const targetInfo = { targetId: "1", type: "page", title: "", url: "about:blank" }
    receive({ method: "Target.targetCreated", params: { targetInfo } })
    return true
  }
  const receive = (receiver: { readonly onMessage: (message: string) => void }) => void ({ onMessage } = receiver)
  const client = yield* overTransport({ send, receive, ended: Effect.never })
  return { client, isCast: Deferred.await(isCast) }
})

it.live("a cast closes although its browser hangs", () =>
  Effect.gen(function* () {
    const { client, isCast } = yield* hanging
    yield* Effect.scoped(Effect.andThen(BrowserCast.make(client), isCast))
  })
)
