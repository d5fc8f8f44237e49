import { assert, describe, it } from "@effect/vitest"
import type { InvariantFacts } from "@webagent/report/Breach"
import type { NotRerun } from "@webagent/report/NotRerun"
import * as AgreementText from "../../src/words/AgreementText.ts"
import * as BreachText from "../../src/words/BreachText.ts"
import * as InterruptedTrialsText from "../../src/words/InterruptedTrialsText.ts"
import * as LimitText from "../../src/words/LimitText.ts"
import * as PartialText from "../../src/words/PartialText.ts"
import * as SkipText from "../../src/words/SkipText.ts"

const breach = (facts: InvariantFacts) => BreachText.text({ invariant: "runs-left-running", resource: "r-1", facts })

describe("texts of a report's records", () => {
  it("name the filters, the limit or the missing shards of a partial run", () => {
    assert.deepStrictEqual(
      [
        PartialText.text({ _tag: "Selection", tags: ["a"], name: "pays" }),
        PartialText.text({ _tag: "Selection", tags: [], scenarios: 29 }),
        PartialText.text({ _tag: "LostShard", shards: [2], cut: 1, of: 3 })
      ],
      [
        'only --tag a and --name "pays" was selected',
        "only 29 chosen scenarios were selected",
        "shard 2 is missing, and with it 1 of 3 scenarios"
      ]
    )
  })

  it("name the resource of a broken invariant, or the hook and time limit of a suite", () => {
    const suite = { _tag: "SuiteNotReleased", suite: "shop" } as const
    assert.deepStrictEqual(
      [
        breach({ _tag: "LeftRunning", kind: "run", isStopped: true }),
        breach({ ...suite, hook: "afterAll", error: "no till" }),
        breach({ ...suite, error: "stuck" }),
        breach({ ...suite, limit_ms: 10_000 })
      ],
      [
        "The run r-1 was left running, and was stopped.",
        "afterAll of shop failed: no till.",
        "A resource of shop was not released: stuck.",
        "shop did not release its resources within 10 s."
      ]
    )
  })

  it("have both values of an exceeded run limit", () => {
    assert.strictEqual(
      LimitText.ofRun({ _tag: "Requests", actual: 12, limit: 10 }),
      "the shards sent 12 requests together, more than the 10 of the night"
    )
  })

  it("have both judges' numbers of an agreement", () => {
    assert.strictEqual(
      AgreementText.text({ judges: ["agent", "oracle"], trials: 10, agreed: 7, successes: [9, 6] }),
      "agent and oracle agree on 7 of 10 trials: the agent calls 9 a success, the oracle 6"
    )
  })

  it("have the charge of interrupted trials, if a budget limits them", () => {
    assert.deepStrictEqual(
      [
        InterruptedTrialsText.text({ trials: 2, most_usd: null }),
        InterruptedTrialsText.text({ trials: 1, most_usd: "0.5" })
      ],
      [
        "cost of 2 interrupted trials unknown: no budget bounds it",
        "cost of 1 interrupted trial unknown: charged 0.50 USD, its declared budget"
      ]
    )
  })

  it("explain after a failure's message why the trial was not run again", () => {
    const reason = (notRerun: NotRerun) => SkipText.reasonOf({ reason: "HTTP 503", notRerun })
    assert.deepStrictEqual(
      [
        reason({ _tag: "FailedAgain", reruns: 2 }),
        reason({ _tag: "RerunsUsedUp", reruns: 0, limit: 2 }),
        reason({ _tag: "RerunsUsedUp", reruns: 1, limit: 2 }),
        reason({ _tag: "RerunsUsedUp", reruns: 0, limit: 0 }),
        reason({ _tag: "RetryAfter", after_ms: 600_000 }),
        reason({ _tag: "Skipped", skip: { _tag: "TimeLimit", limit_ms: 400 } })
      ],
      [
        "HTTP 503: again on 2 reruns",
        "HTTP 503: the 2 reruns are used up",
        "HTTP 503: again on the rerun, and the 2 reruns are used up",
        "HTTP 503: --reruns is 0",
        "HTTP 503: Retry-After is 600 s",
        "HTTP 503: --max-time (400 ms) was reached"
      ]
    )
  })
})
