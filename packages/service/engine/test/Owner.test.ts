import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Engine } from "../src/Engine.ts"
import { Owner } from "../src/ports/Owner.ts"
import * as ports from "./ports.ts"

const as = (owner: string | null) => Effect.provideService(Owner, owner)

it.effect("an owner only sees and changes its own records, and without an owner all records are visible", () =>
  Effect.gen(function* () {
    const engine = yield* Engine
    const request = { task: "one", modelParams: null, thinkingLevel: null }
    const { session, turn } = yield* as("ann")(engine.createSession(request))
    const { browser } = yield* as("ann")(engine.createBrowser({ proxyCountryCode: null }))
    assert.deepStrictEqual([session.owner, turn.owner, browser.owner], ["ann", "ann", "ann"])
    const message = { sessionId: session.id, text: "two", interrupt: false }
    const followed = yield* as("ann")(engine.queue(message))
    assert.strictEqual(followed.turn.owner, "ann")
    const refused = yield* Effect.all([
      Effect.flip(engine.session(session.id)),
      Effect.flip(engine.turn(turn.id)),
      Effect.flip(engine.queue(message)),
      Effect.flip(engine.cancelTurn(turn.id)),
      Effect.flip(engine.stopSession(session.id)),
      Effect.flip(engine.shareSession(session.id)),
      Effect.flip(engine.unshareSession(session.id)),
      Effect.flip(engine.stopBrowser(browser.id)),
      Effect.flip(Effect.scoped(engine.connectBrowser(browser.id)))
    ]).pipe(as("bob"))
    assert.deepStrictEqual(
      refused.map(({ _tag }) => _tag),
      [
        "SessionNotFound",
        "TurnNotFound",
        "SessionNotFound",
        "TurnNotFound",
        "SessionNotFound",
        "SessionNotFound",
        "SessionNotFound",
        "BrowserNotFound",
        "BrowserNotFound"
      ]
    )
    for (const owner of ["ann", null]) {
      assert.lengthOf((yield* as(owner)(engine.session(session.id))).turns, 2)
      assert.strictEqual((yield* as(owner)(engine.turn(turn.id))).id, turn.id)
    }
    assert.strictEqual((yield* as("ann")(engine.stopBrowser(browser.id))).status, "stopped")
  }).pipe(Effect.provide(ports.engine))
)
