import { type KeyboardEvent, useEffect, useEffectEvent, useState } from "react"
import { go } from "../../state/place.ts"
import { Link } from "../../ui/Link.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import type { Head } from "./heads.ts"
import type { Night } from "./heat.ts"
import { cellSize } from "./paint.ts"
import type { GridRow } from "./rows.ts"
import { useCanvas, useWindow, type Window } from "./view.ts"
import { inView, moved, offsetFor, type Position, type Span } from "./windowing.ts"
import styles from "./HeatGrid.module.css"

interface HeatGridProps {
  readonly rows: ReadonlyArray<GridRow>
  /** The newest night first. */
  readonly columns: ReadonlyArray<Night>
  readonly heads: ReadonlyArray<Head>
}

const idOf = ({ column, row }: Position) => `heat-${row}-${column}`

interface HeadsProps {
  readonly heads: ReadonlyArray<Head>
  readonly across: Span
  readonly at: Window
  readonly current: number | undefined
}

/** The heads of the nights in view. */
const Heads = ({ across, at, current, heads }: HeadsProps) => (
  <div className={styles["heads"]} role="row" aria-rowindex={1}>
    {heads.slice(across.first, across.end).map((head, index) => {
      const n = across.first + index
      return (
        <span key={n} role="columnheader" aria-colindex={n + 2} id={idOf({ row: -1, column: n })}>
          <Link
            to={head.to}
            tabIndex={-1}
            className={styles["head"]}
            data-current={current === n}
            title={head.title}
            style={{ left: n * cellSize.width - at.left, width: cellSize.width }}
          >
            <span>{head.month}</span>
            <b>{head.day}</b>
            <span aria-hidden>{head.letter}</span>
            <span className="unseen">{head.status}</span>
          </Link>
        </span>
      )
    })}
  </div>
)

interface LabelsProps {
  readonly rows: ReadonlyArray<GridRow>
  readonly down: Span
  readonly at: Window
  readonly current: Position | undefined
  /** The current cell in words; undefined if it isn't in view. */
  readonly words: string | undefined
}

/** The names of the scenarios in view, and the current cell for screen readers. */
const Labels = ({ at, current, down, rows, words }: LabelsProps) => (
  <div className={styles["labels"]} role="presentation">
    {rows.slice(down.first, down.end).map(({ isQuarantined, key, name, suite, to }, index) => {
      const n = down.first + index
      return (
        <div key={key} role="row" aria-rowindex={n + 2}>
          <span role="rowheader" aria-colindex={1} id={idOf({ row: n, column: -1 })}>
            <Link
              to={to}
              tabIndex={-1}
              className={styles["label"]}
              data-whole={suite === undefined}
              data-current={current?.row === n}
              style={{ top: n * cellSize.height - at.top, height: cellSize.height }}
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
          {words === undefined || current?.row !== n ? null : (
            <span role="gridcell" aria-colindex={current.column + 2} id={idOf(current)}>
              <span className="unseen">{words}</span>
            </span>
          )}
        </div>
      )
    })}
  </div>
)

interface TipProps {
  readonly name: string
  readonly words: string
  readonly night: string
  /** The cell, from the left and the top of the grid. */
  readonly left: number
  readonly top: number
  readonly at: Window
  readonly sizes: { readonly label: number; readonly head: number }
}

/** The current cell in words, next to it where there is room. */
const Tip = ({ at, left, name, night, sizes, top, words }: TipProps) => (
  <div
    className={styles["tip"]}
    aria-hidden
    style={{
      ...(left > sizes.label + at.width / 2 ? { right: sizes.label + at.width - left - cellSize.width } : { left }),
      ...(top > sizes.head + at.height / 2
        ? { bottom: sizes.head + at.height - top + 6 }
        : { top: top + cellSize.height + 6 })
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

/** True if a cell is in view. */
const isWithin = ({ column, row }: Position, across: Span, down: Span): boolean =>
  row >= down.first && row < down.end && column >= across.first && column < across.end

/**
 * Scenarios by nights, drawn on a canvas as far as they are in view. The heads of rows and columns, and the cell under the
 * pointer or the keyboard, are elements and links.
 */
export const HeatGrid = ({ columns, heads, rows }: HeatGridProps) => {
  const { at, ref, sizes } = useWindow()
  const canvas = useCanvas({ rows, columns }, at, sizes.label > 0)
  const [current, setCurrent] = useState<Position | undefined>(undefined)
  const [isPointed, setPointed] = useState(false)
  const across = inView(at.left, at.width, cellSize.width, columns.length)
  const down = inView(at.top, at.height, cellSize.height, rows.length)
  const bounds = { rows: rows.length, columns: columns.length, page: Math.floor(at.height / cellSize.height) }
  // another choice of rows may have fewer
  const position =
    current !== undefined && current.row < rows.length && current.column < columns.length ? current : undefined

  const open = ({ column, row }: Position) => {
    const [line, night, head] = [rows[row], columns[column], heads[column]]
    if (line !== undefined && night !== undefined) return go(line.addressOf(night))
    if (line !== undefined) return go(line.to)
    if (head !== undefined) go(head.to)
  }
  const show = ({ column, row }: Position) => {
    const grid = ref.current
    if (grid === null) return
    grid.scrollTo({
      left: column < 0 ? grid.scrollLeft : offsetFor(column, grid.scrollLeft, at.width, cellSize.width),
      top: row < 0 ? grid.scrollTop : offsetFor(row, grid.scrollTop, at.height, cellSize.height)
    })
  }
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return
    const from = position ?? { row: 0, column: -1 }
    if (event.key === "Enter" && position !== undefined) {
      event.preventDefault()
      return open(position)
    }
    const next = moved(event.key, from, bounds, event.ctrlKey)
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    setPointed(false)
    setCurrent(next)
    show(next)
  }
  const point = useEffectEvent((event: PointerEvent) => {
    const box = ref.current?.getBoundingClientRect()
    if (box === undefined) return
    const [x, y] = [event.clientX - box.left - sizes.label, event.clientY - box.top - sizes.head]
    if (x < 0 || y < 0 || x >= at.width || y >= at.height) return leave()
    const next = {
      row: Math.floor((y + at.top) / cellSize.height),
      column: Math.floor((x + at.left) / cellSize.width)
    }
    if (next.row >= rows.length || next.column >= columns.length) return leave()
    setPointed(true)
    setCurrent((before) => (before?.row === next.row && before.column === next.column ? before : next))
  })
  const leave = useEffectEvent(() => {
    if (isPointed) setCurrent(undefined)
  })
  useEffect(() => {
    const grid = ref.current
    grid?.addEventListener("pointermove", point)
    grid?.addEventListener("pointerleave", leave)
    return () => {
      grid?.removeEventListener("pointermove", point)
      grid?.removeEventListener("pointerleave", leave)
    }
  }, [ref])

  const row = position === undefined || position.row < 0 ? undefined : rows[position.row]
  const column = position === undefined || position.column < 0 ? undefined : columns[position.column]
  const isShown =
    position !== undefined && row !== undefined && column !== undefined && isWithin(position, across, down)
  const words = isShown ? row.described(column) : undefined
  const left = position === undefined ? 0 : sizes.label + position.column * cellSize.width - at.left
  const top = position === undefined ? 0 : sizes.head + position.row * cellSize.height - at.top
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
      <div
        className={styles["sheet"]}
        role="presentation"
        style={{
          width: sizes.label + columns.length * cellSize.width,
          height: sizes.head + rows.length * cellSize.height
        }}
      >
        <div
          className={styles["view"]}
          role="presentation"
          style={{ width: sizes.label + at.width, height: sizes.head + at.height }}
        >
          <canvas
            ref={canvas.ref}
            className={styles["canvas"]}
            style={{ width: at.width, height: at.height }}
            aria-hidden
          />
          <Heads heads={heads} across={across} at={at} current={position?.column} />
          <Labels rows={rows} down={down} at={at} current={position} words={words} />
          <div className={styles["corner"]} aria-hidden>
            {`${rows.length} × ${columns.length}`}
          </div>
          {isShown ? (
            <>
              <Link
                to={row.addressOf(column)}
                className={styles["cell"]}
                tabIndex={-1}
                aria-hidden
                style={{ left, top, width: cellSize.width, height: cellSize.height }}
              />
              <Tip
                name={row.name}
                words={words ?? ""}
                night={heads[position.column]?.title ?? ""}
                left={left}
                top={top}
                at={at}
                sizes={sizes}
              />
            </>
          ) : null}
        </div>
      </div>
    </div>
  )
}
