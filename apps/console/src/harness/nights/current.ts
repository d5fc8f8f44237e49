import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useState } from "react"
import { go } from "../../state/place.ts"
import type { Head } from "./heads.ts"
import type { Night } from "./heat.ts"
import { cellSize } from "./paint.ts"
import type { GridRow } from "./rows.ts"
import { sizesOf, windowOf } from "./view.ts"
import { moved, offsetFor, type Position } from "./windowing.ts"

/** The rows and columns of a grid. */
export interface Grid {
  readonly rows: ReadonlyArray<GridRow>
  /** The newest night first. */
  readonly columns: ReadonlyArray<Night>
  readonly heads: ReadonlyArray<Head>
}

/** The cell under the pointer or the keyboard, and where in view it is: its words have more room on the other side. */
export interface Current extends Position {
  readonly isRight: boolean
  readonly isLow: boolean
}

/** The most that the words of a cell take, in pixels. */
const tipWidth = 340

/** A cell with its place in view. */
const placed = (grid: HTMLElement, { column, row }: Position): Current => {
  const at = windowOf(grid, sizesOf(grid))
  return {
    row,
    column,
    isRight: column * cellSize.width - at.left > at.width - tipWidth,
    isLow: row * cellSize.height - at.top > at.height / 2
  }
}

/** Scrolls a cell into view. */
const show = (grid: HTMLElement, { column, row }: Position): void => {
  const at = windowOf(grid, sizesOf(grid))
  grid.scrollTo({
    left: column < 0 ? at.left : offsetFor(column, at.left, at.width, cellSize.width),
    top: row < 0 ? at.top : offsetFor(row, at.top, at.height, cellSize.height)
  })
}

/** The cell at a point of the page, or undefined if there is none. */
const cellAt = (grid: HTMLElement, { clientX, clientY }: PointerEvent): Position | undefined => {
  const box = grid.getBoundingClientRect()
  const sizes = sizesOf(grid)
  const at = windowOf(grid, sizes)
  const [x, y] = [clientX - box.left - sizes.label, clientY - box.top - sizes.head]
  if (x < 0 || y < 0 || x >= at.width || y >= at.height) return undefined
  return { row: Math.floor((y + at.top) / cellSize.height), column: Math.floor((x + at.left) / cellSize.width) }
}

/** Follows the pointer and the keyboard from cell to cell; Enter opens the current one. */
export const useCurrent = (ref: RefObject<HTMLElement | null>, { columns, heads, rows }: Grid) => {
  const [current, setCurrent] = useState<Current | undefined>(undefined)
  const [isPointed, setPointed] = useState(false)
  // another choice of rows may have fewer
  const position =
    current !== undefined && current.row < rows.length && current.column < columns.length ? current : undefined

  const open = ({ column, row }: Position) => {
    const [line, night, head] = [rows[row], columns[column], heads[column]]
    if (line !== undefined && night !== undefined) return go(line.addressOf(night))
    if (line !== undefined) return go(line.to)
    if (head !== undefined) go(head.to)
  }
  const press = (event: KeyboardEvent) => {
    const grid = ref.current
    if (grid === null || event.altKey || event.metaKey) return
    const from = position ?? { row: 0, column: -1 }
    if (event.key === "Enter" && position !== undefined) {
      event.preventDefault()
      return open(position)
    }
    const page = Math.floor(windowOf(grid, sizesOf(grid)).height / cellSize.height)
    const next = moved(event.key, from, { rows: rows.length, columns: columns.length, page }, event.ctrlKey)
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    setPointed(false)
    show(grid, next)
    setCurrent(placed(grid, next))
  }
  const leave = useEffectEvent(() => {
    if (isPointed) setCurrent(undefined)
  })
  const point = useEffectEvent((event: PointerEvent) => {
    const grid = ref.current
    const next = grid === null ? undefined : cellAt(grid, event)
    if (grid === null || next === undefined || next.row >= rows.length || next.column >= columns.length) return leave()
    setPointed(true)
    setCurrent((before) => (before?.row === next.row && before.column === next.column ? before : placed(grid, next)))
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
  return { position, press }
}
