import type { SpendRow } from "@webagent/admin"
import { Download } from "lucide-react"
import { place } from "../../state/place.ts"
import { noteExport } from "../../state/client.ts"
import { registry, useAtomSet, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { download } from "../../ui/download.ts"
import { count, counted, usd } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Page } from "../../ui/Page.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { csvOf } from "./exported.ts"
import { type Grouping, groupingOf, groupings, spend } from "./spend.state.ts"
import styles from "./SpendScreen.module.css"

const labels: Readonly<Record<Grouping, string>> = { day: "By day", key: "By key", model: "By model" }
const columns: Readonly<Record<Grouping, string>> = { day: "Day (UTC)", key: "Key", model: "Model" }

const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

/** The address of the runs of a row. */
const runsOf = (by: Grouping, name: string) =>
  by === "day" ? `/runs?from=${name}&to=${nextDay(name)}` : `/runs?${by}=${encodeURIComponent(name)}`

const Name = ({ by, row }: { readonly by: Grouping; readonly row: SpendRow }) => {
  const name = row[by]
  if (name === null) return "–"
  return (
    <Link to={runsOf(by, name)} title="Show the runs">
      <Untrusted>{name}</Untrusted>
    </Link>
  )
}

/** Cost of runs in the last 30 days, by day, key or model. */
const SpendScreen = () => {
  const by = groupingOf(useAtomValue(place).search)
  const note = useAtomSet(noteExport)
  const result = useAtomValue(spend(by))
  return (
    <Page title="Spend" lead="Cost of the runs of the last 30 days. To limit a key, set its limit of USD per day.">
      <nav className={styles["choice"]} aria-label="Grouping">
        {groupings.map((one) => (
          <Link key={one} to={`/spend?by=${one}`} aria-current={one === by ? "page" : undefined}>
            {labels[one]}
          </Link>
        ))}
      </nav>
      <Answer of={result} what="costs" onRetry={() => registry.refresh(spend(by))}>
        {(sums) => {
          const most = Math.max(...sums.rows.map((row) => Number(row.usd)), 0)
          return (
            <>
              <p className={styles["total"]}>
                <strong>{usd(sums.totalUsd)}</strong> from {sums.from} to {sums.to},{" "}
                {counted(
                  sums.rows.reduce((all, { runs }) => all + runs, 0),
                  "run"
                )}
                <Button
                  onClick={() => {
                    download(`spend-by-${by}.csv`, "text/csv", csvOf(by, sums))
                    note({ payload: { list: "spend", count: sums.rows.length } })
                  }}
                >
                  <Download aria-hidden />
                  CSV
                </Button>
              </p>
              <Table
                label="Spend"
                rows={sums.rows}
                keyOf={(row) => row[by] ?? ""}
                columns={[
                  { name: columns[by], cell: (row) => <Name by={by} row={row} /> },
                  { name: "Cost", isNumber: true, cell: (row) => usd(row.usd) },
                  {
                    name: "Share",
                    cell: (row) => (
                      <span
                        className={styles["bar"]}
                        style={{ width: `${most === 0 ? 0 : (100 * Number(row.usd)) / most}%` }}
                      />
                    )
                  },
                  { name: "Runs", isNumber: true, cell: ({ runs }) => count(runs) },
                  { name: "Tokens in", isNumber: true, isExtra: true, cell: ({ inputTokens }) => count(inputTokens) },
                  { name: "Tokens out", isNumber: true, isExtra: true, cell: ({ outputTokens }) => count(outputTokens) }
                ]}
              />
            </>
          )
        }}
      </Answer>
    </Page>
  )
}

export default SpendScreen
