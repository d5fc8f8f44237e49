import { texts } from "./Prose.ts"

/** Patterns of a text that reads like a translation, counted over whole words. */
const patterns = {
  /** "deletes what ended long ago": a clause in place of a noun. */
  whatAsNoun: /\bwhat\b(?![^.]*\?)/gu,
  /** "limits of keys": a possessive or a compound is shorter. */
  nounOfNoun:
    /\b(?!kinds|lists|sets|parts|numbers|pairs|minutes|hours|seconds|days|ends|copies|thousands|hundreds|consists|thinks|months|terms)[a-z]+s of (?:[a-z]+s|(?:an?|the|its) [a-z]+)\b/gu,
  /** "requests a minute". */
  aForPer:
    /\b(?!takes|makes|has|needs|creates|starts|waits|is|as|within)(?:[a-z]+s|once|twice|one [a-z]+|\d[\d,.]* \w+) an? (?:second|minute|hour|day|week|month|night|year|process|core)\b/gu,
  answer: /\banswer(?:s|ed|ing)?\b/giu,
  /** Idioms that no other project writes. */
  idiom: /\b(?:at work|go(?:es|ing)? on|went on|left open|comes? back|lets? go)\b/giu,
  /** Talks to the reader: a page should. */
  addressed: /\b(?:you can|if you)\b/giu,
  example: /\bfor example\b/giu
}

/** The occurrences of each pattern in 10,000 words, and the share of words that stand in tables, from 0 to 1. */
export interface Measures extends Readonly<Record<keyof typeof patterns, number>> {
  readonly words: number
  readonly inTables: number
}

const wordsOf = (text: string): number => text.match(/[\p{L}\d][\p{L}\d'’-]*/gu)?.length ?? 0

/** Measures pages, given by their Markdown, without their code. */
export const measure = (pages: ReadonlyArray<string>): Measures => {
  const blocks = pages.flatMap((page) => texts("", page).map(({ text }) => text))
  const words = blocks.reduce((sum, text) => sum + wordsOf(text), 0)
  const tables = blocks.filter((text) => text.startsWith("|")).reduce((sum, text) => sum + wordsOf(text), 0)
  const per10_000 = (pattern: RegExp) =>
    (10_000 * blocks.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0)) / words
  return {
    ...(Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => [name, per10_000(pattern)])) as Record<
      keyof typeof patterns,
      number
    >),
    words,
    inTables: tables / words
  }
}
