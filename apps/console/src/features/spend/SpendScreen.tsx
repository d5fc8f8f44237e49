import type { SpendRow } from "@webagent/admin"
import { Download } from "lucide-react"
import { place } from "../../state/place.ts"
import { noteExport, serverInfo } from "../../state/client.ts"
import { registry, useAtomSet, useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { download } from "../../ui/download.ts"
import { count, counted, usd } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Page } from "../../ui/Page.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Caps } from "./Caps.tsx"
import { csvOf } from "./exported.ts"
import { type Grouping, groupingOf, groupings, spend } from "./spend.state.ts"
import styles from "./SpendScreen.module.css"

const labels: Readonly<Record<Grouping, string>> = { day: "By day", key: "By key", model: "By model", run: "By run" }
const columns: Readonly<Record<Grouping, string>> = { day: "Day (UTC)", key: "Key", model: "Model", run: "Run" }

const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

/** The address of the runs of a row. */
const runsOf = (by: Exclude<Grouping, "run">, name: string) =>
  by === "day" ? `/runs?from=${name}&to=${nextDay(name)}` : `/runs?${by}=${encodeURIComponent(name)}`

const Name = ({ by, row }: { readonly by: Grouping; readonly row: SpendRow }) => {
  if (by === "run") {
    return row.run === undefined ? (
      "–"
    ) : (
      <Link to={`/runs/${row.run.id}`}>
        <Untrusted max={80}>{row.run.title}</Untrusted>
      </Link>
    )
  }
  const name = row[by]
  if (name === null) return "–"
  return (
    <Link to={runsOf(by, name)} title="Show the runs">
      <Untrusted>{name}</Untrusted>
    </Link>
  )
}

const ofRun: ReadonlyArray<Column<SpendRow>> = [
  { name: "Key", cell: ({ key }) => <Untrusted max={40}>{key ?? "–"}</Untrusted> },
  { name: "Model", isExtra: true, cell: ({ model }) => <Untrusted max={40}>{model ?? "–"}</Untrusted> }
]

const ofGroup: ReadonlyArray<Column<SpendRow>> = [{ name: "Runs", isNumber: true, cell: ({ runs }) => count(runs) }]

/** Cost of runs in the last 30 days, by day, key, model or run, and the limits of keys. */
const SpendScreen = () => {
  const by = groupingOf(useAtomValue(place).search)
  const note = useAtomSet(noteExport)
  const result = useAtomValue(spend(by))
  const hasKeys = valueOf(useAtomValue(serverInfo))?.has.includes("keys") ?? false
  return (
    <Page title="Spend" lead="Cost of all runs in the last 30 days, and each key's daily limit.">
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
                <strong>{usd(sums.totalUsd)}</strong> from {sums.from} to {sums.to}
                {by === "run"
                  ? ". These runs cost the most:"
                  : `, ${counted(
                      sums.rows.reduce((all, { runs }) => all + runs, 0),
                      "run"
                    )}`}
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
              {sums.rows.length === 0 ? (
                <p>{by === "run" ? "No runs had a cost in this period." : "No runs finished in this period."}</p>
              ) : (
                <Table
                  label="Spend"
                  rows={sums.rows}
                  keyOf={(row) => (by === "run" ? row.run?.id : row[by]) ?? ""}
                  columns={[
                    { name: columns[by], cell: (row) => <Name by={by} row={row} /> },
                    ...(by === "run" ? ofRun : []),
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
                    ...(by === "run" ? [] : ofGroup),
                    { name: "Tokens in", isNumber: true, isExtra: true, cell: ({ inputTokens }) => count(inputTokens) },
                    {
                      name: "Tokens out",
                      isNumber: true,
                      isExtra: true,
                      cell: ({ outputTokens }) => count(outputTokens)
                    }
                  ]}
                />
              )}
            </>
          )
        }}
      </Answer>
      {hasKeys ? <Caps /> : null}
    </Page>
  )
}

export default SpendScreen
