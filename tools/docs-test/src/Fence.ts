import { readFileSync } from "node:fs"
import { join } from "node:path"

/** A fenced block of a Markdown document. */
export interface Fence {
  /** The document, relative to the root of the repository. */
  readonly document: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  /** Line of the closing fence. */
  readonly end: number
  readonly language: string
  /** The file that the block shows, if its opening says `file=...`. */
  readonly file: string | undefined
  /** The command whose output the block shows, if its opening says `sample=...`. */
  readonly sample: string | undefined
  readonly code: string
}

// the site shows consecutive fences with `tab=` as tabs
const opening = /^```(\w+)(?: file=(\S+))?(?: sample=(\S+))?(?: tab=\S+)?\s*$/u

/** Every fenced block of a document, in order. */
export const fences = (root: string, document: string): ReadonlyArray<Fence> => {
  const lines = readFileSync(join(root, document), "utf8").split("\n")
  const fences: Array<Fence> = []
  for (let index = 0; index < lines.length; index++) {
    const match = opening.exec(lines[index] ?? "")
    if (match === null) continue
    const end = lines.indexOf("```", index + 1)
    if (end === -1) throw new Error(`${document}:${index + 1} opens a fence that nothing closes`)
    fences.push({
      document,
      line: index + 1,
      end: end + 1,
      language: match[1] ?? "",
      file: match[2],
      sample: match[3],
      code: lines.slice(index + 1, end).join("\n")
    })
    index = end
  }
  return fences
}

/**
 * Returns the part of a file that a document shows: everything except the comment at the top, which says how to run it.
 */
export const shown = (root: string, file: string): string =>
  readFileSync(join(root, file), "utf8")
    .replace(/^\/\*\*[\s\S]*?\*\/\n+/u, "")
    .trimEnd()

/** The document with every `file=` fence brought up to date. */
export const refreshed = (root: string, document: string): string => {
  const lines = readFileSync(join(root, document), "utf8").split("\n")
  for (const fence of fences(root, document).toReversed()) {
    if (fence.file === undefined) continue
    lines.splice(fence.line, fence.end - fence.line - 1, ...shown(root, fence.file).split("\n"))
  }
  return lines.join("\n")
}
