import type { Naming } from "./Naming.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** Follows clicks at points of the screen. Runs in the page. */
export const points = ({ cut, deepest, nameOf, quote, roleOf }: Words & Trees & Roles & Naming) => {
  let point = { isPressed: false }

  /** Notices the next press of the mouse, wherever it is. */
  const hearPress = () => {
    const now = { isPressed: false }
    point = now
    const listen = ({ isTrusted }: Event) => void (now.isPressed ||= isTrusted)
    addEventListener("pointerdown", listen, { capture: true, once: true, passive: true })
  }

  /** Returns why a point can't be clicked. */
  const whyNotAt = (x: number, y: number): string | null =>
    x >= 0 && y >= 0 && x < innerWidth && y < innerHeight
      ? null
      : `The point ${x},${y} isn't on the screen, which has ${innerWidth} x ${innerHeight} pixels.`

  /** Returns whether a point belongs to another document, which gets the press instead. */
  const isFrameAt = (x: number, y: number): boolean => {
    const at = deepest(x, y)
    return at !== null && /^(?:IFRAME|FRAME|EMBED|OBJECT)$/u.test(at.tagName)
  }

  /** Describes the element at a point, for the model. */
  const labelAt = (x: number, y: number): string => {
    const at = deepest(x, y)
    const label = at === null ? "" : `${roleOf(at)} ${quote(cut(nameOf(at), 60))}`
    return at === null || at === document.body || at === document.documentElement ? "the page" : label
  }

  return { hearPress, hasPressed: () => point.isPressed, isFrameAt, whyNotAt, labelAt }
}

export type Points = ReturnType<typeof points>
