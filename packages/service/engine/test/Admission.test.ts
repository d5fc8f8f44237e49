import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Engine } from "../src/Engine.ts"
import { AdmissionRefused } from "../src/domain/Errors.ts"
import { Admission } from "../src/ports/Admission.ts"
import * as ports from "./ports.ts"

it.effect("a refused admission fails every create with a typed error and stores nothing", () =>
  Effect.gen(function* () {
    const engine = yield* Engine
    const refusal = new AdmissionRefused({ message: "too many", retryAfter_ms: 1000 })
    const refused = <A, E>(create: Effect.Effect<A, E>) =>
      Effect.flip(Effect.provideService(create, Admission, refusal))
    const request = { task: "one", modelParams: null, thinkingLevel: null }
    const { session } = yield* engine.createSession(request)
    const safe = { key: "key", body: "body" }
    assert.strictEqual(yield* refused(engine.createSession(request, safe)), refusal)
    assert.strictEqual(yield* refused(engine.createBrowser({ proxyCountryCode: null })), refusal)
    assert.strictEqual(yield* refused(engine.queue({ sessionId: session.id, text: "two", interrupt: false })), refusal)
    assert.lengthOf((yield* engine.session(session.id)).turns, 1)
    assert.isFalse((yield* engine.createSession(request, safe)).replayed)
  }).pipe(Effect.provide(ports.engine))
)
