import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { readdirSync, readFileSync } from "node:fs"
import { type LoadTest, loadTests, worstCase } from "../../src/load/LoadTest.ts"

const test: LoadTest = { name: "any", about: "", rate: 1, duration: Duration.seconds(1) }

describe("worstCase", () => {
  it("counts every request that the script may send, and the start as the time ends", () => {
    assert.strictEqual(
      worstCase({ test, rate: 5, duration: Duration.seconds(5) }),
      "send up to 1,991 requests and create up to 57 runs and 28 browsers"
    )
    assert.match(worstCase({ test, rate: 3, duration: Duration.millis(500) }), /^send up to 167 requests .* 9 runs/u)
  })

  it("counts only the flows that are started, as often as the load is sent", () => {
    const plan = { test, rate: 5, duration: Duration.seconds(5) }
    assert.strictEqual(
      worstCase(plan, { mix: "browsers=1, status=3,queue=0" }),
      "send up to 171 requests and create up to 5 runs and 28 browsers"
    )
    assert.match(worstCase(plan, { mix: "runs=1", times: 8 }), /^send up to 8,024 requests /u)
  })
})

describe("loadTests", () => {
  it("every script is a load test, and every load test has a script with its defaults", () => {
    const folder = new URL("../../load/", import.meta.url)
    const scripts = readdirSync(folder).filter((name) => name.endsWith(".load.ts"))
    assert.deepStrictEqual(
      Object.keys(loadTests).toSorted(),
      scripts.map((script) => script.replace(".load.ts", "")).toSorted()
    )
    for (const [known, { duration, name, rate }] of Object.entries(loadTests)) {
      assert.strictEqual(name, known)
      const script = readFileSync(new URL(`${name}.load.ts`, folder), "utf8")
      assert.include(script, `rate: ${rate},`)
      assert.include(script, `duration: "${Duration.format(duration)}"`)
    }
  })
})
