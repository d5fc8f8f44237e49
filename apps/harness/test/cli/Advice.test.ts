import { assert, describe, it } from "@effect/vitest"
import * as Advice from "../../src/cli/Advice.ts"
import type { RunOptions } from "../../src/cli/RunFlags.ts"
import { errorsOf } from "@webagent/findings/Findings"
import { isCovered } from "@webagent/findings/Tolerance"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import type { Comparison } from "@webagent/report/Comparison"
import { green, night } from "../reporters/fixture.ts"

const options = { target: "simulated", seed: 1, suites: [] as Array<string> } as RunOptions
/** The last line of the next step. */
const commandOf = (next: string | undefined) => next?.split("\n").at(-1)

const nextOf = (results: ReadonlyArray<ScenarioResult>) => {
  const report: RunReport = { ...night, results }
  return commandOf(Advice.next(options, ({ name }) => `run ${name}`)(report))
}

describe("Advice", () => {
  it("suggests a replay of the worst finding, wherever it is in the run", () => {
    const worst = errorsOf(night)[0]?.scenarios[0]
    assert.isDefined(worst)
    for (const results of [night.results, night.results.toReversed()]) {
      assert.strictEqual(nextOf(results), `run ${worst?.name}`)
    }
  })

  it("suggests the scenario that contributed most if the whole night is worse and one is known", () => {
    const judged = { figure: "cost", scenario: null, verdict: "regressed", isUnusual: false, now: null } as Comparison
    const [first] = green.results
    const amount = { _tag: "Cost", usd: "1" } as const
    const contributor = {
      suite: first?.suite ?? "",
      name: first?.name ?? "",
      now: amount,
      before: amount,
      change: 1,
      share: 1
    }
    const nextOf = (row: Comparison) => {
      const judgement = { verdict: "regressed", nights: 9, passedOver: [], differences: [], rows: [row] } as const
      return commandOf(Advice.next(options, ({ name }) => `run ${name}`)({ ...green, judgement }))
    }
    assert.isUndefined(nextOf(judged))
    assert.strictEqual(nextOf({ ...judged, contributors: [contributor] }), `run ${first?.name}`)
    assert.include(Advice.next(options, () => "run")(green), "--target")
  })

  it("replays all trials of a flaky scenario, and the trial that leaked a browser", () => {
    const first =
      green.results.find(({ trials }) => trials.length > 0) ?? night.results.find((one) => one.trials.length > 0)
    const [trial] = first?.trials ?? []
    assert.isDefined(first)
    assert.isDefined(trial)
    const replay = Advice.replay(options, () => "shop.suite.ts")
    const trials = [0, 1, 2].map((index) => ({ ...trial, index, verdict: "passed" as const, leakedBrowsers: [] }))
    const failed = { ...trial, index: 1, verdict: "failed" as const }
    assert.include(
      replay({ ...first, verdict: "flaky", trials: [...trials.slice(0, 1), failed, ...trials.slice(2)] }),
      " --trials 3 "
    )
    const leaking = { ...trial, index: 1, verdict: "passed" as const, leakedBrowsers: [{ id: "b-1", stopped: true }] }
    assert.include(
      replay({ ...first, verdict: "failed", trials: [...trials.slice(0, 1), leaking, ...trials.slice(2)] }),
      " --trial 2 "
    )
  })

  it("suggests cleanup first if a ledger of a running service has open resources", () => {
    const open = { kind: "browser", id: "b-1", trial: null, state: "open", sentence: "" } as const
    const report: RunReport = { ...night, leftovers: [open] }
    const remote: RunOptions = { ...options, target: "https://a.service", apiKeyEnv: "WEBAGENT_API_KEY" }
    const next = Advice.next(remote, ({ name }) => `run ${name}`)
    assert.match(
      next(report, "my runs/1") ?? "",
      / cleanup --ledger "my runs\/1\/ledger" --target https:\/\/a\.service$/u
    )
    assert.match(next({ ...report, interrupted: true }, "runs/1") ?? "", / cleanup --ledger runs\/1\/ledger /u)
    const ended: RunReport = { ...night, leftovers: [{ ...open, state: "stopped" }] }
    assert.match(next(ended, "runs/1") ?? "", /\nrun /u)
    assert.match(next(report) ?? "", /\nrun /u)
    // the service inside of the run is gone with it
    assert.isUndefined(Advice.reap(options)(report, "runs/1"))
    const named = { targets: { staging: { url: "https://a.service", apiKeyEnv: "STAGING_KEY" } } }
    assert.match(Advice.reap(remote, named)(report, "runs/1") ?? "", / --target staging$/u)
    const other = { ...remote, apiKeyEnv: "OTHER_KEY" }
    assert.match(Advice.reap(other)(report, "runs/1") ?? "", / --api-key-env OTHER_KEY$/u)
  })

  it("suggests replays of unusual scenarios, and no action after a passed night", () => {
    const [first] = green.results
    assert.isDefined(first)
    const slower = {
      figure: "duration",
      scenario: { suite: first.suite, name: first.name },
      verdict: "no evidence",
      isUnusual: true,
      now: null
    } as Comparison
    const nextOf = (...rows: ReadonlyArray<Comparison>) => {
      const judgement = { verdict: "no evidence", nights: 9, passedOver: [], differences: [], rows } as const
      return commandOf(Advice.next(options, ({ name }) => `run ${name}`)({ ...green, judgement }))
    }
    assert.strictEqual(nextOf(slower), `run ${first.name}`)
    assert.strictEqual(nextOf(), "Nothing to do.")
  })

  it("names the suites that ran on a real service, but only one of the built-in ones", () => {
    const nextOf = (asked: Array<string>, ...suites: Array<RunReport["header"]["suites"][number]>) =>
      Advice.next({ ...options, suites: asked }, () => "run")({ ...green, header: { ...green.header, suites } })
    const shop = { name: "shop", scenarios: 1, argument: "my shop.suite.ts" }
    const start = "run --target https://your.service"
    assert.include(
      nextOf([], { name: "v2-sessions", scenarios: 1 }, { name: "v4-runs", scenarios: 1 }),
      `${start} v4-runs `
    )
    assert.include(nextOf(["v3-sessions"], { name: "v3-sessions", scenarios: 1 }), `${start} v3-sessions `)
    assert.include(nextOf(["my shop.suite.ts"], shop), `${start} "my shop.suite.ts" `)
    assert.include(nextOf([], shop), `${start}   (needs`)
  })

  it("does not suggest a replay of a scenario in quarantine", () => {
    const known = night.results.filter(isCovered)
    assert.lengthOf(known, 1)
    assert.include(nextOf(known), "--target https://your.service")
  })
})
