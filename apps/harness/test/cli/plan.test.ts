import { assert, describe, expect, it } from "@effect/vitest"
import * as SkipText from "@webagent/findings/words/SkipText"
import type { PlanOutput } from "../../src/cli/plan/PlanOutput.ts"
import { call } from "./inProcess.ts"

type Plan = typeof PlanOutput.Type

describe("plan", () => {
  it("plans a run on a service without contacting it and without a key", async () => {
    const { code, stderr, stdout } = await call(["plan", "v4-runs", "--target", "http://127.0.0.1:9", "--trials", "5"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^plan · http:\/\/127\.0\.0\.1:9 · 8 at a time · nothing is sent\n/u)
    assert.include(stdout, "not run: costs money: pass --allow-paid\n")
    assert.include(stdout, `next     npm run harness -- run v4-runs --target http://127.0.0.1:9 --trials 5\n`)
  })

  it("says that a shard's limits are its own", async () => {
    const { stdout } = await call(["plan", "v4-runs", "--shard", "1/2", "--max-time", "5m"])
    assert.include(stdout, "\nlimits   5 min (of this shard only)\n")
  })

  it("prints the cost of extra trials of a recorded night, which is limited without --max-cost", async () => {
    const night = [
      "plan",
      "v4-runs",
      "--target",
      "http://127.0.0.1:9",
      "--allow-paid",
      "--record",
      "--trial-budget",
      "0.5"
    ]
    const history = ["--history", "no-such-history.ndjson"]
    const one = [...night, ...history, "--name", "creating a run returns"]
    const plans = [one, [...one, "--max-cost", "5"], ["plan", "versions", "--record", ...history]]
    const [open, limited, free] = await Promise.all(
      plans.map(async (args): Promise<Plan> => JSON.parse((await call([...args, "--json"])).stdout))
    )
    // it costs money: one trial, as it declares
    assert.deepInclude(open, { trials: 1, maxCost_usd: "0.5", maxConfirmCost_usd: "1.5", unbounded: 0 })
    assert.deepInclude(open?.limits, { confirm: 200, paidConfirm: 3 })
    assert.deepInclude(limited?.limits, { confirm: 200, cost_usd: "5" })
    assert.deepInclude(free?.limits, { confirm: 200 })
    const texts = await Promise.all(plans.slice(0, 2).map((args) => call(args)))
    expect(texts.map(({ stdout }) => /^.*then up to.*$/mu.exec(stdout)?.[0])).toMatchSnapshot("words")
  })

  it("names scenarios without a limit, and the flag that limits them", async () => {
    const none = await call(["plan", "v4-runs", "--name", "a run that is asked"])
    assert.strictEqual(none.code, 2)
    assert.match(none.stderr, /^No scenario of v4-runs matches --name/u)
    const failed = ["plan", "v4-runs", "--name", "a failed run has the status failed"]
    const paid = [
      "plan",
      "v4-runs",
      "--name",
      "creating a run returns",
      "--target",
      "http://127.0.0.1:9",
      "--allow-paid"
    ]
    const [free, limited, unbound, bound] = await Promise.all([
      call(failed),
      call([...failed, "--max-cost", "5"]),
      call(paid),
      call([...paid, "--trial-budget", "0.5", "--trials", "4", "--concurrency", "2"])
    ])
    // what is simulated costs nothing, and needs a bound only where there is a limit
    assert.match(free.stdout, /\n {5}1 {11}\? {13}- {2}v4-runs › a failed run has the status failed\n/u)
    assert.include(free.stdout, "1 scenario, 1 trial · at most 30 s (no history) · no cost (simulated)\n")
    assert.notInclude(free.stdout, "bound")
    assert.include(limited.stdout, `not run: ${SkipText.text({ _tag: "NoBudget" })}`)
    assert.include(limited.stdout, "\nbound    declare budget")

    assert.match(unbound.stdout, /\n {5}1 {11}\? {5}unbounded {2}v4-runs › creating a run returns/u)
    assert.include(
      unbound.stdout,
      "1 scenario, 1 trial · at most 10 min (no history) · at most 0.00 USD, and 1 that nothing bounds\n"
    )
    assert.include(unbound.stdout, 'bound    declare budget: "0.50 USD" in the scenario, or pass --trial-budget 0.50\n')
    assert.include(bound.stdout, "1 scenario, 4 trials · at most 20 min (no history) · at most 2.00 USD\n")
  })
})
