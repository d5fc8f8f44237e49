import { figureName } from "@webagent/findings/words/Figures"
import * as Statistics from "@webagent/findings/words/Statistics"
import type { Comparison } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { Link } from "../../ui/Link.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { scenarioAddress } from "../state/address.ts"
import styles from "./FiguresTable.module.css"

/** Figures compared with earlier ones: how sure each verdict is, and which change would have been seen. */
export const FiguresTable = ({ label, rows }: { readonly label: string; readonly rows: ReadonlyArray<Comparison> }) => (
  <Table
    label={label}
    rows={rows.map((row, index) => ({ row, index }))}
    keyOf={({ index }) => String(index)}
    columns={[
      {
        name: "Figure",
        cell: ({ row }) => (
          <>
            {figureName(row)}
            {row.scenario === null ? null : (
              <p className={styles["soft"]}>
                <Link to={scenarioAddress(row.scenario)}>
                  <Untrusted max={120}>{scenarioTitle(row.scenario)}</Untrusted>
                </Link>
              </p>
            )}
          </>
        )
      },
      { name: "Before", isNumber: true, cell: ({ row }) => Statistics.before(row) },
      { name: "After", isNumber: true, cell: ({ row }) => Statistics.now(row) },
      {
        name: "Verdict",
        cell: ({ row }) => (row.verdict !== "regressed" && row.isUnusual ? "unusual" : row.verdict)
      },
      {
        name: "Evidence",
        cell: ({ row }) => <span className={styles["soft"]}>{Statistics.fullEvidence(row)}</span>
      },
      {
        name: "Smallest detectable change",
        isExtra: true,
        cell: ({ row }) => <span className={styles["soft"]}>{Statistics.detectable(row) ?? "none"}</span>
      }
    ]}
  />
)
