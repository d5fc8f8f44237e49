import * as FindingText from "@webagent/findings/words/FindingText"
import * as SkipText from "@webagent/findings/words/SkipText"
import * as VerdictText from "@webagent/findings/words/VerdictText"
import type { Finding } from "@webagent/report/Finding"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { isRun } from "@webagent/report/Usage"
import { useMemo } from "react"
import { place, setInQuery } from "../../state/place.ts"
import { useAtomValue } from "../../state/react.ts"
import { counted, span } from "../../ui/format.ts"
import { usd } from "../state/cost.ts"
import { SelectField, TextField } from "../../ui/Field.tsx"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Verdict } from "../parts/Verdict.tsx"
import { textIn, trialAddress } from "../state/address.ts"
import styles from "./RunScreen.module.css"

/** A scenario of the run with its findings. */
interface Shown {
  readonly result: ScenarioResult
  readonly findings: ReadonlyArray<Finding>
  /** Problems besides its verdict, such as `browser leak`, by which you can filter. */
  readonly words: ReadonlyArray<string>
  /** Why, in a line; empty if it passed. */
  readonly why: string
}

const order = ["claimed", "failed", "flaky", "infra", "unscored", "skipped", "passed"]

const keyOf = ({ name, suite }: { readonly suite: string; readonly name: string }) => JSON.stringify([suite, name])

const shownOf = ({ findings = [], results }: RunReport): ReadonlyArray<Shown> => {
  const byScenario = new Map<string, Array<Finding>>()
  for (const finding of findings)
    for (const scenario of finding.scenarios) {
      const key = keyOf(scenario)
      byScenario.set(key, [...(byScenario.get(key) ?? []), finding])
    }
  const rank = ({ findings: its, result }: Shown) =>
    order.indexOf(result.verdict) - (its.some(({ severity }) => severity !== "note") ? order.length : 0)
  return results
    .map((result): Shown => {
      const its = byScenario.get(keyOf(result)) ?? []
      const texts = its.map((finding) => ({ ...FindingText.describe(finding), severity: finding.severity }))
      const serious = texts.filter(({ severity }) => severity !== "note")
      return {
        result,
        findings: its,
        words: [
          ...new Set([
            ...serious.map(({ what }) => what),
            ...(result.quarantine === undefined ? [] : ["quarantine"]),
            ...(result.onset?.trials?.nights === 1 ? ["new"] : [])
          ])
        ],
        why: texts
          .map(({ age, cause, evidence, what }) => {
            const reason = [cause, evidence, SkipText.reasonOf(result)].find((one) => one !== undefined && one !== "")
            return `${what}${age === undefined ? "" : `, ${age}`}${reason === undefined ? "" : `: ${reason}`}`
          })
          .join(" · ")
      }
    })
    .toSorted((one, other) => rank(one) - rank(other))
}

const medianOf = (values: ReadonlyArray<number>): number | undefined =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]

/** The cost of all trials, and the part of its extra trials. */
const costOf = ({ confirm, cost_usd }: ScenarioResult): string => {
  const part = (confirm?.trials ?? []).reduce((sum, trial) => sum + Number(trial.cost_usd), 0)
  return `${usd(cost_usd)}${part === 0 ? "" : `, ${usd(part)} to confirm`}`
}

/** Every scenario of a run, the worst first. */
export const Results = ({ id, report }: { readonly id: string; readonly report: RunReport }) => {
  const all = useMemo(() => shownOf(report), [report])
  const query = new URLSearchParams(useAtomValue(place).search)
  const [text, only] = [textIn(query, "text"), textIn(query, "only")]
  const words = [...new Set(all.flatMap(({ result, words }) => [...words, VerdictText.word(result.verdict)]))]
  const rows = all.filter(
    (one) =>
      (only === "" || VerdictText.word(one.result.verdict) === only || one.words.includes(only)) &&
      text
        .toLowerCase()
        .split(/\s+/u)
        .every((word) => scenarioTitle(one.result).toLowerCase().includes(word))
  )
  return (
    <Section title="Scenarios">
      <div className={styles["filters"]} role="group" aria-label="Filters">
        <TextField
          label="Scenario"
          type="search"
          value={text}
          onChange={({ currentTarget }) => setInQuery("text", currentTarget.value)}
        />
        <SelectField
          label="Show"
          value={only}
          onChange={({ currentTarget }) => setInQuery("only", currentTarget.value)}
        >
          <option value="">All</option>
          {words.map((word) => (
            <option key={word} value={word}>
              {word}
            </option>
          ))}
        </SelectField>
        <p role="status">
          {rows.length === all.length
            ? counted(all.length, "scenario")
            : `${rows.length} of ${counted(all.length, "scenario")}`}
          . Duration is the median of a scenario's trials; cost is their total.
        </p>
      </div>
      <Table
        label="Scenarios"
        rows={rows}
        keyOf={({ result }) => keyOf(result)}
        columns={[
          {
            name: "Scenario",
            cell: ({ result, why }) => (
              <>
                <Link to={trialAddress(id, result)} data-row>
                  <Untrusted max={120}>{scenarioTitle(result)}</Untrusted>
                </Link>
                {why === "" ? null : (
                  <p className={styles["why"]}>
                    <Untrusted max={240}>{why}</Untrusted>
                  </p>
                )}
              </>
            )
          },
          { name: "Verdict", cell: ({ result }) => <Verdict of={result.verdict} /> },
          {
            name: "Trials",
            isNumber: true,
            cell: ({ result: { trials } }) =>
              `${trials.filter(({ verdict }) => verdict === "passed").length} of ${trials.filter(isRun).length}`
          },
          {
            name: "Duration",
            isNumber: true,
            cell: ({ result: { trials } }) => {
              const median = medianOf(trials.filter(isRun).map(({ duration_ms }) => duration_ms))
              return median === undefined ? "–" : span(median)
            }
          },
          { name: "Cost", isNumber: true, cell: ({ result }) => costOf(result) }
        ]}
      />
    </Section>
  )
}
