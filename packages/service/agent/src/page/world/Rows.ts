import type { Trees } from "./Trees.ts"

/** The row of a list or table in which the model saw an element. */
export interface Row {
  /** The number of elements around the element, up to the row. */
  readonly levels: number
  /** The words of the row that others don't have. */
  readonly words: ReadonlyArray<string>
  /** Is true if no other element has the same role and name, so that only a new element has to prove its row. */
  readonly isAlone: boolean
}

/** Tells apart the rows of elements that are named alike, because pages reuse rows. Runs in the page. */
export const rows = ({ outerOf, textNodes }: Trees) => {
  /** Elements whose text tells apart what their buttons and fields are about. */
  const items =
    "li,tr,article,dialog,[role=row],[role=listitem],[role=article],[role=option],[role=treeitem],[role=dialog],[role=alertdialog]"

  /** Returns the elements around an element, beginning with itself. */
  const chainOf = (element: Element): ReadonlyArray<Element> => {
    const chain: Array<Element> = []
    for (let at: Node | null = element; at !== null; at = outerOf(at)) if (at instanceof Element) chain.push(at)
    return chain
  }

  const wordsOf = (row: Element): ReadonlySet<string> =>
    new Set(Array.from(textNodes(row), ({ data }) => data.match(/\S+/gu) ?? []).flat())

  const counted = <Value>(values: ReadonlyArray<Value>): ReadonlyMap<Value, number> => {
    const counts = new Map<Value, number>()
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
    return counts
  }

  const rowOfSingle = (element: Element): Row | undefined => {
    const chain = chainOf(element)
    const levels = chain.findIndex((one) => one.matches(items))
    const row = chain[levels]
    if (row === undefined) return undefined
    const own = wordsOf(element)
    return { levels, words: Array.from(wordsOf(row)).filter((word) => !own.has(word)), isAlone: true }
  }

  /** Returns the rows of elements of one role and name: the widest elements around them that have no other one inside. */
  const rowsOf = (alike: ReadonlyArray<Element>): ReadonlyArray<Row | undefined> => {
    if (alike.length === 1) return alike.map(rowOfSingle)
    const chains = alike.map(chainOf)
    const shared = counted(chains.flat())
    const heights = chains.map((chain) => chain.findIndex((one) => shared.get(one) !== 1) - 1)
    const words = chains.map((chain, at) => Array.from(wordsOf(chain[heights[at] ?? 0] ?? document.body)))
    const counts = counted(words.flat())
    return heights.map((levels, at) =>
      levels < 0
        ? undefined
        : { levels, words: (words[at] ?? []).filter((word) => counts.get(word) === 1), isAlone: false }
    )
  }

  /** Returns the row of an element if most of what distinguished the row isn't in it any more. */
  const otherRowOf = (element: Element, row: Row | undefined, isNew: boolean): Element | undefined => {
    if (row === undefined || row.words.length === 0 || (row.isAlone && !isNew)) return undefined
    const now = chainOf(element)[row.levels] ?? element
    const has = wordsOf(now)
    const kept = row.words.filter((word) => has.has(word)).length / row.words.length
    return kept > 0.5 || (kept === 0.5 && !row.isAlone) ? undefined : now
  }

  return { isItem: (element: Element) => element.matches(items), rowsOf, otherRowOf }
}

export type Rows = ReturnType<typeof rows>
