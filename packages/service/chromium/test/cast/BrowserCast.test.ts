import { it } from "@effect/vitest"
import { Cdp } from "@webagent/engine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as BrowserCast from "../../src/cast/BrowserCast.ts"

/** A browser with one tab that hangs as soon as its cast has started. */
const hanging = Effect.gen(function* () {
  const isCast = yield* Deferred.make<void>()
  const { client, hear } = Cdp.make((message) => {
    const { id, method } = JSON.parse(message) as { readonly id: number; readonly method: string }
    // a client hears nothing before it has sent
    const tell = (what: object) => queueMicrotask(() => hear(JSON.stringify(what)))
    const respond = (result: object) => tell({ id, result })
    if (method === "Target.attachToTarget") respond({ sessionId: "tab" })
    if (method === "Page.startScreencast") Deferred.doneUnsafe(isCast, Effect.void)
    if (method !== "Target.setDiscoverTargets") return
    respond({})
    const targetInfo = { targetId: "1", type: "page", title: "", url: "about:blank" }
    tell({ method: "Target.targetCreated", params: { targetInfo } })
  })
  return { client, isCast: Deferred.await(isCast) }
})

it.live("a cast closes although its browser hangs", () =>
  Effect.gen(function* () {
    const { client, isCast } = yield* hanging
    yield* Effect.scoped(Effect.andThen(BrowserCast.make(client), isCast))
  })
)
