import { useAtomValue } from "../../state/react.ts"
import { CheckField } from "../../ui/Field.tsx"
import { columns, shownColumns, toggleColumn } from "./columns.tsx"
import styles from "./RunsScreen.module.css"

/** The choice of the list's columns, which this browser keeps. */
export const ColumnChoice = () => {
  const shown = useAtomValue(shownColumns)
  return (
    <details className={`${styles["more"]} ${styles["columns"]}`}>
      <summary>Columns</summary>
      <fieldset>
        <legend className="unseen">Columns</legend>
        {columns.map((column) => (
          <CheckField
            key={column.name}
            label={column.name}
            checked={shown.includes(column)}
            onChange={() => toggleColumn(column.name)}
          />
        ))}
      </fieldset>
    </details>
  )
}
