import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { readdirSync } from "node:fs"
import { type LoadTest, loadTests, worstCase } from "../../src/load/LoadTest.ts"

const test: LoadTest = {
  name: "any",
  about: "",
  rate: 1,
  duration: Duration.seconds(1),
  requestsPerRun: 38,
  requestsPerBrowser: 4
}

describe("worstCase", () => {
  it("counts every request that the script may send, and the start as the time ends", () => {
    assert.strictEqual(
      worstCase({ test, rate: 5, duration: Duration.seconds(5) }),
      "send up to 1,092 requests and create up to 26 runs and 26 browsers"
    )
    assert.match(worstCase({ test, rate: 3, duration: Duration.millis(500) }), /^send up to 84 requests .* 2 runs/u)
  })
})

describe("loadTests", () => {
  it("every script is a load test, and every load test bears its name", () => {
    const scripts = readdirSync(new URL("../../load", import.meta.url)).filter((name) => name.endsWith(".load.ts"))
    for (const script of scripts) assert.property(loadTests, script.replace(".load.ts", ""))
    for (const [known, { name }] of Object.entries(loadTests)) assert.strictEqual(name, known)
  })
})
