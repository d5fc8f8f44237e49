import type { NightsColumn, NightsMap } from "@webagent/harness-api"
import { letterOf } from "@webagent/harness-api/NightCells"
import { type Finding, statusOf } from "@webagent/report/Finding"
import { day_ms, lastRun, nameOf, newest_ms, nightId, owners, randomOf, tagsOf, trials, verdictAt } from "./Facts.ts"

/** Scenarios by nights: the newest night is number 0. */
export const mapOf = (scenarios: number, nights: number): NightsMap => {
  const random = randomOf(7)
  const rows = Array.from({ length: scenarios }, (_, n) => ({
    ...nameOf(n),
    tags: tagsOf(n),
    owner: owners[n % owners.length] ?? null,
    quarantine:
      n === 3
        ? {
            ...nameOf(n),
            scenario: nameOf(n).name,
            owner: "search",
            reason: "SHOP-12",
            since: "2026-11-20",
            expires: "2026-12-04"
          }
        : null
  }))
  const columns = Array.from({ length: nights }, (_, n): NightsColumn => {
    const verdicts = rows.map((_, scenario) => verdictAt(random, scenario, n))
    const failed = verdicts.flatMap((verdict, scenario) =>
      verdict === "failed" || verdict === "claimed" ? [scenario] : []
    )
    const findings: ReadonlyArray<Finding> = [
      ...failed.map((scenario): Finding => ({
        kind: {
          _tag: "Failed",
          claimedSuccess: false,
          cause: { key: "cart", facts: { _tag: "Check", message: "the cart was empty" } },
          trials: 5
        },
        severity: "error",
        scenarios: [{ ...nameOf(scenario), verdict: "failed" }]
      })),
      ...(n % 9 === 0
        ? [{ kind: { _tag: "Leak" }, severity: "error", scenarios: [nameOf(5)] } as const satisfies Finding]
        : [])
    ]
    // night 1 took twice as long, and the service was away in it; a new version came with the newest night
    const duration_ms = (n === 1 ? 2 : 1) * (1_500_000 + Math.round(random() * 600_000))
    const cost_usd = (3 + random()).toFixed(2)
    return {
      id: nightId(n),
      startedAt: new Date(newest_ms - n * day_ms).toISOString(),
      duration_ms,
      cost_usd,
      planned: { duration_ms, cost_usd },
      regressed: n === 1 ? ["duration"] : [],
      outages: n === 1 ? [{ from: "2026-11-26T02:10:00.000Z", until: "2026-11-26T02:31:00.000Z" }] : [],
      leaks: n % 9 === 0 ? 1 : 0,
      breaches: 0,
      revisions: { service: { version: n === 0 ? "1.5" : "1.4" }, suites: { commit: "9b1d77c0aa" } },
      status: statusOf(findings),
      findings,
      partial: null,
      isAway: false,
      target: "https://agents.example.com",
      tool: "0.1.0",
      trials,
      run: n === 0 ? lastRun : null,
      cells: verdicts.map(letterOf).join(""),
      usual: trials,
      rates: verdicts.flatMap((verdict, scenario): ReadonlyArray<readonly [number, number, number]> =>
        verdict === "passed" ? [] : [[scenario, verdict === "flaky" ? 3 : 0, trials]]
      )
    }
  })
  return { rows, nights: columns.toReversed(), total: nights, problems: [] }
}
