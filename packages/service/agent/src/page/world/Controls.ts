import type { Draft, Drafting } from "./Drafting.ts"
import type { Naming } from "./Naming.ts"
import type { Numbering } from "./Numbering.ts"
import type { Roles } from "./Roles.ts"
import type { Sight } from "./Sight.ts"
import type { Trees } from "./Trees.ts"

/** Reads interactive elements. Runs in the page. */
export const controls = (world: Trees & Roles & Naming & Numbering & Sight & Drafting) => {
  const { describe, flush, hear, isHeard, isHidden, isSolid, numberOf, roleOf, rootOf, say, textInside } = world
  /** Returns whether an element is a drawing, whose shapes are read as well, and not an icon. */
  const isDrawing = (element: Element, { height, width }: DOMRect) =>
    element instanceof SVGSVGElement && Math.min(height, width) >= 60 && element.childElementCount > 0

  /** Returns the parts of an element that listens to clicks for all of them. */
  const itemsOf = (element: Element): ReadonlyArray<Element> =>
    element.childElementCount > 1 &&
    !/^(?:TABLE|TBODY|THEAD|TR)$/u.test(element.tagName) &&
    roleOf(element) === "clickable"
      ? Array.from(element.children).filter(
          (child) => textInside(child) !== "" && getComputedStyle(child).display !== "inline"
        )
      : []

  const dayOf = (cell: Element | null | undefined) =>
    /^\s*\d{1,2}\s*$/u.test(cell?.textContent ?? "") ? Number(cell?.textContent) : NaN

  /** Hears the cells of a calendar, which often listens to clicks as a whole. Its days are next to each other. */
  const hearDays = (element: Element): void => {
    const cells = Array.from(element.querySelectorAll("td")).filter((cell) => dayOf(cell) > 0)
    const isMonth = (nextOf: (cell: HTMLTableCellElement) => Element | null | undefined, most: number) => {
      const firsts = cells.filter((cell) => dayOf(nextOf(cell)) === dayOf(cell) + 1).map(dayOf)
      const pairs = new Set(firsts.filter((day) => day <= 27)).size
      return pairs > 22 && pairs <= most
    }
    const below = (cell: HTMLTableCellElement) => cell.parentElement?.nextElementSibling?.children[cell.cellIndex]
    // of 27 pairs of days in a month, three or four are parted by the end of a week, but none in a list that goes down
    if (isMonth(({ nextElementSibling }) => nextElementSibling, 27) || isMonth(below, 24)) hear(...cells)
  }

  /** Writes the text that stands for an interactive element. Returns whether it also stands for everything inside. */
  const readActing = (draft: Draft, element: Element, style: CSSStyleDeclaration, box: DOMRect): boolean => {
    const tag = element.tagName
    if (tag === "INPUT" || tag === "TEXTAREA" || tag === "SELECT" || tag === "CANVAS") {
      say(draft, describe(draft, element, box))
      return true
    }
    const root = rootOf(element)
    const text = root === undefined ? textInside(element) : ""
    const isClickable = roleOf(element) === "clickable"
    const own = element instanceof HTMLLabelElement && roleOf(element) !== "label" ? element.control : null
    const inside = Array.from(
      element.querySelectorAll(
        "a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=option],[role^=menuitem],[role=tab],[role=treeitem],[role=gridcell],[onclick],[tabindex]:not([tabindex='-1']),iframe"
      )
      // a label stands for the input that it hides
    ).filter((one) => one !== own || !isHidden(one))
    const [only] = inside
    const isTwin =
      inside.length === 1 &&
      (only?.tagName === "A" || only?.tagName === "BUTTON") &&
      text !== "" &&
      textInside(only) === text
    if (isTwin && isClickable) {
      // an element that only wraps a link or button stands for it
      say(draft, describe(draft, only, box))
      return true
    }
    const isDrawn = isDrawing(element, box)
    const isNested = (inside.length > 0 && !isTwin) || root !== undefined || isDrawn
    const items = itemsOf(element)
    if (items.length > 1) hear(...items)
    hearDays(element)
    const isLeaf = !isNested && text.length <= 150 && items.length <= 1
    // a text that can be clicked word by word is more than one thing
    const hasParts = !isTwin && element.childElementCount > 0 && Array.from(element.querySelectorAll("*")).some(isHeard)
    if (isLeaf && !hasParts) {
      say(draft, describe(draft, element, box))
      return true
    }
    const isWrapper =
      isClickable && style.cursor !== "pointer" && !element.hasAttribute("onclick") && (isNested || items.length > 1)
    if (!isWrapper && !draft.isWhole) say(draft, describe(draft, element, box, false, isDrawn))
    return false
  }

  /** Returns whether people can use an element: it's visible, or Chromium draws something else in its place. */
  const isReachable = (element: Element, style: CSSStyleDeclaration, box: DOMRect, isBare: boolean): boolean => {
    const { height, width } = box
    const tag = element.tagName
    const isInput = tag === "INPUT"
    if (isBare && Math.min(height, width) < 8 && !(element instanceof SVGElement) && !isInput && tag !== "A")
      return false
    const isSized = width > 0 && height > 0
    return (
      (isSized || tag === "A" || tag === "LABEL") &&
      style.visibility === "visible" &&
      (isSolid(style, element) || isInput)
    )
  }

  /** Writes where an area scrolls, if it does. */
  const readScrollArea = (draft: Draft, element: Element, style: CSSStyleDeclaration) => {
    const isDeep = /auto|scroll/u.test(style.overflowY) && element.scrollHeight > element.clientHeight + 8
    const isWide = /auto|scroll/u.test(style.overflowX) && element.scrollWidth > element.clientWidth + 8
    if (!isDeep && !isWide) return
    const number = numberOf(element, draft.next, "scroll area", "")
    if (number === draft.next) draft.next++
    const above = Math.round(element.scrollTop)
    const below = Math.round(element.scrollHeight - element.clientHeight - element.scrollTop)
    const left = Math.round(Math.abs(element.scrollLeft))
    const right = Math.round(element.scrollWidth - element.clientWidth - left)
    const hidden = Object.entries({ above, below, left, right }).flatMap(([side, px]) =>
      px > 4 ? [`, ${px} px ${side}`] : []
    )
    say(draft, `[${number} scroll area${hidden.join("")}]`)
    flush(draft)
  }

  return { hearDays, isReachable, itemsOf, readActing, readScrollArea }
}

export type Controls = ReturnType<typeof controls>
