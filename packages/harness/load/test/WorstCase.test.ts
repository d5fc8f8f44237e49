import { assert, describe, it } from "@effect/vitest"
import type { LoadPlan } from "../src/LoadPlan.ts"
import { loadTests } from "../src/LoadTest.ts"
import * as Mix from "../src/Mix.ts"
import { worstCase } from "../src/WorstCase.ts"

const plan: LoadPlan = { test: loadTests.smoke, rate: 5, duration_ms: 5000 }
const mix = (text: string) => Mix.parse(text, "--mix")

describe("worstCase", () => {
  it("counts every request that the script may send, including those after an abort and of the last start", () => {
    assert.strictEqual(worstCase(plan), "send up to 2,099 requests and create up to 57 runs and 29 browsers")
    assert.match(worstCase({ ...plan, rate: 3, duration_ms: 500 }), /^send up to 179 requests .* 9 runs/u)
  })

  it("counts only the flows of the mix, times the repetitions", () => {
    assert.strictEqual(
      worstCase(plan, { mix: mix("browsers=1, status=3,queue=0") }),
      "send up to 279 requests and create up to 5 runs and 29 browsers"
    )
    assert.match(worstCase(plan, { mix: mix("runs=1"), times: 8 }), /^send up to 8,024 requests /u)
  })

  it("counts the requests of each process before the load", () => {
    assert.strictEqual(
      worstCase(plan, { segments: 4 }),
      "send up to 2,408 requests and create up to 78 runs and 41 browsers"
    )
  })

  it("counts the polls of the whole wait", () => {
    assert.match(worstCase(plan, { mix: mix("runs=1"), run_timeout_ms: 600_000 }), /^send up to 15,823 requests /u)
  })
})
