import { texts } from "./Prose.ts"

/** Patterns of a text that reads like a translation, counted over whole words. */
const patterns = {
  /** "deletes what ended long ago": a clause in place of a noun. */
  whatAsNoun: /\bwhat\b(?![^.]*\?)/gu,
  /** "limits of keys": a possessive or a compound is shorter. */
  nounOfNoun:
    /\b(?!kinds|lists|sets|parts|numbers|pairs|minutes|hours|seconds|days|ends|copies|thousands|hundreds|consists|thinks|months|terms|address|users|characters|status)[a-z]+s of (?:[a-z]+s|(?:an?|the|its) [a-z]+)\b/gu,
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

/** An answer to a question is one. */
const isDialog = /\b(?:questions?|person|people|asks?|asked)\b/iu

/** Measures texts. Each is a paragraph, a row of a table or a message. */
export const measureTexts = (blocks: ReadonlyArray<string>): Measures => {
  const words = blocks.reduce((sum, text) => sum + wordsOf(text), 0)
  const tables = blocks.filter((text) => text.startsWith("|")).reduce((sum, text) => sum + wordsOf(text), 0)
  const countOf = (name: string, pattern: RegExp) =>
    blocks.reduce(
      (sum, text) => sum + (name === "answer" && isDialog.test(text) ? 0 : (text.match(pattern)?.length ?? 0)),
      0
    )
  const rates = Object.entries(patterns).map(([name, pattern]) => [name, (10_000 * countOf(name, pattern)) / words])
  return { ...(Object.fromEntries(rates) as Record<keyof typeof patterns, number>), words, inTables: tables / words }
}

/** Measures pages, given by their Markdown, without their code. */
export const measure = (pages: ReadonlyArray<string>): Measures =>
  measureTexts(pages.flatMap((page) => texts("", page).map(({ text }) => text)))
