/** Part of a line of equal items that is in view. */
export interface Span {
  readonly first: number
  /** After the last one. */
  readonly end: number
}

/** The items in view. */
export const inView = (offset: number, size: number, item: number): Span => ({
  first: Math.max(0, Math.floor(offset / item)),
  end: Math.max(0, Math.ceil((offset + size) / item))
})

/** Heads of rows and columns come and go by this number, so that most scrolls only move those that are there. */
const atOnce = 8

/** The items in view, and up to seven more on each side, so that it seldom changes. */
export const nearView = (offset: number, size: number, item: number): Span => {
  const { end, first } = inView(offset, size, item)
  return { first: atOnce * Math.floor(first / atOnce), end: atOnce * Math.ceil(end / atOnce) }
}

/** The part of a span that exists. */
export const within = ({ end, first }: Span, count: number): Span => ({
  first: Math.min(first, count),
  end: Math.min(end, count)
})

/** The offset at which an item is wholly in view, and nearest to the present one. */
export const offsetFor = (index: number, offset: number, size: number, item: number): number =>
  index * item < offset ? index * item : (index + 1) * item > offset + size ? (index + 1) * item - size : offset

/** A cell of a grid by its row and column; -1 is the head of its column or row. */
export interface Position {
  readonly row: number
  readonly column: number
}

/** The cell that a key leads to in a grid of this size; undefined for other keys. */
export const moved = (
  key: string,
  { column, row }: Position,
  { columns, page, rows }: { readonly rows: number; readonly columns: number; readonly page: number },
  isControl: boolean
): Position | undefined => {
  const to = (nextRow: number, nextColumn: number): Position => ({
    row: Math.max(-1, Math.min(rows - 1, nextRow)),
    column: Math.max(-1, Math.min(columns - 1, nextColumn))
  })
  switch (key) {
    case "ArrowDown":
    case "j":
      return to(row + 1, column)
    case "ArrowUp":
    case "k":
      return to(row - 1, column)
    case "ArrowRight":
    case "l":
      return to(row, column + 1)
    case "ArrowLeft":
    case "h":
      return to(row, column - 1)
    case "PageDown":
      return to(row + page, column)
    case "PageUp":
      return to(Math.max(0, row - page), column)
    case "Home":
      return to(isControl ? 0 : row, 0)
    case "End":
      return to(isControl ? rows - 1 : row, columns - 1)
    default:
      return undefined
  }
}
