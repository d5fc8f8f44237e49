import { useLayoutEffect, useRef } from "react"
import type { Night } from "./heat.ts"
import { cellSize } from "./paint.ts"
import type { GridRow } from "./rows.ts"
import { usePainter, type Window } from "./view.ts"
import { inView } from "./windowing.ts"
import styles from "./HeatGrid.module.css"

interface CellsProps {
  readonly rows: ReadonlyArray<GridRow>
  readonly columns: ReadonlyArray<Night>
  readonly at: Window
}

/** The cells in view as a picture, which is drawn again with each scroll. */
export const Cells = ({ at, columns, rows }: CellsProps) => {
  const ref = useRef<HTMLCanvasElement>(null)
  const painter = usePainter()
  useLayoutEffect(() => {
    const canvas = ref.current
    const context = canvas?.getContext("2d")
    if (canvas === null || context === null || context === undefined) return
    const [width, height] = [Math.round(at.width * painter.scale), Math.round(at.height * painter.scale)]
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height]
    else context.clearRect(0, 0, width, height)
    const across = inView(at.left, at.width, cellSize.width)
    const down = inView(at.top, at.height, cellSize.height)
    const nights = columns.slice(across.first, across.end)
    for (const [y, row] of rows.slice(down.first, down.end).entries()) {
      const top = (down.first + y) * cellSize.height - at.top
      for (const [x, night] of nights.entries()) {
        painter.draw(context, row.drawn(night), (across.first + x) * cellSize.width - at.left, top)
      }
    }
  }, [painter, at, rows, columns])
  return <canvas ref={ref} className={styles["canvas"]} style={{ width: at.width, height: at.height }} aria-hidden />
}
