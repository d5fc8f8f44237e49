import type { Style } from "@webagent/cli/Style"

const gap = 2

/** A table for a terminal: a line of column names, then a line for each row. The last column may be marked up. */
export const render = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  style: Style
): ReadonlyArray<string> => {
  const widths = columns.map(
    (name, column) => Math.max(name.length, ...rows.map((cells) => cells[column]?.length ?? 0)) + gap
  )
  const line = (cells: ReadonlyArray<string>) =>
    cells.map((cell, column) => (column < columns.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell)).join("")
  return [style.faint(line(columns).trimEnd()), ...rows.map(line)]
}
