import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { theme } from "../../state/preferences.ts"
import { useAtomValue } from "../../state/react.ts"
import type { Night } from "./heat.ts"
import type { GridRow } from "./rows.ts"
import { cellSize, colorsOf, makePainter } from "./paint.ts"
import { inView } from "./windowing.ts"

/** The part of a grid in view, without its heads. */
export interface Window {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Size of the row heads and the column heads, as the style sheet has it. */
const sizesOf = (grid: HTMLElement) => {
  const style = getComputedStyle(grid)
  return {
    label: Number.parseFloat(style.getPropertyValue("--label")),
    head: Number.parseFloat(style.getPropertyValue("--head"))
  }
}

const initial: Window = { left: 0, top: 0, width: 0, height: 0 }

/** The part of a grid in view, read once per frame. */
export const useWindow = () => {
  const ref = useRef<HTMLDivElement>(null)
  const [at, set] = useState<Window>(initial)
  const [sizes, setSizes] = useState({ label: 0, head: 0 })
  useLayoutEffect(() => {
    const grid = ref.current
    if (grid === null) return
    let frame: number | undefined
    const read = () => {
      frame = undefined
      const next = sizesOf(grid)
      setSizes((before) => (before.label === next.label && before.head === next.head ? before : next))
      set({
        left: grid.scrollLeft,
        top: grid.scrollTop,
        width: Math.max(0, grid.clientWidth - next.label),
        height: Math.max(0, grid.clientHeight - next.head)
      })
    }
    const later = () => {
      frame ??= requestAnimationFrame(read)
    }
    read()
    grid.addEventListener("scroll", later, { passive: true })
    const observer = new ResizeObserver(later)
    observer.observe(grid)
    return () => {
      grid.removeEventListener("scroll", later)
      observer.disconnect()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [])
  return { ref, at, sizes }
}

/** Grows when the page's colors change. */
const useLook = () => {
  const chosen = useAtomValue(theme)
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches)
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)")
    const update = () => setDark(query.matches)
    query.addEventListener("change", update)
    return () => query.removeEventListener("change", update)
  }, [])
  return `${chosen} ${isDark}`
}

/** Draws the cells in view. */
export const useCanvas = (
  { columns, rows }: { readonly rows: ReadonlyArray<GridRow>; readonly columns: ReadonlyArray<Night> },
  at: Window,
  ready: boolean
) => {
  const ref = useRef<HTMLCanvasElement>(null)
  const look = useLook()
  // the font of the symbols may come after the first picture
  const [fonts, setFonts] = useState(0)
  useEffect(() => void document.fonts.ready.then(() => setFonts((n) => n + 1)), [])
  const scale = window.devicePixelRatio || 1
  const painter = useMemo(
    () => (ready ? makePainter(colorsOf(document.body), scale, getComputedStyle(document.body).fontFamily) : undefined),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [ready, scale, look, fonts]
  )
  useLayoutEffect(() => {
    const canvas = ref.current
    const context = canvas?.getContext("2d")
    if (canvas === null || context === null || context === undefined || painter === undefined) return
    const [width, height] = [Math.round(at.width * scale), Math.round(at.height * scale)]
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width
      canvas.height = height
    } else {
      context.clearRect(0, 0, width, height)
    }
    const across = inView(at.left, at.width, cellSize.width, columns.length, 0)
    const down = inView(at.top, at.height, cellSize.height, rows.length, 0)
    for (let y = down.first; y < down.end; y++) {
      const row = rows[y]
      if (row === undefined) continue
      for (let x = across.first; x < across.end; x++) {
        const night = columns[x]
        if (night === undefined) continue
        painter(context, row.drawn(night), x * cellSize.width - at.left, y * cellSize.height - at.top)
      }
    }
  }, [painter, at, rows, columns, scale])
  return { ref, scale }
}
