import { assert, it } from "vitest"
import * as EvalFigures from "../src/EvalFigures.ts"
import { report } from "./reports.ts"

it("EvalFigures weighs tasks equally, counts false claims, and omits trials without a verdict", () => {
  const [shop, mail, all] = EvalFigures.of(report)
  assert.deepInclude(shop, { suite: "eval-shop", tasks: 2, passed: 3, scored: 4, claimed: 1, unscored: 0, rate: 0.75 })
  assert.deepInclude(mail, {
    suite: "eval-mail",
    passed: 0,
    scored: 1,
    claimed: 0,
    unscored: 1,
    rate: 0,
    interval: null
  })
  assert.deepInclude(all, {
    suite: null,
    tasks: 3,
    passed: 3,
    scored: 5,
    rate: 0.5,
    // the trial without a verdict counts as not passed
    leastRate: (0.5 + 1 + 0) / 3,
    cost_usd: "0.06",
    duration_ms: 500
  })
  const { low = 1, high = 0 } = all?.interval ?? {}
  assert.isTrue(low < 0.5 && high > 0.5, JSON.stringify(all))
})

it("EvalFigures has one row for a single site, and no rate without a scored trial", () => {
  const [only] = report.results.slice(2)
  const results = only === undefined ? [] : [{ ...only, trials: only.trials.slice(1) }]
  assert.deepInclude(EvalFigures.of({ ...report, results })[0], {
    scored: 0,
    unscored: 1,
    rate: null,
    leastRate: 0,
    duration_ms: null
  })
})
