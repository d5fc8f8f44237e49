import type { TrendPoint } from "@webagent/harness-api"
import { ChartLine } from "lucide-react"
import { place } from "../../state/place.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { counted, span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Page, Section } from "../../ui/Page.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Verdict } from "../parts/Verdict.tsx"
import { nightAddress, scenarioIn } from "../state/address.ts"
import { trendOf } from "../state/source.ts"
import { Chart } from "./Chart.tsx"
import { figures, type Figure, groupsOf } from "./trend.ts"
import styles from "./ScenarioScreen.module.css"

const percent = (share: number): string => `${Math.round(share * 100)} %`
const dollars = (amount: number): string => `${Number(amount.toPrecision(3))} USD`

const writers: Readonly<Record<Figure, (value: number) => string>> = {
  "pass rate": percent,
  duration: span,
  cost: dollars,
  "flaky scenarios": String,
  "leaked browsers": String,
  requests: String
}

const labels: Readonly<Record<Figure, string>> = {
  "pass rate": "Pass rate, with its 95 % interval",
  duration: "Duration, with the middle half of the nights",
  cost: "Cost, with the middle half of the nights",
  "flaky scenarios": "Flaky scenarios, with the middle half of the nights",
  "leaked browsers": "Leaked browsers, with the middle half of the nights",
  requests: "Requests, with the middle half of the nights"
}

/** Latest nights in the table. */
const mostShown = 30

/** A scenario, or the whole night, over a year. */
const ScenarioScreen = () => {
  const { path, search } = useAtomValue(place)
  const scenario = path === "/trend" ? null : (scenarioIn(search) ?? null)
  const atom = trendOf(scenario)
  return (
    <Page
      title={scenario === null ? "Nights over time" : "A scenario over time"}
      lead={scenario === null ? undefined : <Untrusted max={300}>{`${scenario.suite} › ${scenario.name}`}</Untrusted>}
      actions={<Link to="/">Nights</Link>}
    >
      <Answer of={useAtomValue(atom)} what="nights" onRetry={() => registry.refresh(atom)}>
        {({ points }) =>
          points.length === 0 ? (
            <Message icon={ChartLine} title="No data yet">
              <p>Record runs with --record. Each one adds a point.</p>
            </Message>
          ) : (
            <>
              <p className={styles["lead"]}>
                {counted(points.length, "night")}
                {scenario === null ? ". Duration and cost exclude extra trials." : ""}
              </p>
              {figures.map((figure) => {
                const groups = groupsOf(points, figure, writers[figure])
                return groups.every(({ value }) => figure !== "pass rate" && value === 0) ? null : (
                  <Chart
                    key={figure}
                    label={labels[figure]}
                    groups={groups}
                    write={writers[figure]}
                    {...(figure === "pass rate" ? { most: 1 } : {})}
                  />
                )
              })}
              <Section title="Latest nights">
                <Table
                  label="Latest nights"
                  rows={points.slice(-mostShown).toReversed()}
                  keyOf={({ night }) => night}
                  columns={[
                    {
                      name: "Night",
                      cell: ({ night, startedAt }) => (
                        <Link to={nightAddress(night)} data-row>
                          {startedAt.slice(0, 16).replace("T", " ")}
                        </Link>
                      )
                    },
                    ...(scenario === null
                      ? [
                          {
                            name: "Scenarios",
                            isNumber: true,
                            cell: ({ whole }: TrendPoint) =>
                              whole === undefined ? "–" : `${whole.passed} of ${whole.ran}`
                          }
                        ]
                      : [
                          {
                            name: "Verdict",
                            cell: ({ verdict }: TrendPoint) => (verdict === null ? "–" : <Verdict of={verdict} />)
                          }
                        ]),
                    {
                      name: scenario === null ? "Trials" : "Passed",
                      isNumber: true,
                      cell: ({ passed, scored }) => `${passed} of ${scored}`
                    },
                    {
                      name: "Duration",
                      isNumber: true,
                      cell: ({ duration_ms }) => (duration_ms === null ? "–" : span(duration_ms))
                    },
                    { name: "Cost", isNumber: true, cell: ({ cost_usd }) => dollars(cost_usd) }
                  ]}
                />
              </Section>
            </>
          )
        }
      </Answer>
    </Page>
  )
}

export default ScenarioScreen
