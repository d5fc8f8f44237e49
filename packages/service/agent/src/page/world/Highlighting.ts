import type { Point } from "./Framing.ts"
import type { Guarding } from "./Guarding.ts"
import type { Numbering } from "./Numbering.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"

/** The beginning and the end of a text, in the frame's own viewport. */
export interface Span {
  readonly from: Point
  readonly to: Point
  /** Is true if the mouse can select it: it isn't covered or in a control, which a press and a release would click. */
  readonly isPlain: boolean
}

/** Selects text as people do with the mouse. Runs in the page. */
export const highlighting = (world: Trees & Roles & Numbering & Guarding) => {
  const { boxedFor, deepest, holds, isControl, isEditable, isField, isHeard, isHidden, mustResolve, outerOf } = world
  const { textNodes } = world
  const bare = (text: string) => text.replace(/\s+/gu, "")

  /** The place in a text of a character that is counted without white space. */
  const placeOf = (text: string, count: number): number => {
    let left = count
    return (
      Array.from({ length: text.length }, (_, at) => at).find((at) => /\S/u.test(text[at] ?? "") && left-- === 0) ?? 0
    )
  }

  /** The range of a text, whatever white space is in it. */
  const rangeOf = (wanted: string, within: Document | Element): Range | undefined => {
    const nodes: Array<{ readonly node: Text; readonly from: number }> = []
    let chars = ""
    for (const node of textNodes(within)) {
      const text = bare(node.data)
      if (text === "" || node.parentElement === null || isHidden(node.parentElement)) continue
      nodes.push({ node, from: chars.length })
      chars += text
    }
    const text = bare(wanted)
    const start = text === "" ? -1 : chars.indexOf(text)
    if (start < 0) return undefined
    const range = document.createRange()
    const point = (at: number) => {
      const run = nodes.findLast(({ from }) => from <= at)
      return run === undefined ? undefined : ([run.node, placeOf(run.node.data, at - run.from)] as const)
    }
    const [first, last] = [point(start), point(start + text.length - 1)]
    if (first === undefined || last === undefined) return undefined
    range.setStart(...first)
    range.setEnd(last[0], last[1] + 1)
    return range
  }

  const boxesIn = (range: Range) => Array.from(range.getClientRects()).filter(({ width }) => width > 0)

  const withinOf = (number: number | null) => (number === null ? document : mustResolve(number))

  const others = "label,[draggable=true],[role=tab],[role=option],[role=switch],[role=radio]"

  /** Returns whether a click on an element may do something. Pages also listen to clicks as a whole, and editors do. */
  const acts = (element: Element): boolean => {
    if (isControl(element) || element.matches(others)) return true
    const { height, width } = element.getBoundingClientRect()
    const isPart = height * width < (innerHeight * innerWidth) / 2 && element !== document.body
    return (isHeard(element) || element.hasAttribute("onclick")) && isPart && !isEditable(element)
  }

  /** Returns whether a point shows an element, and nothing there can be clicked. */
  const isPlainAt = (element: Element | null, { x, y }: Point): boolean => {
    const at = deepest(x, y)
    if (element === null || at === null || !(holds(element, at) || holds(at, element))) return false
    for (let one: Node | null = at; one !== null; one = outerOf(one)) {
      if (one instanceof Element && acts(one)) return false
    }
    return getComputedStyle(at).cursor !== "pointer"
  }

  /** Brings a text into sight and tells where it is; null where it is not, or in a field. */
  const spanOf = (wanted: string, number: number | null): Span | null => {
    const range = rangeOf(wanted, withinOf(number))
    if (range === undefined) return null
    const { endContainer, startContainer } = range
    const { parentElement: parent } = startContainer
    if (parent !== null) boxedFor(parent).scrollIntoView({ block: "center", behavior: "instant" })
    const boxes = boxesIn(range)
    const [first, last] = [boxes[0], boxes.at(-1)]
    if (first === undefined || last === undefined) return null
    // its edges belong to its neighbors
    const inset = ({ width }: DOMRect) => Math.min(1, width / 4)
    const from = { x: first.left + inset(first), y: first.top + first.height / 2 }
    const to = { x: last.right - inset(last), y: last.top + last.height / 2 }
    const isPlain = isPlainAt(startContainer.parentElement, from) && isPlainAt(endContainer.parentElement, to)
    return { from, to, isPlain }
  }

  /** Returns whether a point shows the beginning of a text, or what is around a text that leaves the mouse to it. */
  const showsText = (wanted: string, { x, y }: Point): boolean => {
    const [range, at] = [rangeOf(wanted, document), deepest(x, y)]
    const [box] = range === undefined ? [] : boxesIn(range)
    const element = range?.startContainer.parentElement ?? null
    if (element === null || at === null || box === undefined) return false
    const isThere = Math.abs(box.left + 3 - x) < 3 && Math.abs(box.top + box.height / 2 - y) < 3
    return isThere && (holds(element, at) || (!at.matches("body,html") && holds(at, element)))
  }

  const notThere = "This text is not there."

  /** Selects a text if the mouse didn't. Returns the reason if it isn't selected now. */
  const highlight = (wanted: string, number: number | null): string | null => {
    const within = withinOf(number)
    if (within instanceof Element && isField(within) && !(within instanceof HTMLSelectElement)) {
      // whether a password has a text would tell it letter by letter
      const at = within.type === "password" ? -1 : within.value.indexOf(wanted)
      within.focus()
      if (at >= 0) within.setSelectionRange(at, at + wanted.length)
      return at >= 0 ? null : notThere
    }
    const selection = getSelection()
    const selected = () => bare(selection?.toString() ?? "")
    if (selected() === bare(wanted)) return null
    const range = rangeOf(wanted, within)
    if (range === undefined) return notThere
    selection?.removeAllRanges()
    selection?.addRange(range)
    // it may be shown in capitals, or with hidden words between
    return selected() === "" ? "This text is there, but it can't be selected." : null
  }

  return { spanOf, showsText, highlight }
}

export type Highlighting = ReturnType<typeof highlighting>
