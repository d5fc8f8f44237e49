import * as TextDiff from "effect/TextDiff"
import { show, step } from "./Difference.ts"

// what a person still reads at a glance
const context = 2
const most = 40
const longLine = 100
const longText = 60
// in one changed region: the time grows with it, and more than `most` are not shown
const maxEdits = 100

/** A line of a printed value: how deep it is, and the path of what it is in. */
interface Line {
  readonly text: string
  readonly depth: number
  readonly at: string
}

interface Marked extends Line {
  readonly mark: " " | "-" | "+"
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && (Array.isArray(value) || Object.keys(value).length > 0)

const word = /^[A-Za-z_$][\w$]*$/u

/** A value as lines without commas, so that nothing differs but what does; `like` says in which order fields come. */
const printed = (value: unknown, like?: unknown): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const above = new Set<unknown>()
  const print = (value: unknown, like: unknown, label: string, depth: number, at: string, path: string): void => {
    if (!isTree(value) || above.has(value)) {
      const text = above.has(value) ? "(itself)" : typeof value === "string" ? JSON.stringify(value) : show(value)
      lines.push({ text: label + text, depth, at })
      return
    }
    above.add(value)
    const isList = Array.isArray(value)
    const order = isTree(like) ? Object.keys(like).filter((key) => Object.hasOwn(value, key)) : []
    lines.push({ text: `${label}${isList ? "[" : "{"}`, depth, at })
    for (const key of isList ? Object.keys(value) : new Set([...order, ...Object.keys(value)])) {
      const name = word.test(key) ? key : JSON.stringify(key)
      const other = isTree(like) ? like[key] : undefined
      print(value[key], other, isList ? "" : `${name}: `, depth + 1, path, path + step(key, isList))
    }
    lines.push({ text: isList ? "]" : "}", depth, at })
    above.delete(value)
  }
  print(value, like, "", 0, "", "")
  return lines
}

const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff

/** A long line, cut to where it differs from the one that it stands for. */
const narrowed = (text: string, other: string | undefined): string => {
  if (Math.max(text.length, other?.length ?? 0) <= longLine) return text
  if (other === undefined) return text.length > 3 * longLine ? `${text.slice(0, 3 * longLine)}…` : text
  const room = Math.min(text.length, other.length)
  let head = 0
  while (head < room && text[head] === other[head]) head++
  let tail = 0
  while (tail < room - head && text.at(-1 - tail) === other.at(-1 - tail)) tail++
  let from = Math.max(0, head - 30)
  let to = Math.min(text.length, text.length - tail + 30, from + 2 * longLine)
  if (isLowSurrogate(text.charCodeAt(from))) from++
  if (isLowSurrogate(text.charCodeAt(to))) to++
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`
}

const marks = { Equal: " ", Delete: "-", Insert: "+" } as const
const opposite = { Equal: "", Delete: "Insert", Insert: "Delete" }

/** The lines of both in one order; what was deleted stands before what came in its place. */
const merged = (expected: ReadonlyArray<Line>, actual: ReadonlyArray<Line>): ReadonlyArray<Marked> => {
  const isSame = (one: Line, other: Line) => one.text === other.text && one.depth === other.depth
  const edits = TextDiff.diffWith(isSame)(expected, actual, { maxEdits })
  return edits.flatMap(({ _tag, items }, index) => {
    const others = [edits[index + 1], edits[index - 1]].find((edit) => edit?._tag === opposite[_tag])?.items ?? []
    return items.map((line, place) => ({
      ...line,
      mark: marks[_tag],
      text: narrowed(line.text, others[place]?.text)
    }))
  })
}

/** Only what differs and what is around it; where lines are left out it says so, and where in the value it goes on. */
const shortened = (lines: ReadonlyArray<Marked>): ReadonlyArray<string> => {
  const near = new Set<number>()
  for (const [index, { mark }] of lines.entries()) {
    if (mark === " ") continue
    for (let k = index - context; k <= index + context; k++) near.add(k)
  }
  const blocks: Array<Array<Marked>> = []
  let last = -2
  for (const [index, line] of lines.entries()) {
    if (!near.has(index)) continue
    if (index === last + 1) blocks.at(-1)?.push(line)
    else blocks.push([line])
    last = index
  }
  const starts = lines[0]?.at === "" && near.has(0)
  const shown = blocks.flatMap((block, number) => {
    const depth = block.reduce((least, line) => Math.min(least, line.depth), Infinity)
    const outer = block.find((line) => line.depth === depth)?.at ?? ""
    const gap = number === 0 && starts ? [] : [outer === "" ? "  …" : `  … in ${outer}`]
    return [...gap, ...block.map(({ depth: own, mark, text }) => `${mark} ${"  ".repeat(own - depth)}${text}`)]
  })
  return shown.length <= most ? shown : [...shown.slice(0, most), `  … and ${shown.length - most} lines more`]
}

const textLines = (text: string): ReadonlyArray<Line> => text.split("\n").map((text) => ({ text, depth: 0, at: "" }))

const isSameKind = (one: unknown, other: unknown) =>
  isTree(one) && isTree(other) && Array.isArray(one) === Array.isArray(other)

/**
 * The difference of two values that one line each does not show well: two objects or lists, or two texts, one of them
 * long. A line begins with `- ` if it is expected, with `+ ` if it was received, and with `  ` if it is both.
 */
export const diff = (expected: unknown, actual: unknown): ReadonlyArray<string> | undefined => {
  const lines =
    typeof expected === "string" && typeof actual === "string"
      ? [expected, actual].some((text) => text.length > longText || text.includes("\n"))
        ? merged(textLines(expected), textLines(actual))
        : undefined
      : isSameKind(expected, actual)
        ? merged(printed(expected), printed(actual, expected))
        : undefined
  return lines?.some(({ mark }) => mark !== " ") === true ? shortened(lines) : undefined
}
