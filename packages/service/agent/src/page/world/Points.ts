import type { Focusing } from "./Focusing.ts"
import type { Framing, Point } from "./Framing.ts"
import type { Guarding } from "./Guarding.ts"
import type { Located, Locating } from "./Locating.ts"
import type { Naming } from "./Naming.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** Follows clicks at points of the screen. Runs in the page. */
export const points = (world: Words & Trees & Framing & Roles & Naming & Guarding & Locating & Focusing) => {
  const { coveredBy, cut, deepest, deepestFocus, frame, frameIdOf, guard, isBlocked, isFrame, matrixOf, nameOf } = world
  const { ownerOf, pointOf, quote, refuse, refuseBlocked, roleOf, toMiddle } = world
  /**
   * Returns the frame at a point, or without a point the one that receives keys. It's null for this document itself, and
   * has no id if it isn't known. The point is in the frame's own viewport.
   */
  const frameFor = (point: Point | null) => {
    const at = point === null ? deepestFocus() : deepest(point.x, point.y)
    if (at === null || !isFrame(at)) return null
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

  // in a document that took the place of the pressed one
  let pressedOn: string | null = "the page"

  /** Notices what the next press is on. Returns why a point can't be clicked, and a frame there, which takes the press. */
  const hearPress = (x: number, y: number): { readonly why: string | null; readonly frame: string | null } => {
    if (!(x >= 0 && y >= 0 && x < innerWidth && y < innerHeight)) {
      const why = `The point ${x},${y} isn't on the screen, which has ${innerWidth} x ${innerHeight} pixels.`
      return { why, frame: null }
    }
    pressedOn = null
    const listen = ({ clientX, clientY, isTrusted }: PointerEvent) => {
      if (isTrusted) pressedOn ??= labelAt(clientX, clientY)
    }
    addEventListener("pointerdown", listen, { capture: true, once: true, passive: true })
    return { why: null, frame: frameFor({ x, y }) === null ? null : labelAt(x, y) }
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
    if (isBlocked(owner)) return refuseBlocked(number)
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

  return { hearPress, pressedOn: () => pressedOn, frameFor, through }
}

export type Points = ReturnType<typeof points>
