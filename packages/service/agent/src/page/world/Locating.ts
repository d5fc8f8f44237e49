import type { Confirming } from "./Confirming.ts"
import type { Describing } from "./Describing.ts"
import type { Point } from "./Framing.ts"
import type { Guarding } from "./Guarding.ts"
import type { Naming } from "./Naming.ts"
import type { Roles } from "./Roles.ts"
import type { Numbering } from "./Numbering.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** The kind of input that a field takes. */
export type Kind = "text" | "editable" | "value" | "select" | "file" | "checkbox" | "other"

/** The point at which to click an element, in its frame's own viewport, or the reason why that's impossible. */
export type Located =
  | { readonly ok: true; readonly x: number; readonly y: number; readonly kind: Kind; readonly isHealed: boolean }
  | { readonly ok: false; readonly why: string; readonly isCovered: boolean }

/** Finds where an element can be clicked. Runs in the page. */
export const locating = (world: Words & Trees & Roles & Naming & Describing & Numbering & Confirming & Guarding) => {
  const { boxedFor, boxesOf, confirm, cut, deepest, guard, isBlocked, isDisabled, isEditable, isOfInner } = world
  const { nameOf, quote, resolve, roleOf, takes } = world
  const spots = [
    [0.5, 0.5],
    [0.2, 0.5],
    [0.8, 0.5],
    [0.5, 0.2],
    [0.5, 0.8],
    [0.1, 0.1],
    [0.9, 0.9]
  ] as const

  const kindOf = (element: Element): Kind => {
    if (element instanceof HTMLInputElement) {
      if (element.type === "file") return "file"
      if (/^(?:checkbox|radio)$/u.test(element.type)) return "checkbox"
      if (/^(?:date|time|month|week|datetime-local|color|range)$/u.test(element.type)) return "value"
      return /^(?:button|submit|reset|image|hidden)$/u.test(element.type) ? "other" : "text"
    }
    if (element instanceof HTMLTextAreaElement) return "text"
    if (element instanceof HTMLSelectElement) return "select"
    return isEditable(element) ? "editable" : "other"
  }

  /** Waits for a frame, or for as long as one may take in a tab that is not drawn. */
  const frame = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 60)
      requestAnimationFrame(() => {
        clearTimeout(timer)
        resolve()
      })
    })

  /** Brings an element to the middle, or a point of it, as a frame may be larger than the screen. */
  const toMiddle = async (element: Element, point?: Point) => {
    const style = point === undefined || !(element instanceof HTMLElement) ? undefined : element.style
    const before = style?.scrollMargin ?? ""
    if (style !== undefined && point !== undefined) {
      const { bottom, left, right, top } = element.getBoundingClientRect()
      const sides = [top - point.y, point.x - right, point.y - bottom, left - point.x]
      style.scrollMargin = sides.map((side) => `${side / element.currentCSSZoom}px`).join(" ")
    }
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
    if (style !== undefined) style.scrollMargin = before
    await frame()
  }

  /** Waits for a moment while an element moves. */
  const still = async (element: Element) => {
    let before = element.getBoundingClientRect()
    for (let turn = 0; turn < 12; turn++) {
      const isAnimated = element.getAnimations().some(({ playState }) => playState === "running")
      if (turn === 0 && !isAnimated) return
      await frame()
      const box = element.getBoundingClientRect()
      if (Math.abs(box.x - before.x) < 1 && Math.abs(box.y - before.y) < 1) return
      before = box
    }
  }

  const rectsInSight = (element: Element) =>
    boxesOf(element).filter(
      ({ bottom, left, right, top }) => bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
    )

  const refuse = (why: string, isCovered = false): Located => ({ ok: false, why, isCovered })

  const refuseBlocked = (number: number) =>
    refuse(`Element ${number} can't be used now: a dialog or another part of the page blocks it.`)

  const coveredBy = (cover: Element | null, number: number, element?: Element): Located => {
    const what = cover === null ? "something" : `${roleOf(cover)} ${quote(cut(nameOf(cover), 60))}`
    if (element !== undefined && getComputedStyle(element).pointerEvents === "none") {
      return refuse(`Element ${number} takes no clicks now: they go to ${what}.`, true)
    }
    return refuse(`Element ${number} is covered by ${what}. Close or move that first.`, true)
  }

  const locate = async (number: number, mustBeUncovered: boolean, clicks = 0): Promise<Located> => {
    const target = resolve(number)
    if (typeof target === "string") return refuse(target)
    const { element, isHealed } = target
    const kind = kindOf(element)
    if (isDisabled(element)) return refuse(`Element ${number} is disabled.`)
    if (isBlocked(element)) return refuseBlocked(number)
    let hasScrolled = false
    const scroll = async () => {
      hasScrolled = true
      await toMiddle(boxedFor(element))
    }
    const at = async (x: number, y: number): Promise<Located> => {
      // a list may have reused the element for another row when it was scrolled
      const changed = hasScrolled ? await confirm(number) : null
      if (changed !== null) return refuse(changed)
      if (clicks > 0 && kind !== "file") guard(number, element, clicks, hasScrolled)
      return { ok: true, x, y, kind, isHealed }
    }
    const box = boxesOf(element)[0] ?? element.getBoundingClientRect()
    if (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth) await scroll()
    await still(element)
    if (rectsInSight(element).length === 0) {
      return kind === "file" ? at(0, 0) : refuse(`Element ${number} cannot be seen.`)
    }
    let cover: Element | null = null
    let ofInner: Point | undefined
    for (const turn of [0, 1]) {
      // what is covered, or cut off by an area that scrolls, is brought to the middle once
      if (turn === 1) await scroll()
      for (const rect of rectsInSight(element)) {
        const [left, top] = [Math.max(0, rect.left), Math.max(0, rect.top)]
        const width = Math.min(innerWidth, rect.right) - left
        const height = Math.min(innerHeight, rect.bottom) - top
        for (const [across, down] of spots) {
          const x = left + width * across
          const y = top + height * down
          if (!mustBeUncovered) return at(x, y)
          cover = deepest(x, y)
          if (!takes(element, cover)) continue
          if (!isOfInner(element, cover)) return at(x, y)
          ofInner ??= { x, y }
        }
      }
      // links and buttons fill it
      if (ofInner !== undefined) return at(ofInner.x, ofInner.y)
    }
    return coveredBy(cover, number, element)
  }

  /** As `locate`, but refused if the element isn't the one that the model saw any more. */
  const locateShown: typeof locate = async (number, ...how) => {
    const changed = await confirm(number)
    return changed === null ? locate(number, ...how) : refuse(changed)
  }

  return { coveredBy, frame, locate, locateShown, refuse, refuseBlocked, toMiddle }
}

export type Locating = ReturnType<typeof locating>
