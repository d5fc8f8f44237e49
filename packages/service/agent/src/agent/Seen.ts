/** Limits the words that are remembered. */
const most = 50_000

const tokensOf = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,:/-]\p{N}+)*/gu) ?? []

/** Words that tell something: not the shortest, unless they have a digit. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  tokensOf(text).filter((word) => word.length > 2 || /\p{N}/u.test(word))

/** Results that tell nothing of a page. */
const acknowledgments = /^(?:ok|okay|done)?[.!]?$/iu

/** The texts, numbers and other values in a result, without the names of its fields. */
const valuesOf = (result: unknown): ReadonlyArray<string> =>
  typeof result === "object" && result !== null
    ? Object.values(result).flatMap(valuesOf)
    : result === null || result === undefined
      ? []
      : [String(result)]

/** Limits the words of a result that are compared. */
const compared = 500

/**
 * Remembers which words pages showed. A result of an earlier run is only repeated if the pages still show all of its
 * words.
 */
export const make = () => {
  const words = new Set<string>()
  return {
    add: (text: string): void => {
      for (const word of wordsOf(text)) {
        if (words.size >= most) return
        words.add(word)
      }
    },
    /** Returns the words of a result that pages showed. */
    among: (result: unknown): ReadonlyArray<string> =>
      Array.from(new Set(valuesOf(result).flatMap(wordsOf)))
        .filter((word) => words.has(word))
        .slice(0, compared),
    /** Returns the values of a recorded result that aren't only these words, such as a sum or a "yes". */
    unproven: (result: unknown, shown: ReadonlyArray<string>): ReadonlyArray<string> =>
      valuesOf(result).flatMap((value) => {
        const all = wordsOf(value)
        const others = all.filter((word) => !shown.includes(word))
        return all.length > 0 || acknowledgments.test(value.trim()) ? others : [value]
      }),
    /** Returns the words that pages didn't show. */
    missing: (wanted: ReadonlyArray<string>): ReadonlyArray<string> => wanted.filter((word) => !words.has(word))
  }
}

export type Seen = ReturnType<typeof make>
