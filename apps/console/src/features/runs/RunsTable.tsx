import { useVirtualizer } from "@tanstack/react-virtual"
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useRef, useState } from "react"
import { runRow } from "../../state/live.ts"
import { cameBack, go } from "../../state/place.ts"
import { letterKeys } from "../../state/preferences.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { isShortcut } from "../../ui/keyboard.ts"
import { Link } from "../../ui/Link.tsx"
import { Status } from "../../ui/Status.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { type Column, shownColumns } from "./columns.tsx"
import { selected, toggle } from "./runs.state.ts"
import styles from "./RunsTable.module.css"

const classOf = ({ isMiddle = false, isNumber = false }: Column) =>
  [isNumber ? styles["number"] : styles["soft"], isMiddle ? styles["middle"] : styles["wide"]].join(" ")

/** Widths of the columns of a wide page, and of one that has room for few of them. */
const widthsOf = (columns: ReadonlyArray<Column>): CSSProperties => {
  const widths = (some: ReadonlyArray<Column>) => some.map(({ width_px }) => `${width_px}px`).join(" ")
  return {
    "--columns": `16px 104px minmax(240px, 1fr) ${widths(columns)}`,
    "--middle-columns": `16px 104px minmax(160px, 1fr) ${widths(columns.filter(({ isMiddle }) => isMiddle))}`
  } as CSSProperties
}

interface RowProps {
  readonly id: string
  readonly index: number
  readonly top: number
  readonly columns: ReadonlyArray<Column>
  readonly isCurrent: boolean
  /** True if Tab reaches this row, which exactly one row of the grid must allow. */
  readonly isTabStop: boolean
  readonly onCurrent: (index: number) => void
}

const Row = memo(({ columns, id, index, isCurrent, isTabStop, onCurrent, top }: RowProps) => {
  const run = useAtomValue(runRow(id))
  const isSelected = useAtomValue(selected).has(id)
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isCurrent) row.current?.focus({ preventScroll: true })
  }, [isCurrent])
  if (run === undefined) return null
  return (
    <div
      ref={row}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      tabIndex={isTabStop ? 0 : -1}
      className={styles["row"]}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={() => onCurrent(index)}
      onClick={({ target }) => {
        // the checkbox and the link have their own use, and a person may select text to copy it
        const isElsewhere = target instanceof Element && target.closest("a, input, [data-tick]") !== null
        if (!isElsewhere && (getSelection()?.isCollapsed ?? true)) go(`/runs/${id}`)
      }}
    >
      <span role="gridcell" className={styles["tick"]} data-tick>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select run ${id}`}
          checked={isSelected}
          onChange={() => toggle(id)}
        />
      </span>
      <span role="gridcell" className={styles["status"]}>
        <Status of={run.status} />
      </span>
      <span role="gridcell" className={styles["task"]}>
        <Link to={`/runs/${id}`} tabIndex={-1}>
          <Untrusted max={160}>{run.title ?? run.task}</Untrusted>
        </Link>
        <small>
          {run.failure === null ? null : (
            <b>
              <Untrusted max={40}>{run.failure}</Untrusted>:{" "}
            </b>
          )}
          <Untrusted max={100}>{run.error ?? run.id}</Untrusted>
          {run.tags.map((tag) => (
            <span key={tag} className={styles["tag"]}>
              <Untrusted max={24}>{tag}</Untrusted>
            </span>
          ))}
        </small>
      </span>
      {columns.map((column) => (
        <span key={column.name} role="gridcell" className={classOf(column)}>
          {column.cell(run)}
        </span>
      ))}
    </div>
  )
})

/** The scroll position of each list, by its filters. */
const offsets = new Map<string, number>()

interface RunsTableProps {
  /** The filters of the list as text. */
  readonly text: string
  readonly ids: ReadonlyArray<string>
  /** Number of rows of the whole list; undefined if it isn't known. */
  readonly total: number | undefined
  /** Called when the last rows come into view. */
  readonly onEnd: () => void
}

const rowHeight_px = 52

/** Number of rows that each key moves by. */
const moves = (last: number): Readonly<Record<string, number>> => ({
  j: 1,
  ArrowDown: 1,
  k: -1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -last,
  End: last
})

/** A grid of any number of runs. Only the rows in view are in the page. */
export const RunsTable = ({ ids, onEnd, text, total }: RunsTableProps) => {
  const grid = useRef<HTMLDivElement>(null)
  const columns = useAtomValue(shownColumns)
  const [current, setCurrent] = useState<number | undefined>(undefined)
  const virtual = useVirtualizer({
    count: ids.length,
    estimateSize: () => rowHeight_px,
    getScrollElement: () => grid.current,
    getItemKey: (index) => ids[index] ?? index,
    overscan: 10,
    scrollPaddingStart: 40,
    scrollPaddingEnd: 8,
    initialOffset: cameBack() ? (offsets.get(text) ?? 0) : 0
  })
  const items = virtual.getVirtualItems()
  const end = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (end > ids.length - 50) onEnd()
  }, [end, ids.length, onEnd])
  const first = items.find(({ start }) => start >= (virtual.scrollOffset ?? 0))?.index ?? 0
  const tabStop = current !== undefined && items.some(({ index }) => index === current) ? current : first
  const move = (by: number) => {
    const next = Math.min(ids.length - 1, Math.max(0, (current ?? -1) + by))
    virtual.scrollToIndex(next)
    setCurrent(next)
  }
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (/^[a-z]$/u.test(event.key) && !registry.get(letterKeys)) return
    const id = ids[current ?? 0]
    const by = moves(ids.length)[event.key]
    if (by !== undefined) move(by)
    else if (event.key === "Enter" && id !== undefined) go(`/runs/${id}`)
    else if ((event.key === "x" || event.key === " ") && id !== undefined) toggle(id)
    else return
    event.preventDefault()
  }
  // j and k start the grid from anywhere but a text field
  useEffect(() => {
    const start = (event: globalThis.KeyboardEvent) => {
      const isWithin = grid.current?.contains(document.activeElement) ?? false
      if (isWithin || !isShortcut(event) || !registry.get(letterKeys)) return
      if (event.key === "j" || event.key === "k")
        // the row gets the focus even if it was the current one before another control had it
        grid.current?.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus({ preventScroll: true })
    }
    window.addEventListener("keydown", start)
    return () => window.removeEventListener("keydown", start)
  }, [])
  return (
    <div
      ref={grid}
      role="grid"
      aria-label="Runs"
      aria-rowcount={total === undefined ? -1 : total + 1}
      aria-multiselectable
      className={styles["grid"]}
      style={widthsOf(columns)}
      onScroll={({ currentTarget }) => offsets.set(text, currentTarget.scrollTop)}
      onKeyDown={press}
    >
      <div role="row" aria-rowindex={1} className={styles["head"]}>
        <span role="columnheader">
          <span className="unseen">Selected</span>
        </span>
        {["Status", "Task"].map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
        {columns.map((column) => (
          <span key={column.name} role="columnheader" className={classOf(column)}>
            {column.name}
          </span>
        ))}
      </div>
      <div role="rowgroup" className={styles["space"]} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => (
          <Row
            key={key}
            id={ids[index] ?? ""}
            index={index}
            top={start}
            columns={columns}
            isCurrent={index === current}
            isTabStop={index === tabStop}
            onCurrent={setCurrent}
          />
        ))}
      </div>
    </div>
  )
}
