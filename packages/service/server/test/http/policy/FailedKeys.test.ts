import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as FailedKeys from "../../../src/http/policy/FailedKeys.ts"
import { TrustedProxies } from "../../../src/api/TrustedProxies.ts"

/** Sends wrong keys from an address through a trusted proxy, and returns the seconds that each refused one has to wait. */
const makeGuess = () => {
  const count = FailedKeys.make()
  let sent = 0
  return (address: string, times = 1, key?: string) => {
    const request = HttpServerRequest.fromWeb(
      new Request("http://127.0.0.1/", { headers: { "x-forwarded-for": address } })
    ).modify({ remoteAddress: Option.some("127.0.0.1") })
    const guess = Effect.suspend(() => count(key ?? `wak_${sent++}`)).pipe(
      Effect.as(0),
      Effect.catchTag("AdmissionRefused", ({ retryAfter_ms }) => Effect.succeed(retryAfter_ms / 1000)),
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.provideService(TrustedProxies, () => true)
    )
    return Effect.replicateEffect(guess, times)
  }
}

const allowed = Array(20).fill(0)

it.effect("refuses an address's 21st different wrong key until a minute after the first one", () =>
  Effect.gen(function* () {
    const guess = makeGuess()
    assert.deepStrictEqual(yield* guess("203.0.113.9", 20), allowed)
    yield* TestClock.adjust("59 seconds")
    assert.deepStrictEqual(yield* guess("203.0.113.9", 2), [1, 1])
    assert.deepStrictEqual(yield* guess("203.0.113.10"), [0])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* guess("203.0.113.9", 20), allowed)
    assert.deepStrictEqual(yield* guess("203.0.113.9"), [60])
  })
)

it.effect("never refuses repetitions of one wrong key", () =>
  Effect.gen(function* () {
    const guess = makeGuess()
    assert.deepStrictEqual(yield* guess("203.0.113.9", 100, "wak_old"), Array(100).fill(0))
    assert.deepStrictEqual(yield* guess("203.0.113.9", 20), [...Array(19).fill(0), 60])
    assert.deepStrictEqual(yield* guess("203.0.113.9", 1, "wak_old"), [0])
  })
)

it.effect("counts the addresses of an IPv6 network together", () =>
  Effect.gen(function* () {
    const guess = makeGuess()
    assert.deepStrictEqual(yield* guess("2001:db8:1:2::1", 10), allowed.slice(10))
    assert.deepStrictEqual(yield* guess("2001:db8:1:2:aaaa::9", 10), allowed.slice(10))
    assert.deepStrictEqual(yield* guess("2001:db8:1:2::3"), [60])
    assert.deepStrictEqual(yield* guess("2001:db8:1:3::1"), [0])
  })
)
