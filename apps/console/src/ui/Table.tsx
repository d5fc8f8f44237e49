import type { ReactNode } from "react"
import styles from "./Table.module.css"

/** A column of a table. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** True for figures, which are aligned to the right. */
  readonly isNumber?: boolean
  /** True for a column that a phone leaves out. */
  readonly isExtra?: boolean
  /** True for the buttons of a row, whose column's name only screen readers need. */
  readonly isUnseen?: boolean
}

const classOf = <Row,>({ isExtra, isNumber, isUnseen }: Column<Row>) =>
  [isNumber && styles["number"], isExtra && styles["extra"], isUnseen && styles["changes"]].filter(Boolean).join(" ")

interface TableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
}

/** A plain table, whose first column names the row. On a phone, each row is a block of named lines. */
export const Table = <Row,>({ columns, keyOf, label, rows }: TableProps<Row>) => (
  <div className={styles["scroll"]} tabIndex={0} role="region" aria-label={label}>
    <table className={styles["table"]}>
      <thead>
        <tr>
          {columns.map(({ isNumber, isUnseen, name }) => (
            <th key={name} scope="col" className={isNumber === true ? styles["number"] : undefined}>
              {isUnseen === true ? <span className="unseen">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, index) =>
              index === 0 ? (
                <th key={column.name} scope="row">
                  {column.cell(row)}
                </th>
              ) : (
                <td
                  key={column.name}
                  className={classOf(column)}
                  data-name={column.isUnseen === true ? undefined : column.name}
                >
                  {column.cell(row)}
                </td>
              )
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
