import type { Point } from "./Framing.ts"
import type { Guarding } from "./Guarding.ts"
import type { Naming } from "./Naming.ts"
import type { Numbering } from "./Numbering.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** The beginning of a drag: whether its press reached the element, and whether the page refused the drop. */
export interface Dragged {
  readonly isPressed: boolean
  readonly isRefused: boolean
}

/** The end of a drag: it was released on its target, where that was before it moved, or on something else. */
export interface Dropped {
  readonly release: "arrived" | "moved" | "other" | "none" | "left"
  /** The element on which it was released instead. */
  readonly on: string
}

/** Follows a drag from its press to its release. Runs in the page. */
export const dragging = (world: Words & Trees & Roles & Naming & Numbering & Guarding) => {
  const { cut, deepest, guard: guardClick, holds, nameOf, quote, resolve, roleOf, squash, takes } = world
  const presses = ["pointerdown", "mousedown", "mousemove", "dragstart", "pointerup", "mouseup", "click"]
  let endDrag = (): Dragged => ({ isPressed: true, isRefused: false })

  /**
   * Follows the next drag of an element, if that is at a point, and returns whether the drag begins in its box. One that
   * begins at the point itself is guarded: a press on something else is kept from the page.
   */
  const watchDrag = (number: number, { x, y }: Point, by: Point): { readonly isInside: boolean } | null => {
    endDrag()
    const target = resolve(number)
    if (typeof target === "string" || !takes(target.element, deepest(x, y))) return null
    const { bottom, left, right, top } = target.element.getBoundingClientRect()
    const isInside = x + by.x >= left && x + by.x < right && y + by.y >= top && y + by.y < bottom
    const isGuarded = by.x === 0 && by.y === 0
    let press: "none" | "pressed" | "missed" = "none"
    let isRefused = false
    const listen = (event: Event) => {
      if (!event.isTrusted || !(event instanceof MouseEvent)) return
      if (event.type === "pointerdown") {
        // a drag that was cut short left its listeners
        if (press !== "none") return void endDrag()
        press = takes(target.element, deepest(event.clientX, event.clientY)) ? "pressed" : "missed"
      }
      if (press !== "missed" || !isGuarded) return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    const end = ({ dataTransfer }: DragEvent) => (isRefused = dataTransfer?.dropEffect === "none")
    for (const type of presses) addEventListener(type, listen, true)
    addEventListener("dragend", end, true)
    endDrag = () => {
      for (const type of presses) removeEventListener(type, listen, true)
      removeEventListener("dragend", end, true)
      return { isPressed: press === "pressed", isRefused }
    }
    return { isInside }
  }

  let endDrop = (): Dropped => ({ release: "left", on: "" })

  /** Returns whether an element is the dragged one, or a copy of it that follows the mouse. */
  const follows = (at: Element, dragged: Element): boolean => {
    if (holds(dragged, at)) return true
    const text = squash(dragged.textContent)
    const copy = at.closest(dragged.localName)
    return text !== "" && copy !== null && squash(copy.textContent) === text
  }

  /** Follows the next release of the mouse, which should be on an element. */
  const watchDrop = (number: number, dragged: number | null) => {
    endDrop()
    const [to, from] = [resolve(number), dragged === null ? "" : resolve(dragged)]
    let dropped: Dropped = { release: "none", on: "" }
    if (typeof to === "string") return
    const { left, top } = to.element.getBoundingClientRect()
    const types = ["pointerup", "mouseup", "drop"]
    const listen = (event: Event) => {
      if (!event.isTrusted || !(event instanceof MouseEvent) || dropped.release !== "none") return
      const { clientX, clientY } = event
      const root = to.element.getRootNode()
      const stack = (root instanceof ShadowRoot ? root : document).elementsFromPoint(clientX, clientY)
      // another card of a list can look like the dragged one
      const isDragged = (at: Element) => typeof from !== "string" && !takes(to.element, at) && follows(at, from.element)
      const first = deepest(clientX, clientY)
      const at = first !== null && isDragged(first) ? (stack.find((one) => !isDragged(one)) ?? null) : first
      const now = to.element.getBoundingClientRect()
      const hasMoved = Math.abs(now.left - left) > 2 || Math.abs(now.top - top) > 2
      const on = at === null ? "nothing" : `${roleOf(at)} ${quote(cut(nameOf(at), 60))}`
      dropped = { release: takes(to.element, at) ? "arrived" : hasMoved ? "moved" : "other", on }
    }
    for (const type of types) addEventListener(type, listen, true)
    endDrop = () => {
      for (const type of types) removeEventListener(type, listen, true)
      return dropped
    }
  }

  /** As the guard of a click, which a drag that was cut short doesn't refuse. */
  const guard: Guarding["guard"] = (...click) => {
    endDrag()
    guardClick(...click)
  }

  return { guard, watchDrag, dragged: () => endDrag(), watchDrop, dropped: () => endDrop() }
}

export type Dragging = ReturnType<typeof dragging>
