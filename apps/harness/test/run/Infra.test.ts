import { assert, describe, it } from "@effect/vitest"
import { CreateOutcomeUnknown, TooManyRequestsError } from "@webagent/core"
import { WaitTimeoutError } from "@webagent/polling"
import { CheckFailed } from "@webagent/scenario"
import * as Duration from "effect/Duration"
import * as Infra from "../../src/run/Infra.ts"
import { refused, status, timeout } from "./errors.ts"

const answered = (status: number | null) => ({ method: "GET", path: "/", status, duration_ms: 1 })
const check = new CheckFailed({ name: "the status", expected: "HTTP 404", actual: "HTTP 503" })
const waited = (lastStatus: string | undefined) =>
  new WaitTimeoutError({
    kind: "run",
    id: "1",
    polls: 3,
    waited_ms: 1000,
    ...(lastStatus === undefined ? {} : { lastStatus })
  })
const unknown = new CreateOutcomeUnknown({
  kind: "run",
  key: "k",
  phase: "waiting",
  method: "POST",
  path: "/api/v4/runs",
  origin: "http://nowhere.test",
  attempts: 1,
  requestId: "r-1",
  idempotency: "unknown",
  reason: refused.reason
})

describe("Infra", () => {
  const cases: ReadonlyArray<readonly [string, unknown, ReturnType<typeof answered> | undefined, string | undefined]> =
    [
      ["no connection", refused, undefined, "no connection (ECONNREFUSED)"],
      ["no connection in time", timeout("connect"), undefined, "no connection in time"],
      ["a slow response", timeout("headers"), answered(null), undefined],
      ["a 500", status(500), answered(500), "HTTP 500"],
      ["a 503", status(503), answered(503), "HTTP 503"],
      ["a 403", status(403), answered(403), undefined],
      ["a limit", new TooManyRequestsError("Too many.", Duration.seconds(7)), answered(429), "HTTP 429"],
      ["a create whose response was lost", unknown, answered(null), "no connection (ECONNREFUSED)"],
      [
        "a failure inside another",
        new Error("setting up", { cause: refused }),
        undefined,
        "no connection (ECONNREFUSED)"
      ],
      ["a check that refuses a 503", check, answered(503), "HTTP 503"],
      ["a check that refuses a 429", check, answered(429), "HTTP 429"],
      ["a check that refuses a 500", check, answered(500), undefined],
      ["a check that refuses a 200", check, answered(200), undefined],
      ["a check before any request", check, undefined, undefined],
      ["a wait without a successful poll", waited(undefined), answered(502), "HTTP 502"],
      ["a wait with a successful poll", waited("running"), answered(502), undefined],
      ["any other error", new Error("the shop is closed"), answered(200), undefined],
      ["a value that isn't an error", "no", undefined, undefined]
    ]
  for (const [what, error, last, why] of cases) {
    it(`${what} is ${why === undefined ? "not an infrastructure error" : "an infrastructure error"}`, () =>
      assert.strictEqual(Infra.of(error, last)?.why, why))
  }

  it("keeps the service's Retry-After", () => {
    assert.strictEqual(Infra.of(new TooManyRequestsError("No.", Duration.seconds(7)), undefined)?.retryAfter_ms, 7000)
    assert.strictEqual(Infra.of(status(503, "2 seconds"), undefined)?.retryAfter_ms, 2000)
    assert.isUndefined(Infra.of(status(503), undefined)?.retryAfter_ms)
  })
})
