import type { Numbering } from "./Numbering.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"

/** The beginning and the end of a text, in the frame's own viewport. */
export interface Span {
  readonly from: { readonly x: number; readonly y: number }
  readonly to: { readonly x: number; readonly y: number }
}

/** Selects text as people do with the mouse. Runs in the page. */
export const highlighting = ({ isField, isHidden, mustResolve, textNodes }: Trees & Roles & Numbering) => {
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

  const withinOf = (number: number | null) => (number === null ? document : mustResolve(number))

  /** Brings a text into sight and tells where it is; null where it is not, or in a field. */
  const spanOf = (wanted: string, number: number | null): Span | null => {
    const range = rangeOf(wanted, withinOf(number))
    range?.startContainer.parentElement?.scrollIntoView({ block: "center", behavior: "instant" })
    const boxes = Array.from(range?.getClientRects() ?? []).filter(({ width }) => width > 0)
    const [first, last] = [boxes[0], boxes.at(-1)]
    if (first === undefined || last === undefined) return null
    return {
      from: { x: first.left, y: first.top + first.height / 2 },
      to: { x: last.right, y: last.top + last.height / 2 }
    }
  }

  /** Returns whether this text is selected now. Selects it if the mouse didn't. */
  const highlight = (wanted: string, number: number | null): boolean => {
    const within = withinOf(number)
    if (within instanceof Element && isField(within) && !(within instanceof HTMLSelectElement)) {
      const at = within.value.indexOf(wanted)
      within.focus()
      if (at >= 0) within.setSelectionRange(at, at + wanted.length)
      return at >= 0
    }
    const selection = getSelection()
    if (bare(selection?.toString() ?? "") === bare(wanted)) return true
    const range = rangeOf(wanted, within)
    if (range === undefined) return false
    selection?.removeAllRanges()
    selection?.addRange(range)
    return true
  }

  return { spanOf, highlight }
}

export type Highlighting = ReturnType<typeof highlighting>
