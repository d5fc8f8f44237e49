import type { Trees } from "./Trees.ts"

/** The row of a list or table in which the model saw an element. */
export interface Row {
  /** The number of elements around the element, up to the row. */
  readonly levels: number
  /** Returns the words of the row that others don't have. */
  readonly words: () => ReadonlyArray<string>
  /** Is true if no other element has the same role and name, so that only a new element has to prove its row. */
  readonly isAlone: boolean
}

/** Tells apart the rows of elements that are named alike, because pages reuse rows. Runs in the page. */
export const rows = ({ outerOf, textNodes }: Trees) => {
  /** Elements whose text tells apart what their buttons and fields are about. */
  const items =
    "li,tr,article,dialog,[role=row],[role=listitem],[role=article],[role=option],[role=treeitem],[role=dialog],[role=alertdialog]"

  const words_most = 200

  /** Returns the elements around an element, beginning with itself. */
  const chainOf = (element: Element): ReadonlyArray<Element> => {
    const chain: Array<Element> = []
    for (let at: Node | null = element; at !== null; at = outerOf(at)) if (at instanceof Element) chain.push(at)
    return chain
  }

  /** Returns the first words of a row. They are enough to tell a long row, such as an article, from others. */
  const wordsOf = (row: Element): ReadonlySet<string> => {
    const words = new Set<string>()
    for (const { data } of textNodes(row)) {
      for (const word of data.match(/\S+/gu) ?? []) words.add(word)
      if (words.size >= words_most) break
    }
    return words
  }

  const counted = <Value>(values: ReadonlyArray<Value>): ReadonlyMap<Value, number> => {
    const counts = new Map<Value, number>()
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
    return counts
  }

  /** Reads the words of rows, each once, because many links can be in the same one. */
  const wordsReader = () => {
    const read = new Map<Element, ReadonlySet<string>>()
    return (row: Element): ReadonlySet<string> => {
      const words = read.get(row) ?? wordsOf(row)
      read.set(row, words)
      return words
    }
  }

  const rowOfSingle = (element: Element, wordsIn: typeof wordsOf): Row | undefined => {
    const chain = chainOf(element)
    const levels = chain.findIndex((one) => one.matches(items))
    const row = chain[levels]
    if (row === undefined) return undefined
    const [own, all] = [wordsOf(element), wordsIn(row)]
    return { levels, words: () => Array.from(all).filter((word) => !own.has(word)), isAlone: true }
  }

  /** Returns the rows of elements of one role and name: the widest elements around them that have no other one inside. */
  const rowsOf = (alike: ReadonlyArray<Element>, wordsIn: typeof wordsOf): ReadonlyArray<Row | undefined> => {
    if (alike.length === 1) return alike.map((element) => rowOfSingle(element, wordsIn))
    const chains = alike.map(chainOf)
    const shared = counted(chains.flat())
    const heights = chains.map((chain) => chain.findIndex((one) => shared.get(one) !== 1) - 1)
    const words = chains.map((chain, at) => {
      const row = chain[heights[at] ?? -1]
      return row === undefined ? [] : Array.from(wordsOf(row))
    })
    const counts = counted(words.flat())
    return heights.map((levels, at) => {
      const own = (words[at] ?? []).filter((word) => counts.get(word) === 1)
      return levels < 0 ? undefined : { levels, words: () => own, isAlone: false }
    })
  }

  /** Returns the row of an element if most of what distinguished the row isn't in it any more. */
  const otherRowOf = (element: Element, row: Row | undefined, isNew: boolean): Element | undefined => {
    if (row === undefined || (row.isAlone && !isNew)) return undefined
    const words = row.words()
    if (words.length === 0) return undefined
    const now = chainOf(element)[row.levels] ?? element
    const has = wordsOf(now)
    const kept = words.filter((word) => has.has(word)).length / words.length
    return kept > 0.5 || (kept === 0.5 && !row.isAlone) ? undefined : now
  }

  return { isItem: (element: Element) => element.matches(items), rowsOf, wordsReader, otherRowOf }
}

export type Rows = ReturnType<typeof rows>
