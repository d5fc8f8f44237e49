import type { Text } from "./Words.ts"

interface Sentence {
  readonly line: number
  readonly words: number
  readonly text: string
}

/** A block of a page without its markup: a paragraph, an item of a list, or one row of a table. */
interface Block {
  readonly kind: "text" | "table"
  readonly line: number
  readonly text: string
}

const withoutMarkup = (line: string): string =>
  line
    .replaceAll(/<!--.*?-->/gu, "")
    // an image says nothing, a link says its text
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/gu, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    // a piece of code counts as one word
    .replaceAll(/`+[^`]+`+/gu, "code")
    .replaceAll(/[*_]{1,2}(\S[^*]*?)[*_]{1,2}/gu, "$1")

const marker = /^\s*(?:[-*+]|\d+\.)\s+/u

/** The blocks of a page, without its code. */
const blocks = (page: string): ReadonlyArray<Block> => {
  const found: Array<Block> = []
  let open: { line: number; lines: Array<string> } | undefined
  let isCode = false
  const close = () => {
    if (open !== undefined) found.push({ kind: "text", line: open.line, text: open.lines.join("\n") })
    open = undefined
  }
  for (const [index, raw] of page.split("\n").entries()) {
    if (raw.trimStart().startsWith("```")) {
      close()
      isCode = !isCode
      continue
    }
    if (isCode) continue
    const line = withoutMarkup(raw)
    if (line.startsWith("|")) {
      close()
      if (!/^\|[\s:|-]+$/u.test(line)) found.push({ kind: "table", line: index + 1, text: line })
    } else if (line.trim() === "") close()
    else if (line.startsWith("#")) {
      close()
      found.push({ kind: "table", line: index + 1, text: line.replace(/^#+ /u, "") })
    } else {
      if (marker.test(line)) close()
      open ??= { line: index + 1, lines: [] }
      open.lines.push(line.replace(marker, ""))
    }
  }
  close()
  return found
}

const count = (text: string): number => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’.,/:@%-]*/gu)?.length ?? 0

// a full stop inside of a number, a name or "e.g." ends nothing; a colon before a list does not either
const split = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll("\n", " ")
    .split(/(?<=[.!?])["”)]?\s+(?=["“(]?[\p{Lu}\p{N}]|code)/u)
    .filter((sentence) => count(sentence) > 0)

/** The sentences of a page's paragraphs and lists. */
export const sentences = (page: string): ReadonlyArray<Sentence> =>
  blocks(page)
    .filter(({ kind }) => kind === "text")
    .flatMap(({ line, text }) => split(text).map((sentence) => ({ line, text: sentence, words: count(sentence) })))

/** The sentences in cells of tables. */
export const cells = (page: string): ReadonlyArray<Sentence> =>
  blocks(page)
    .filter(({ kind }) => kind === "table")
    .flatMap(({ line, text }) =>
      text
        .split("|")
        .flatMap((cell) => split(cell).map((sentence) => ({ line, text: sentence, words: count(sentence) })))
    )

/** How many words of a page a person reads: all but its code. */
export const length = (page: string): number => blocks(page).reduce((sum, { text }) => sum + count(text), 0)

/** What of a page is checked for retired words. */
export const texts = (file: string, page: string): ReadonlyArray<Text> =>
  blocks(page).map(({ line, text }) => ({ file, line, text }))
