import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "@webagent/report/Finding"
import * as IgnoreText from "../../src/words/IgnoreText.ts"
import * as NextText from "../../src/words/NextText.ts"

const textOf = (kind: Finding["kind"]) => NextText.text({ kind, severity: "error", scenarios: [] }, true)

const shop: Finding["scenarios"] = [{ suite: "shop", name: "pays", owner: "checkout team" }]
const nextOf = (finding: Pick<Finding, "kind"> & Partial<Finding>, replay?: string) =>
  NextText.of({ severity: "error", scenarios: [], ...finding }, { program: "harness", replay })

describe("the next step", () => {
  it("promises no requests, because a report may have no trace, and warns that a flaky scenario may pass", () => {
    const failed = { _tag: "Failed", claimedSuccess: false, cause: null, trials: 1 } as const
    assert.strictEqual(textOf(failed), "Open the trial in the report, then replay it.")
    const flaky = { _tag: "Flaky", cause: null, trials: 1, isUsual: false } as const
    assert.strictEqual(
      textOf(flaky),
      "Open a failed trial in the report, then replay the scenario. The command runs it several times, because a single trial may pass."
    )
    const trials = { passed: 2, ran: 4, notRun: 1 }
    const counted: Finding = { kind: flaky, severity: "error", scenarios: shop.map((one) => ({ ...one, trials })) }
    assert.include(NextText.text(counted, true), "The command runs it 5 times, ")
    // a notification has no command
    assert.include(NextText.text(counted, true, false), "then replay the scenario 5 times, because")
    const { commands, label } = nextOf({ kind: failed, scenarios: shop }, "harness run shop")
    assert.deepStrictEqual([label, commands], ["replay", ["harness run shop"]])
    const { commands: none, text } = nextOf({ kind: failed, scenarios: shop })
    assert.deepStrictEqual(none, [])
    assert.notInclude(text, "replay")
  })

  const run = { startedAt: "2026-11-24T02:00:00.000Z", tool: "0.1.0", suites: { commit: "3f0c1a2b" } }
  const [good, bad] = ["1.4.2", "1.5.0"].map((version) => ({ ...run, service: { version } }))
  const onset = { since: run.startedAt, nights: 1, known: 9, change: { good, bad } } as NonNullable<Finding["onset"]>

  it("names the code that changed when a regression began, and whom to ask", () => {
    const before = { _tag: "Duration", milliseconds: 2420 }
    const contributor = { suite: "shop", name: "pays", owner: "checkout team", before }
    const comparison = { figure: "duration", scenario: null, contributors: [contributor] }
    const kind = { _tag: "Regressed", comparison: comparison as never } as const
    assert.strictEqual(
      nextOf({ kind, onset }).text,
      "Ask the team that deployed service 1.5.0 what changed since 1.4.2."
    )
    assert.strictEqual(
      nextOf({ kind, onset: { ...onset, change: { good: bad, bad } as never } }, "replay").text,
      "Find the change that made it worse. To measure it again, replay shop › pays and compare it with its usual 2.42 s per trial."
    )
    // suites of an unknown version may have changed as well
    const { suites: _, ...unknown } = bad ?? run
    assert.include(
      nextOf({ kind, onset: { ...onset, change: { good, bad: unknown } as never } }).text,
      "Look at the service's change from 1.4.2 to 1.5.0 with the checkout team."
    )
    // the owner of the scenarios owns the suites, too
    const change = { good, bad: { ...bad, tool: "0.2.0" } } as never
    const ada = { ...kind, comparison: { ...comparison, contributors: [{ ...contributor, owner: "@ada" }] } as never }
    assert.strictEqual(
      nextOf({ kind: ada, onset: { ...onset, change } }).text,
      "Look at the harness's change from 0.1.0 to 0.2.0 and the service's change from 1.4.2 to 1.5.0 with @ada."
    )
  })

  it("compares a scenario's cost with the usual one, but not its pass rate", () => {
    const nextAfter = (before: unknown) => {
      const comparison = { figure: "cost", scenario: shop[0], before } as never
      const scenarios = shop.map((one) => ({ ...one, comparison }))
      return nextOf({ kind: { _tag: "Regressed", comparison }, scenarios }, "replay").text.split(" replay ")[1]
    }
    assert.deepStrictEqual(
      [
        { _tag: "Rate", passed: 76, scored: 80 },
        { _tag: "Cost", usd: "0.0132" }
      ].map(nextAfter),
      ["shop › pays.", "shop › pays and compare it with its usual 0.0132 USD per trial."]
    )
  })

  it("begins with the code that changed when a scenario began to fail", () => {
    const look = "Ask the team that deployed service 1.5.0 what changed since 1.4.2."
    const scenarios = shop.map((one) => ({ ...one, onset }))
    const failed = { kind: { _tag: "Failed", claimedSuccess: false, cause: null, trials: 1 }, scenarios } as const
    assert.deepStrictEqual(
      [nextOf(failed, "replay").text, nextOf(failed).text],
      [
        `${look} To see the failure, open the trial in the report or replay it.`,
        `${look} Run the scenario again to see whether it still fails.`
      ]
    )
    const flaky = { kind: { _tag: "Flaky", cause: null, trials: 1, isUsual: false }, scenarios } as const
    assert.strictEqual(
      nextOf(flaky, "replay").text,
      `${look} Open a failed trial in the report, then replay the scenario. The command runs it several times, because a single trial may pass.`
    )
  })

  it("reruns everything that an outage left untested", () => {
    assert.include(textOf({ _tag: "Unreachable", cause: null, outage: null, trials: 1 }), "--last-failed")
    const outage = { from: "2026-11-24T02:10:07.000Z", to: null, why: "connection refused" }
    const away = { _tag: "ServiceAway", outage, isWholeRun: true } as const
    assert.notInclude(textOf(away), "--last-failed")
    const scenarios = shop.map((one) => ({ ...one, verdict: "infra" as const }))
    const interrupted: Finding = { kind: { ...away, isWholeRun: false }, severity: "error", scenarios }
    assert.match(NextText.text(interrupted, true), /^Check that the service is up first\. .*--last-failed/u)
    const args = ["my shop.suite.ts", "--record"]
    const commandsOf = (finding: Finding, of = args) => nextOf({ ...finding, kind: { ...away, args: of } }).commands
    assert.deepStrictEqual(commandsOf(interrupted), ['harness run "my shop.suite.ts" --record --last-failed'])
    assert.deepStrictEqual(commandsOf(interrupted, ["--last-failed"]), ["harness run --last-failed"])
    assert.deepStrictEqual(commandsOf({ ...interrupted, scenarios: [] }), ['harness run "my shop.suite.ts" --record'])
    // its trials passed, but were slow
    assert.deepStrictEqual(commandsOf({ ...interrupted, scenarios: shop }), ['harness run "my shop.suite.ts" --record'])
    assert.deepStrictEqual(nextOf(interrupted).commands, [])
    const over = { ...away, isWholeRun: false, outage: { ...outage, to: "2026-11-24T02:31:40.000Z" } } as const
    const [some, all] = [
      { ...interrupted, kind: over },
      { ...interrupted, kind: over, scenarios: [] }
    ].map((finding) => NextText.text(finding, false))
    const operator = "Ask the service operator about the outage."
    const back = "The service responded again at 02:31 UTC."
    assert.deepStrictEqual(
      [some, all],
      [
        `${back} Run the interrupted scenarios again in the folder where the night ran: --last-failed reads its report there. ${operator}`,
        `${back} Run the night again. ${operator}`
      ]
    )
    // the next step is in one place only
    assert.notMatch(IgnoreText.text(interrupted), /again|repeat/u)
  })

  it("runs a missing shard into a folder next to the others, then merges all", () => {
    const lost = { _tag: "LostShards", missing: 2, of: 3, shards: [1, 3] } as const
    assert.include(textOf({ _tag: "Incomplete", why: lost }), "--shard 1/3, then --shard 3/3 and the same --seed")
    assert.include(
      textOf({ _tag: "Incomplete", why: { _tag: "LostShards", missing: 1, of: 2 } }),
      "the same --shard and the same --seed"
    )
    const args = ["my shop.suite.ts", "--seed", "7"]
    const stepOf = (folders: { readonly folders?: string }) =>
      nextOf({ kind: { _tag: "Incomplete", why: { ...lost, args, ...folders } } })
    const commandsOf = (folders: { readonly folders?: string }) => stepOf(folders).commands
    const begin = "Look at the job of shards 1, 3 first. Then download the report of shard 2 from the CI to"
    const end = "and run these commands there: they run shards 1, 3 and merge all reports."
    assert.deepStrictEqual(
      [{}, { folders: "out/shard-*" }].map((folders) => stepOf(folders).text),
      ["shards/2", "out/shard-2"].map((folder) => `${begin} ${folder} in a checkout, ${end}`)
    )
    const kind = { _tag: "Incomplete", why: { ...lost, args } } as const
    assert.include(NextText.text({ kind, severity: "error", scenarios: [] }, false, false), "--shard 1/3, then")
    assert.deepStrictEqual(commandsOf({ folders: "out/shard-*" }), [
      ...[1, 3].map((n) => `harness run "my shop.suite.ts" --seed 7 --shard ${n}/3 --report-dir out/shard-${n}`),
      "harness merge out/shard-*"
    ])
    assert.strictEqual(commandsOf({}).at(-1), "harness merge shards/*")
  })
})
