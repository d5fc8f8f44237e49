import { assert, it } from "@effect/vitest"
import * as FindingText from "../../src/words/FindingText.ts"

const unknown = (resource: string) =>
  ({ invariant: "browsers-left-open", resource, facts: { _tag: "UnknownBrowser" } }) as const

it("broken invariants of several trials are listed once each", () => {
  const breaches = [unknown("b-9"), unknown("b-9"), unknown("b-10")]
  const { evidence } = FindingText.describe({
    kind: { _tag: "BrokenInvariant", invariant: "browsers-left-open" },
    severity: "error",
    scenarios: [{ suite: "shop", name: "pays", breaches }]
  })
  assert.strictEqual(
    evidence,
    "Browser b-9 was open, and no trial created it. Browser b-10 was open, and no trial created it."
  )
})
