import { cells, length, sentences, texts } from "./Prose.ts"
import { findings } from "./Words.ts"

/** What a page may be at most. */
export const limits = { meanSentence: 18, longestSentence: 35, guide: 1000 } as const

/** Pages to look things up in, which may be longer than a guide. */
const references: ReadonlySet<string> = new Set([
  "docs/cli.md",
  "docs/failure-reference.md",
  "docs/load-reference.md",
  "docs/simulated-service-reference.md"
])

const isGuide = (file: string) => (file === "README.md" || file.startsWith("docs/")) && !references.has(file)

/** Of the design, the assumptions, the measurements and changesets only the words are checked. */
const hasProse = (file: string) => !/(?:^|\/)(?:ARCHITECTURE|ASSUMPTIONS|RESULTS)\.md$|^\.changeset\//u.test(file)

/** What is wrong with the words of a page, a line each. */
export const problems = (file: string, page: string): ReadonlyArray<string> => {
  const found = texts(file, page)
    .flatMap(findings)
    .map(({ instead, line, word }) => `${file}:${line}: "${word}": write ${instead}`)
  if (!hasProse(file)) return found

  const read = sentences(page)
  for (const { line, text, words } of [...read, ...cells(page)]) {
    if (words > limits.longestSentence) {
      found.push(
        `${file}:${line}: a sentence of ${words} words, at most ${limits.longestSentence}: "${text.slice(0, 60)}..."`
      )
    }
  }
  const mean = read.reduce((sum, { words }) => sum + words, 0) / Math.max(1, read.length)
  if (mean > limits.meanSentence) {
    found.push(
      `${file}: ${mean.toFixed(1)} words a sentence on average, at most ${limits.meanSentence}: split sentences`
    )
  }
  const words = length(page)
  if (isGuide(file) && words > limits.guide) {
    found.push(`${file}: ${words} words, at most ${limits.guide} for a guide: split it, or move tables to a reference`)
  }
  return found
}
