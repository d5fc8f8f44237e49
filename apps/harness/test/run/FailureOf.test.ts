import { assert, it } from "vitest"
import { scenario } from "@webagent/scenario"
import * as Cause from "effect/Cause"
import { failureOf } from "../../src/run/FailureOf.ts"

it("failureOf shows an error's place in a suite, and none for a scenario outside the user's suites", () => {
  const made = scenario("a", function* () {})
  const cause = Cause.fail(new Error("no"))
  const of = (where: string | undefined) =>
    failureOf({ cause, scenario: { ...made, where }, request: undefined, service: undefined, redact: (text) => text })
  assert.match(of(made.where).where ?? "", /FailureOf\.test\.ts:\d+$/u)
  assert.notProperty(of(undefined), "where")
})
