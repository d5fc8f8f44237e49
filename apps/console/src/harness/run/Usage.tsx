import * as Outages from "@webagent/findings/Outages"
import * as BreachText from "@webagent/findings/words/BreachText"
import * as CauseText from "@webagent/findings/words/CauseText"
import { releaseText } from "@webagent/findings/words/HistoryLines"
import * as LeftoverText from "@webagent/findings/words/LeftoverText"
import * as OutageText from "@webagent/findings/words/OutageText"
import * as SkipText from "@webagent/findings/words/SkipText"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import type { RunReport } from "@webagent/report/RunReport"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { isOpen, type Leftover } from "@webagent/report/Trial"
import { count, counted, span } from "../../ui/format.ts"
import { usd } from "../state/cost.ts"
import { Section } from "../../ui/Page.tsx"
import { TextTable } from "../parts/TextTable.tsx"

type Rows = ReadonlyArray<ReadonlyArray<string>>

/** The run's usage, and its limits. */
const limitsOf = (report: RunReport): Rows => {
  const { cost_usd, counts, duration_ms, header, results } = report
  const { limits } = header
  const cut = InterruptedTrials.of(report)
  const confirm = results.reduce((sum, result) => sum + (result.confirm?.trials.length ?? 0), 0)
  return [
    ["time", span(duration_ms), limits.time_ms === undefined ? "none" : span(limits.time_ms)],
    [
      header.target.simulated ? "cost, simulated" : "cost",
      usd(cost_usd),
      limits.cost_usd === undefined ? "none" : usd(limits.cost_usd)
    ],
    ...(cut === undefined
      ? []
      : [
          [
            counted(cut.trials, "interrupted trial"),
            cut.most_usd === null ? "unknown" : `unknown, charged ${usd(cut.most_usd)}`,
            ""
          ]
        ]),
    ["requests", count(counts.requests), limits.requests === undefined ? "none" : count(limits.requests)],
    ["retries", count(counts.reruns), limits.reruns === undefined ? "none" : count(limits.reruns)],
    ...(limits.confirm === undefined ? [] : [["extra trials", count(confirm), count(limits.confirm)]])
  ]
}

const leftBy = ({ trial }: Leftover): string =>
  trial === null
    ? "unknown trial"
    : `${scenarioTitle({ suite: trial.suite, name: trial.scenario })}, trial ${trial.index + 1}`

const skippedOf = ({ results }: RunReport): Rows =>
  [
    ...Map.groupBy(
      results.filter(({ verdict }) => verdict === "skipped"),
      (result) => SkipText.reasonOf(result) ?? "no reason was given"
    )
  ].map(([reason, group]) => [reason, count(group.length), group.map(scenarioTitle).join(", ")])

const retriesOf = ({ results }: RunReport): Rows =>
  results.flatMap((result) =>
    result.trials.flatMap(({ index, reruns, verdict }) =>
      reruns.map(({ failure }) => [scenarioTitle(result), String(index + 1), CauseText.ofFailure(failure), verdict])
    )
  )

const quarantineOf = ({ results }: RunReport): Rows =>
  results.flatMap((result) => {
    const { quarantine, verdict } = result
    if (quarantine === undefined) return []
    const { expired, expires, owner, reason } = quarantine
    return [[scenarioTitle(result), verdict, owner, reason, expired ? `${expires}, expired` : expires]]
  })

/** The usage of the run, and its skipped scenarios, retries, leftovers and quarantine. */
export const Usage = ({ report }: { readonly report: RunReport }) => {
  const { breaches, leftovers = [], proposals = [] } = report
  const leftoverRows = (some: ReadonlyArray<Leftover>) => some.map((one) => [leftBy(one), LeftoverText.text(one)])
  return (
    <Section title="Usage and limits">
      <TextTable label="Totals" heads={["Figure", "Used", "Limit"]} rows={limitsOf(report)} />
      <TextTable
        label="Outages of the service"
        heads={["When", "Effect", "Scenarios", "Requests"]}
        rows={Outages.of(report)
          .map(Outages.tollOf)
          .map((one) => [OutageText.span(one), OutageText.toll(one), count(one.scenarios), OutageText.requests(one)])}
      />
      <TextTable
        label="Broken invariants of the whole run"
        heads={["Invariant", "Evidence", "Resource"]}
        rows={breaches.map((one) => [one.invariant, BreachText.text(one), one.resource ?? ""])}
      />
      <TextTable
        label="Resources that may still be running and cost money"
        heads={["Scenario", "Outcome"]}
        rows={leftoverRows(leftovers.filter(isOpen))}
      />
      <TextTable
        label="Resources that were stopped afterwards"
        heads={["Scenario", "Outcome"]}
        rows={leftoverRows(leftovers.filter((one) => !isOpen(one)))}
      />
      <TextTable label="Skipped scenarios" heads={["Reason", "Count", "Scenarios"]} rows={skippedOf(report)} />
      <TextTable
        label="Trials that were retried after infrastructure errors"
        heads={["Scenario", "Trial", "Error", "Then"]}
        rows={retriesOf(report)}
      />
      <TextTable
        label="Quarantined: these don't fail the night until their last day"
        heads={["Scenario", "Verdict", "Owner", "Reason", "Last day"]}
        rows={quarantineOf(report)}
      />
      <TextTable
        label="Ready to leave quarantine"
        heads={["Scenario", "Owner", "Evidence"]}
        rows={proposals.map((one) => [
          scenarioTitle({ suite: one.suite, name: one.scenario }),
          one.owner,
          releaseText(one)
        ])}
      />
    </Section>
  )
}
