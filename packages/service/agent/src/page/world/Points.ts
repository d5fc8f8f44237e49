import type { Focusing } from "./Focusing.ts"
import type { Framing, Point } from "./Framing.ts"
import type { Guarding } from "./Guarding.ts"
import type { Located, Locating } from "./Locating.ts"
import type { Naming } from "./Naming.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** Follows clicks at points of the screen. Runs in the page. */
export const points = ({
  coveredBy,
  cut,
  deepest,
  deepestFocus,
  frame,
  frameIdOf,
  guard,
  matrixOf,
  nameOf,
  ownerOf,
  pointOf,
  quote,
  refuse,
  roleOf,
  toMiddle
}: Words & Trees & Framing & Roles & Naming & Guarding & Locating & Focusing) => {
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

  /**
   * Returns the frame at a point, or without a point the one that receives keys. It's null for this document itself, and
   * has no id if it isn't known. The point is in the frame's own viewport.
   */
  const frameFor = (point: Point | null) => {
    const at = point === null ? deepestFocus() : deepest(point.x, point.y)
    if (at === null || !/^(?:IFRAME|FRAME|EMBED|OBJECT)$/u.test(at.tagName)) return null
    const id = frameIdOf(at)
    const matrix = matrixOf(id ?? "")
    return { id, point: point === null || matrix === undefined ? point : pointOf(matrix.inverse(), point) }
  }

  /** Describes the element at a point, for the model. */
  const labelAt = (x: number, y: number): string => {
    const at = deepest(x, y)
    const label = at === null ? "" : `${roleOf(at)} ${quote(cut(nameOf(at), 60))}`
    return at === null || at === document.body || at === document.documentElement ? "the page" : label
  }

  /**
   * Brings a point of the element in a frame into sight, and returns it in this viewport. It's refused where this document
   * covers the frame. Guarded clicks that reach this document instead of the frame are kept from it.
   */
  const through = async (
    id: string,
    point: Located & { readonly ok: true },
    number: number,
    mustBeUncovered: boolean,
    clicks: number
  ): Promise<Located> => {
    const owner = ownerOf(id)
    if (owner === undefined) return refuse("The frame of the element is not on the page any more.")
    let cover: Element | null = null
    const place = () => pointOf(matrixOf(id) ?? new DOMMatrix(), point)
    for (const turn of [0, 1]) {
      if (turn === 1) await toMiddle(owner, place())
      // the browser finds a frame in another process at its old place until the next picture
      if (turn === 1) await frame()
      const { x, y } = place()
      cover = deepest(x, y)
      if (cover !== owner && (mustBeUncovered || (cover === null && turn === 0))) continue
      if (clicks > 0 && point.kind !== "file") guard(number, null, clicks)
      return { ...point, x, y }
    }
    return coveredBy(cover, number)
  }

  return { hearPress, hasPressed: () => point.isPressed, frameFor, whyNotAt, labelAt, through }
}

export type Points = ReturnType<typeof points>
