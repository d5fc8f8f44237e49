import retired from "./retired-words.json" with { type: "json" }

/** A piece of text that people read, and where it begins. */
export interface Text {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly text: string
}

/** A retired word, where it stands, and what to write instead. */
interface Finding {
  readonly file: string
  readonly line: number
  readonly word: string
  readonly instead: string
}

const words = Object.entries(retired).map(([word, instead]) => ({
  word,
  instead,
  // words of a phrase may stand on two lines; a plural is retired with its word
  pattern: new RegExp(`(?<![\\w-])${word.replaceAll(" ", "[\\s*]+")}s?(?![\\w-])`, "giu")
}))

/** Every retired word of a text. */
export const findings = ({ file, line, text }: Text): ReadonlyArray<Finding> =>
  words.flatMap(({ instead, pattern, word }) =>
    Array.from(text.matchAll(pattern), ({ index }) => ({
      file,
      line: line + text.slice(0, index).split("\n").length - 1,
      word,
      instead
    }))
  )

/** One line for each finding, for a person who has to replace it. */
export const report = (findings: ReadonlyArray<Finding>): string =>
  findings.map(({ file, instead, line, word }) => `${file}:${line}: "${word}": write ${instead}`).join("\n")
