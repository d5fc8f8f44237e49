import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./TextTable.module.css"

interface TextTableProps {
  readonly label: string
  readonly heads: ReadonlyArray<string>
  /** A text for each head. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** Rows that are shown at once: more are folded away. */
const mostShown = 5

const lengthOf = 400

/** A table of texts, which a stranger may have written. It is left out without rows, and folded away if there are many. */
export const TextTable = ({ heads, label, rows }: TextTableProps) =>
  rows.length === 0 ? null : (
    <details className={styles["table"]} open={rows.length <= mostShown}>
      <summary>{label}</summary>
      <Table
        label={label}
        rows={rows.map((cells, index) => ({ cells, index }))}
        keyOf={({ index }) => String(index)}
        columns={heads.map((name, column) => ({
          name,
          cell: ({ cells }: { readonly cells: ReadonlyArray<string> }) => (
            <Untrusted max={lengthOf}>{cells[column] ?? ""}</Untrusted>
          )
        }))}
      />
    </details>
  )
