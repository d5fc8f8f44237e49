import type { Confirming } from "./Confirming.ts"
import type { Describing } from "./Describing.ts"
import type { Naming } from "./Naming.ts"
import type { Numbering } from "./Numbering.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/**
 * The outcome of a guarded click:
 *
 * - `hit`: the element got the click
 * - `missed`: another element was in its place, and was kept from the click
 * - `none`: no event reached the document, because another document was there or the page stopped them
 * - `partly`: the element got a click, and another one was in its place and was kept from the next
 * - `left`: another document took the place of the guarded one
 *
 * The others are presses that no click on the element followed. `removed` and `replaced` by another one of the same name,
 * `disabled`, `moved` away, `covered` by something that opened, or `stopped` by the page.
 */
export type Press =
  | "hit"
  | "missed"
  | "none"
  | "partly"
  | "left"
  | "removed"
  | "replaced"
  | "disabled"
  | "moved"
  | "covered"
  | "stopped"

/** Follows the events of the mouse to their elements. Runs in the page. */
export const guarding = (world: Words & Trees & Roles & Naming & Describing & Numbering & Confirming) => {
  const { closestOf, deepest, holds, isAsShown, isDisabled, isField, resolve, roleOf, rootOf } = world
  /**
   * Returns whether a click on the element at a point reaches the wanted one. The label of a field also counts, and so
   * does what is around a field that leaves clicks to it.
   */
  const takes = (element: Element, at: Element | null): boolean => {
    if (holds(element, at)) return true
    const label = closestOf(at, "label")
    if (label instanceof HTMLLabelElement && label.control === element) return true
    const isPage = at === document.body || at === document.documentElement
    const leavesClicks = isField(element) && getComputedStyle(element).pointerEvents === "none"
    return at !== null && !isPage && leavesClicks && holds(at, element)
  }

  const controls =
    "a[href],button,input,select,textarea,summary,iframe,[role=button],[role=link],[role=checkbox],[role=menuitem]"

  /** Returns whether a point of a card, row or label belongs to a control inside it, which does something else. */
  const isOfInner = (element: Element, at: Element | null): boolean => {
    const isLabel = element instanceof HTMLLabelElement
    if (!isLabel && !/^(?:clickable|link|option|menuitem|treeitem|gridcell)$/u.test(roleOf(element))) return false
    const control = closestOf(at, `${controls},[onclick]`)
    const isOwn = isLabel && element.control === control
    return control !== null && control !== element && !isOwn && holds(element, control)
  }

  const presses = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"]
  let endGuard = (): Press => "left"

  /**
   * Keeps the next clicks from whatever is not this element, because what changes when the mouse comes, or at a click,
   * may put it elsewhere, and follows them until their end. After a scroll, a list may also reuse it for another row. With
   * `null`, the clicks are for a frame in this document, so none should come here.
   */
  const guard = (number: number, element: Element | null, clicks: number, hasScrolled = false) => {
    endGuard()
    let press: Press | "pressed" = "none"
    let downs = 0
    // a page may replace the element at the first click
    const takesNow = (at: Element | null) => {
      const now = resolve(number)
      return typeof now !== "string" && takes(now.element, at)
    }
    const listen = (event: Event) => {
      if (!event.isTrusted || !(event instanceof MouseEvent)) return
      if (event.type === "pointerdown") downs++
      // a click after these isn't guarded
      if (downs > clicks) return
      const at = deepest(event.clientX, event.clientY)
      const isOnElement = element !== null && takes(element, at)
      if (press === "none") press = isOnElement && !(hasScrolled && !isAsShown(number)) ? "pressed" : "missed"
      else if (press === "hit" && event.type === "pointerdown" && !isOnElement && !takesNow(at)) press = "partly"
      if (element === null || press === "missed" || press === "partly") {
        event.preventDefault()
        event.stopImmediatePropagation()
        return
      }
      if (press === "hit") return
      const [first] = event.composedPath()
      // the host of a closed root stands for what is in it
      const target = first instanceof Element && rootOf(first) === undefined ? first : at
      if (/^(?:click|auxclick|contextmenu)$/u.test(event.type) && takes(element, target)) {
        // the page may still stop it on its way
        const arrive = () => void (press = "hit")
        const last = target?.parentNode ?? element
        last.addEventListener(event.type, arrive, { capture: true, once: true })
      } else if (event.type === "mouseup" && element.isConnected && !isOnElement) {
        press = at === null || holds(at, element) ? "moved" : "covered"
      }
    }
    for (const type of presses) addEventListener(type, listen, true)
    endGuard = () => {
      for (const type of presses) removeEventListener(type, listen, true)
      if (press !== "pressed") return press
      if (element === null) return "missed"
      if (!element.isConnected) return typeof resolve(number) === "string" ? "removed" : "replaced"
      // its list has opened over the page
      if (element instanceof HTMLSelectElement) return "hit"
      return isDisabled(element) ? "disabled" : "stopped"
    }
  }

  /** Returns what became of the guarded click. */
  const pressed = (): Press => endGuard()

  let wheel = { isTurned: false }

  /** Notices the next turn of the mouse wheel over an element. */
  const hearWheel = (number: number) => {
    const target = resolve(number)
    const now = { isTurned: false }
    wheel = now
    if (typeof target === "string") return
    const listen = ({ clientX, clientY, isTrusted }: WheelEvent) => {
      now.isTurned = isTrusted && takes(target.element, deepest(clientX, clientY))
    }
    addEventListener("wheel", listen, { capture: true, once: true, passive: true })
  }

  /** Returns whether the mouse is over an element, as its style sheet notices it. */
  const isHovered = (number: number): boolean => {
    const target = resolve(number)
    return typeof target !== "string" && target.element.matches(":hover")
  }

  return {
    isControl: (element: Element): boolean => element.matches(controls),
    takes,
    isOfInner,
    guard,
    pressed,
    hearWheel,
    hasWheeled: () => wheel.isTurned,
    isHovered
  }
}

export type Guarding = ReturnType<typeof guarding>
