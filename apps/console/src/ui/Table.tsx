import type { ReactNode } from "react"
import styles from "./Table.module.css"

/** A column of a table. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** True for figures, which are aligned to the right. */
  readonly isNumber?: boolean
  /** True for a name that only screen readers need. */
  readonly isUnseen?: boolean
}

interface TableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
}

/** A plain table, whose first column names the row. It scrolls sideways on its own on a narrow screen. */
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
            {columns.map(({ cell, isNumber, name }, index) =>
              index === 0 ? (
                <th key={name} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={name} className={isNumber === true ? styles["number"] : undefined}>
                  {cell(row)}
                </td>
              )
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
