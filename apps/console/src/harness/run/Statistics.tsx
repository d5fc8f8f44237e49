import * as AgreementText from "@webagent/findings/words/AgreementText"
import { ineligible } from "@webagent/findings/words/HistoryLines"
import * as Agreement from "@webagent/report/Agreement"
import type { Comparison } from "@webagent/report/Comparison"
import { isUncleanOnly, type RunReport } from "@webagent/report/RunReport"
import { count, counted } from "../../ui/format.ts"
import { Section } from "../../ui/Page.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { FiguresTable } from "../parts/FiguresTable.tsx"
import { TextTable } from "../parts/TextTable.tsx"
import styles from "./RunScreen.module.css"

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`

const isChanged = ({ isUnusual, verdict }: Comparison): boolean =>
  verdict === "regressed" || verdict === "improved" || isUnusual

/** The comparison with earlier nights: changes and the whole night, and the rest folded away. */
const Judged = ({
  of: { differences, nights, passedOver, rows }
}: {
  readonly of: NonNullable<RunReport["judgement"]>
}) => {
  const shown = [...rows.filter(isChanged), ...rows.filter((row) => row.scenario === null && !isChanged(row))]
  const rest = rows.filter((row) => !shown.includes(row))
  const notes = [
    ...passedOver.map((one) => `${counted(one.nights, "night")} not counted: ${ineligible[one.why]}`),
    ...(differences.length === 0 ? [] : [`Differences from the night before: ${differences.join("; ")}`])
  ]
  return (
    <>
      <p>
        {nights === 0
          ? "There is no earlier night to compare with yet."
          : `Compared with up to ${counted(nights, "night")}.`}
        {notes.length === 0 ? null : (
          <>
            {" "}
            <Untrusted max={2000}>{`${notes.join(". ")}.`}</Untrusted>
          </>
        )}
      </p>
      {shown.length === 0 ? null : <FiguresTable label="Changes and the whole night" rows={shown} />}
      {rest.length === 0 ? null : (
        <details className={styles["fold"]}>
          <summary>No evidence of a change, or too little data: {counted(rest.length, "figure")}</summary>
          <FiguresTable label="Figures without evidence of a change" rows={rest} />
        </details>
      )}
    </>
  )
}

/** The statistics behind the verdicts; left out if there are none. */
export const Statistics = ({ report }: { readonly report: RunReport }) => {
  const { figures = [], judgement, results } = report
  const rates = figures.filter(({ rate, suite }) => suite === null || rate < 1)
  const agreements = Agreement.of(report)
  const unclean = results.filter(isUncleanOnly).length
  if (judgement === undefined && rates.length === 0 && agreements.length === 0) return null
  return (
    <Section title="Statistics">
      {judgement === undefined ? null : <Judged of={judgement} />}
      <TextTable
        label={`Pass rates with 95 % intervals, with equal weight for each scenario${figures.length === rates.length ? "" : `; ${counted(figures.length - rates.length, "suite")} at 100 %`}${unclean === 0 ? "" : `; by checks alone, without ${counted(unclean, "scenario")} that leaked a browser or broke an invariant`}`}
        heads={["Suite", "Scenarios", "Rate", "Interval", "k", "One of k passes", "All of k pass"]}
        rows={rates.map(({ interval, k, passAtK, passHatK, rate, scenarios, scenariosOfK, suite }) => [
          suite ?? "all",
          count(scenarios),
          percent(rate),
          interval === null ? "" : `${percent(interval.low)} to ${percent(interval.high)}`,
          scenariosOfK === scenarios ? count(k) : `${count(k)}, of ${counted(scenariosOfK, "scenario")}`,
          percent(passAtK),
          percent(passHatK)
        ])}
      />
      {agreements.map((pair) => (
        <p key={pair.judges.join(" ")}>{AgreementText.text(pair)}</p>
      ))}
    </Section>
  )
}
