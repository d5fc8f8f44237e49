import { type RefObject, useEffect, useLayoutEffect, useMemo, useState } from "react"
import { theme } from "../../state/preferences.ts"
import { useAtomValue } from "../../state/react.ts"
import { colorsOf, makePainter } from "./paint.ts"

/** The part of a grid in view, without its heads. */
export interface Window {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Size of the row heads and the column heads, as the style sheet has it. */
export const sizesOf = (grid: HTMLElement) => {
  const style = getComputedStyle(grid)
  return {
    label: Number.parseFloat(style.getPropertyValue("--label")),
    head: Number.parseFloat(style.getPropertyValue("--head"))
  }
}

type Sizes = ReturnType<typeof sizesOf>

/** Reads the part of a grid in view. */
export const windowOf = (grid: HTMLElement, { head, label }: Sizes): Window => ({
  left: grid.scrollLeft,
  top: grid.scrollTop,
  width: Math.max(0, grid.clientWidth - label),
  height: Math.max(0, grid.clientHeight - head)
})

const initial: Window = { left: 0, top: 0, width: 0, height: 0 }

/** The part of a grid in view, read once per frame. */
export const useWindow = (ref: RefObject<HTMLElement | null>): Window => {
  const [at, setAt] = useState(initial)
  useLayoutEffect(() => {
    const grid = ref.current
    if (grid === null) return
    let sizes = sizesOf(grid)
    let frame: number | undefined
    const read = () => {
      frame = undefined
      setAt(windowOf(grid, sizes))
    }
    const later = () => {
      frame ??= requestAnimationFrame(read)
    }
    read()
    grid.addEventListener("scroll", later, { passive: true })
    const observer = new ResizeObserver(() => {
      sizes = sizesOf(grid)
      later()
    })
    observer.observe(grid)
    return () => {
      grid.removeEventListener("scroll", later)
      observer.disconnect()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [ref])
  return at
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

/** Makes the painter of cells for the page's colors, its font and the screen's resolution. */
export const usePainter = () => {
  const look = useLook()
  // the font of the symbols may come after the first picture
  const [fonts, setFonts] = useState(() => document.fonts.status)
  useEffect(() => void document.fonts.ready.then(() => setFonts("loaded")), [])
  const scale = window.devicePixelRatio || 1
  return useMemo(
    () => makePainter(colorsOf(document.body), scale, getComputedStyle(document.body).fontFamily),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [scale, look, fonts]
  )
}
