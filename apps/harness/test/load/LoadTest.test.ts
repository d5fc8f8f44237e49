import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { readdirSync, readFileSync } from "node:fs"
import * as Mix from "../../load/Mix.ts"
import { type LoadTest, loadTests, mistakeInMix, worstCase } from "../../src/load/LoadTest.ts"

const test: LoadTest = { name: "any", about: "", rate: 1, duration: Duration.seconds(1) }

describe("worstCase", () => {
  it("counts every request that the script may send, also after an abort, and the start as the time ends", () => {
    assert.strictEqual(
      worstCase({ test, rate: 5, duration: Duration.seconds(5) }),
      "send up to 2,099 requests and create up to 57 runs and 29 browsers"
    )
    assert.match(worstCase({ test, rate: 3, duration: Duration.millis(500) }), /^send up to 179 requests .* 9 runs/u)
  })

  it("counts only the flows that are started, as often as the load is sent", () => {
    const plan = { test, rate: 5, duration: Duration.seconds(5) }
    assert.strictEqual(
      worstCase(plan, { mix: "browsers=1, status=3,queue=0" }),
      "send up to 279 requests and create up to 5 runs and 29 browsers"
    )
    assert.match(worstCase(plan, { mix: "runs=1", times: 8 }), /^send up to 8,024 requests /u)
  })
})

describe("worstCase of what is told otherwise", () => {
  const plan = { test, rate: 5, duration: Duration.seconds(5) }

  it("counts what each process asks before the load", () => {
    assert.strictEqual(
      worstCase(plan, { segments: 4 }),
      "send up to 2,408 requests and create up to 78 runs and 41 browsers"
    )
  })

  it("counts the polls of the whole wait", () => {
    assert.match(worstCase(plan, { mix: "runs=1", run_timeout_ms: 600_000 }), /^send up to 15,823 requests /u)
  })
})

describe("mistakeInMix", () => {
  it("refuses what the script refuses, and nothing else", () => {
    for (const mix of ["runs=1", "runs=3, browsers=1,status=5", "v2=999,v3=0"]) {
      assert.isUndefined(mistakeInMix(mix), mix)
      assert.doesNotThrow(() => Mix.parse(mix))
    }
    for (const mix of [
      "walks=1",
      "runs",
      "runs=-1",
      "runs=1.5",
      "runs=1,",
      "runs=0",
      "",
      "runs=1000",
      "run.=1",
      "runs=1,runs=2"
    ]) {
      assert.isDefined(mistakeInMix(mix), mix)
      assert.throws(() => Mix.parse(mix))
    }
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
