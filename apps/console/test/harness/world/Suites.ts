import type { NightsMap, SuiteTree } from "@webagent/harness-api"
import { lastRun, newest_ms, suiteNames, trials } from "./Facts.ts"

export const suitesOf = (map: NightsMap): SuiteTree => ({
  problem: null,
  files: [
    ...suiteNames.map((suite) => ({
      argument: `suites/${suite}.suite.ts`,
      suite,
      problem: null,
      scenarios: map.rows.flatMap((row, n) =>
        row.suite === suite
          ? [
              {
                name: row.name,
                tags: row.tags,
                needs: [],
                owner: row.owner,
                trials,
                only: false,
                skip: null,
                budget_usd: null,
                mayCost: row.tags.includes("paid"),
                where: `suites/${suite}.suite.ts:${10 + n}`,
                last:
                  n === 1
                    ? null
                    : {
                        verdict: n === 2 ? ("failed" as const) : ("passed" as const),
                        passed: 5,
                        scored: 5,
                        at: new Date(newest_ms).toISOString(),
                        run: lastRun
                      },
                quarantine: row.quarantine
              }
            ]
          : []
      )
    })),
    {
      argument: "suites/broken.suite.ts",
      suite: null,
      problem: "suites/broken.suite.ts:3: Unexpected token.",
      scenarios: []
    }
  ]
})
