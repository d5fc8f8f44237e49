import type { Text } from "./Words.ts"

/** A block of a page without its markup: a paragraph, a list item, a heading, or a table row. */
interface Block {
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
  const blocks: Array<Block> = []
  let open: { line: number; lines: Array<string> } | undefined
  let isCode = false
  const close = () => {
    if (open !== undefined) blocks.push({ line: open.line, text: open.lines.join("\n") })
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
      if (!/^\|[\s:|-]+$/u.test(line)) blocks.push({ line: index + 1, text: line })
    } else if (line.trim() === "") close()
    else if (line.startsWith("#")) {
      close()
      blocks.push({ line: index + 1, text: line.replace(/^#+ /u, "") })
    } else {
      if (marker.test(line)) close()
      open ??= { line: index + 1, lines: [] }
      open.lines.push(line.replace(marker, ""))
    }
  }
  close()
  return blocks
}

/** Returns the parts of a page that are checked for retired words: everything except its code. */
export const texts = (file: string, page: string): ReadonlyArray<Text> =>
  blocks(page).map(({ line, text }) => ({ file, line, text }))
