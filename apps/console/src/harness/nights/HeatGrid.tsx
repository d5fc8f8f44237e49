import { memo, useRef } from "react"
import { Link } from "../../ui/Link.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Cells } from "./Cells.tsx"
import { type Current, type Grid, useCurrent } from "./current.ts"
import type { Head } from "./heads.ts"
import { cellSize } from "./paint.ts"
import type { GridRow } from "./rows.ts"
import { useWindow } from "./view.ts"
import { nearView, type Position, type Span, within } from "./windowing.ts"
import styles from "./HeatGrid.module.css"

const idOf = ({ column, row }: Position) => `heat-${row}-${column}`

interface ColumnHeadProps {
  readonly head: Head
  readonly column: number
  readonly isCurrent: boolean
}

const ColumnHead = memo(({ column, head, isCurrent }: ColumnHeadProps) => (
  <span role="columnheader" aria-colindex={column + 2} id={idOf({ row: -1, column })}>
    <Link
      to={head.to}
      tabIndex={-1}
      className={styles["head"]}
      data-current={isCurrent}
      title={head.title}
      style={{ translate: `${column * cellSize.width}px 0`, width: cellSize.width }}
    >
      <span>{head.month}</span>
      <b>{head.day}</b>
      <span aria-hidden>{head.letter}</span>
      <span className="unseen">{head.status}</span>
    </Link>
  </span>
))

interface RowHeadProps {
  readonly row: number
  readonly of: GridRow
  readonly isCurrent: boolean
  /** The column and the words of the current cell, if it is in this row. */
  readonly column: number | undefined
  readonly words: string | undefined
}

/** The name of a scenario, and the current cell for screen readers. */
const RowHead = memo(({ column, isCurrent, of: { isQuarantined, name, suite, to }, row, words }: RowHeadProps) => (
  <div role="row" aria-rowindex={row + 2}>
    <span role="rowheader" aria-colindex={1} id={idOf({ row, column: -1 })}>
      <Link
        to={to}
        tabIndex={-1}
        className={styles["label"]}
        data-whole={suite === undefined}
        data-current={isCurrent}
        style={{ translate: `0 ${row * cellSize.height}px`, height: cellSize.height }}
      >
        {suite === undefined ? null : (
          <span className={styles["suite"]}>
            <Untrusted max={60}>{suite}</Untrusted> ›
          </span>
        )}
        <Untrusted max={120}>{name}</Untrusted>
        {isQuarantined ? <small>quarantined</small> : null}
      </Link>
    </span>
    {words === undefined || column === undefined ? null : (
      <span role="gridcell" aria-colindex={column + 2} id={idOf({ row, column })}>
        <span className="unseen">{words}</span>
      </span>
    )}
  </div>
))

interface TipProps {
  readonly name: string
  readonly words: string
  readonly night: string
  readonly at: Current
}

/** The current cell in words, next to it where there is room. */
const Tip = ({ at: { column, isLow, isRight, row }, name, night, words }: TipProps) => (
  <div
    className={styles["tip"]}
    aria-hidden
    style={{
      left: (isRight ? column + 1 : column) * cellSize.width,
      top: isLow ? row * cellSize.height - 6 : (row + 1) * cellSize.height + 6,
      translate: `${isRight ? "-100%" : "0"} ${isLow ? "-100%" : "0"}`
    }}
  >
    <b>
      <Untrusted max={120}>{name}</Untrusted>
    </b>
    {words}
    <br />
    <span>{night}</span>
  </div>
)

interface ColumnHeadsProps extends Pick<Grid, "heads"> {
  readonly first: number
  readonly end: number
  readonly current: number | undefined
}

const ColumnHeads = memo(({ current, end, first, heads }: ColumnHeadsProps) =>
  heads
    .slice(first, end)
    .map((head, index) => (
      <ColumnHead key={first + index} head={head} column={first + index} isCurrent={current === first + index} />
    ))
)

interface RowHeadsProps extends Pick<Grid, "rows"> {
  readonly first: number
  readonly end: number
  readonly current: Current | undefined
  /** The current cell in words; undefined if it isn't in view. */
  readonly words: string | undefined
}

const RowHeads = memo(({ current, end, first, rows, words }: RowHeadsProps) =>
  rows.slice(first, end).map((of, index) => {
    const row = first + index
    const isCurrent = current?.row === row
    return (
      <RowHead
        key={of.key}
        row={row}
        of={of}
        isCurrent={isCurrent}
        column={isCurrent ? current.column : undefined}
        words={isCurrent ? words : undefined}
      />
    )
  })
)

/** Room for all cells, and for the heads of rows and columns. */
const sheetOf = (rows: number, columns: number) => ({
  width: `calc(var(--label) + ${columns * cellSize.width}px)`,
  height: `calc(var(--head) + ${rows * cellSize.height}px)`
})

const moved = (left: number, top: number) => ({ translate: `${-left}px ${-top}px` })

/** True if a cell is in the drawn part. */
const isDrawn = ({ column, row }: Position, across: Span, down: Span): boolean =>
  row >= down.first && row < down.end && column >= across.first && column < across.end

/**
 * Scenarios by nights, drawn on a canvas as far as they are in view. The heads of rows and columns, and the cell under the
 * pointer or the keyboard, are elements and links, which a scroll moves together.
 */
export const HeatGrid = ({ columns, heads, rows }: Grid) => {
  const ref = useRef<HTMLDivElement>(null)
  const at = useWindow(ref)
  const across = within(nearView(at.left, at.width, cellSize.width), columns.length)
  const down = within(nearView(at.top, at.height, cellSize.height), rows.length)
  const { position, press } = useCurrent(ref, { rows, columns, heads })
  const row = position === undefined || position.row < 0 ? undefined : rows[position.row]
  const column = position === undefined || position.column < 0 ? undefined : columns[position.column]
  const isShown = position !== undefined && row !== undefined && column !== undefined && isDrawn(position, across, down)
  const words = isShown ? row.described(column) : undefined
  return (
    <div
      ref={ref}
      className={styles["grid"]}
      role="grid"
      tabIndex={0}
      data-keys
      aria-label="Scenarios by nights"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={position === undefined ? undefined : idOf(position)}
      onKeyDown={press}
    >
      <div role="presentation" style={sheetOf(rows.length, columns.length)}>
        <div
          className={styles["view"]}
          role="presentation"
          style={{ width: `calc(var(--label) + ${at.width}px)`, height: `calc(var(--head) + ${at.height}px)` }}
        >
          <div className={styles["corner"]} aria-hidden>
            {`${rows.length} × ${columns.length}`}
          </div>
          <div className={styles["heads"]} role="row" aria-rowindex={1}>
            <div className={styles["moved"]} role="presentation" style={moved(at.left, 0)}>
              <ColumnHeads heads={heads} {...across} current={position?.column} />
            </div>
          </div>
          <div className={styles["labels"]} role="presentation">
            <div className={styles["moved"]} role="presentation" style={moved(0, at.top)}>
              <RowHeads rows={rows} {...down} current={position} words={words} />
            </div>
          </div>
          <div className={styles["cells"]} role="presentation">
            <Cells rows={rows} columns={columns} at={at} />
          </div>
          {isShown ? (
            <div className={styles["over"]} role="presentation" style={moved(at.left, at.top)}>
              <Link
                to={row.addressOf(column)}
                className={styles["cell"]}
                tabIndex={-1}
                aria-hidden
                style={{
                  left: position.column * cellSize.width,
                  top: position.row * cellSize.height,
                  width: cellSize.width,
                  height: cellSize.height
                }}
              />
              <Tip name={row.name} words={words ?? ""} night={heads[position.column]?.title ?? ""} at={position} />
            </div>
          ) : null}
        </div>
      </div>
    </div>
  )
}
