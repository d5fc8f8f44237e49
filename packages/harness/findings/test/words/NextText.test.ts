import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "@webagent/report/Finding"
import * as IgnoreText from "../../src/words/IgnoreText.ts"
import * as NextText from "../../src/words/NextText.ts"

const textOf = (kind: Finding["kind"]) => NextText.text({ kind, severity: "error", scenarios: [] }, true)

const shop: Finding["scenarios"] = [{ suite: "shop", name: "pays", owner: "checkout team" }]
const nextOf = (finding: Pick<Finding, "kind"> & Partial<Finding>, replay?: string) =>
  NextText.of({ severity: "error", scenarios: [], ...finding }, { program: "harness", replay })

describe("the next step in words", () => {
  it("promises no requests, because a report may have no trace, and warns that a flaky scenario may pass", () => {
    const failed = { _tag: "Failed", claimedSuccess: false, cause: null, trials: 1 } as const
    assert.strictEqual(textOf(failed), "Open the trial in the report, then replay it.")
    assert.strictEqual(
      textOf({ _tag: "Flaky", cause: null, trials: 1, isUsual: false }),
      "Open the trial in the report, then replay it several times, because a single trial may pass."
    )
    const { commands, label } = nextOf({ kind: failed, scenarios: shop }, "harness run shop")
    assert.deepStrictEqual([label, commands], ["replay", ["harness run shop"]])
    const { commands: none, text } = nextOf({ kind: failed, scenarios: shop })
    assert.deepStrictEqual(none, [])
    assert.notInclude(text, "replay")
  })

  it("names the code that changed when a regression began, and who to ask", () => {
    const comparison = { figure: "duration", scenario: null, contributors: [{ owner: "checkout team" }] } as never
    const run = { startedAt: "2026-11-24T02:00:00.000Z", tool: "0.1.0" }
    const [good, bad] = ["1.4.2", "1.5.0"].map((version) => ({ ...run, service: { version } }))
    const onset = { since: run.startedAt, nights: 1, known: 9, change: { good, bad } } as NonNullable<Finding["onset"]>
    const kind = { _tag: "Regressed", comparison } as const
    assert.strictEqual(
      nextOf({ kind, onset }).text,
      "Look at service 1.5.0 (changed from 1.4.2) with the checkout team."
    )
    assert.strictEqual(
      nextOf({ kind, onset: { ...onset, change: { good: bad, bad } as never } }, "replay").text,
      "Find the change that made it worse. To measure it again, replay a scenario."
    )
    const ada = { ...kind, comparison: { ...(comparison as object), contributors: [{ owner: "@ada" }] } as never }
    assert.include(nextOf({ kind: ada, onset }).text, "with @ada.")
  })

  it("runs everything again that an outage left untested", () => {
    assert.include(textOf({ _tag: "Unreachable", cause: null, outage: null, trials: 1 }), "--last-failed")
    const outage = { from: "2026-11-24T02:10:07.000Z", to: null, why: "connection refused" }
    const away = { _tag: "ServiceAway", outage, isWholeRun: true } as const
    assert.notInclude(textOf(away), "--last-failed")
    const interrupted: Finding = { kind: { ...away, isWholeRun: false }, severity: "error", scenarios: shop }
    assert.match(NextText.text(interrupted, true), /^Check that the service is up, .*--last-failed/u)
    const args = ["my shop.suite.ts", "--record"]
    const commandsOf = (finding: Finding, of = args) => nextOf({ ...finding, kind: { ...away, args: of } }).commands
    assert.deepStrictEqual(commandsOf(interrupted), ['harness run "my shop.suite.ts" --record --last-failed'])
    assert.deepStrictEqual(commandsOf(interrupted, ["--last-failed"]), ["harness run --last-failed"])
    assert.deepStrictEqual(commandsOf({ ...interrupted, scenarios: [] }), ['harness run "my shop.suite.ts" --record'])
    assert.deepStrictEqual(nextOf(interrupted).commands, [])
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
    const commandsOf = (folders: { readonly folders?: string }) =>
      nextOf({ kind: { _tag: "Incomplete", why: { ...lost, args, ...folders } } }).commands
    assert.deepStrictEqual(commandsOf({ folders: "out/shard-*" }), [
      ...[1, 3].map((n) => `harness run "my shop.suite.ts" --seed 7 --shard ${n}/3 --report-dir out/shard-${n}`),
      "harness merge out/shard-*"
    ])
    assert.strictEqual(commandsOf({}).at(-1), "harness merge shards/*")
  })
})
