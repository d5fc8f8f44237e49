import type { LearnedScenario } from "./LearnedScenario.ts"
import * as Money from "@webagent/cli/Money"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { keyOf, type Night, type NightScenario } from "./Night.ts"

export type { LearnedScenario }

const most = 30
const lastVerdicts = 10

const learn = (last: Night, rows: ReadonlyArray<NightScenario>, newest: NightScenario): LearnedScenario => {
  const sum = (count: (row: NightScenario) => number) => rows.reduce((total, row) => total + count(row), 0)
  const [scored, trials] = [sum((row) => row.scored), sum((row) => row.trials)]
  const spent = sorted(rows.filter((row) => row.trials > 0).map((row) => row.spent_ms / row.trials))
  return {
    suite: newest.suite,
    name: newest.name,
    nights: rows.length,
    passRate: scored === 0 ? undefined : sum((row) => row.passed) / scored,
    duration_p75_ms: spent.length === 0 ? 0 : quantile(spent, 0.75),
    cost_usd: Money.share(Money.sum(rows.map((row) => row.cost_usd)), 1, Math.max(1, trials)),
    requests: trials === 0 ? 0 : sum((row) => row.requests) / trials,
    lastVerdicts: rows.slice(-lastVerdicts).map(({ verdict }) => verdict),
    lastRun: last.startedAt,
    source: newest.source
  }
}

/**
 * Statistics of the last thirty nights on a target for each scenario, by `keyOf`, including partial nights. The nights
 * are in order of time, as `NightFile` reads them; a target is `simulated` or an address.
 */
export const learned = (nights: ReadonlyArray<Night>, target: string): ReadonlyMap<string, LearnedScenario> => {
  const recent = nights.filter(({ fingerprint }) => fingerprint.target === target).slice(-most)
  const rows = new Map<string, { last: Night; rows: Array<NightScenario>; newest: NightScenario }>()
  for (const night of recent) {
    for (const scenario of night.scenarios) {
      const key = keyOf(scenario.suite, scenario.name)
      const before = rows.get(key)?.rows ?? []
      rows.set(key, { last: night, rows: [...before, scenario], newest: scenario })
    }
  }
  return new Map([...rows].map(([key, of]) => [key, learn(of.last, of.rows, of.newest)]))
}
