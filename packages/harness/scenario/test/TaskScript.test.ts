import { assert, describe, it } from "@effect/vitest"
import { simulate } from "../src/TaskScript.ts"

describe("simulate", () => {
  it("writes one bracket behind the task, and only what is said", () => {
    assert.strictEqual(simulate("Buy a mug", {}), "Buy a mug [simulate]")
    assert.strictEqual(simulate("Buy a mug", { output: undefined }), "Buy a mug [simulate]")
    assert.strictEqual(
      simulate("Buy a mug", { outcome: "failed", duration: "200ms", cost: "0.0132", error: "no mug", suggestions: 2 }),
      'Buy a mug [simulate outcome=failed duration=200ms cost=0.0132 error="no mug" suggestions=2]'
    )
  })

  it("text stays text and JSON stays JSON", () => {
    assert.strictEqual(simulate("x", { output: "true" }), 'x [simulate output="true"]')
    assert.strictEqual(simulate("x", { output: true, judge: false }), "x [simulate output=true judge=false]")
    assert.strictEqual(simulate("x", { output: { a: ["]"] } }), 'x [simulate output={"a":["]"]}]')
  })
})
