import { firstDifference, show, step } from "./Difference.ts"

// what a person still reads at a glance
const context = 2
const most = 40
const longLine = 100
const longText = 60
// of a longer value only the part that differs first is shown
const longest = 50_000

/** A line of a printed value: how deep it is, and the path of what it is in. */
interface Line {
  readonly text: string
  readonly depth: number
  readonly at: string
}

type Mark = " " | "-" | "+"

interface Marked extends Line {
  readonly mark: Mark
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && (Array.isArray(value) || Object.keys(value).length > 0)

const word = /^[A-Za-z_$][\w$]*$/u

/**
 * A value as lines without commas, so that nothing differs but what does; `like` says in which order fields come. Undefined
 * where there would be too many.
 */
const printed = (value: unknown, like: unknown, path: string): ReadonlyArray<Line> | undefined => {
  const lines: Array<Line> = []
  const above = new Set<unknown>()
  const print = (value: unknown, like: unknown, label: string, depth: number, at: string, path: string): void => {
    if (lines.length > longest) return
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
  print(value, like, "", 0, path, path)
  return lines.length > longest ? undefined : lines
}

const isSame = (a: Line | undefined, b: Line | undefined) => a?.text === b?.text && a?.depth === b?.depth

// the table of the longest common subsequence grows with the product
const largest = 1_000_000

/** What both have, what only the expected lines have, and what only the actual ones do, in one order. */
const merged = (expected: ReadonlyArray<Line>, actual: ReadonlyArray<Line>): ReadonlyArray<Marked> => {
  const marked = (lines: ReadonlyArray<Line>, mark: Mark) => lines.map((line): Marked => ({ ...line, mark }))
  let head = 0
  while (head < expected.length && head < actual.length && isSame(expected[head], actual[head])) head++
  let tail = 0
  const room = Math.min(expected.length, actual.length) - head
  while (tail < room && isSame(expected[expected.length - 1 - tail], actual[actual.length - 1 - tail])) tail++

  const a = expected.slice(head, expected.length - tail)
  const b = actual.slice(head, actual.length - tail)
  const middle: Array<Marked> = []
  let [i, j] = [0, 0]
  if (a.length * b.length <= largest) {
    const width = b.length + 1
    const table = new Uint32Array((a.length + 1) * width)
    const common = (i: number, j: number) => table[i * width + j] ?? 0
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = b.length - 1; j >= 0; j--) {
        table[i * width + j] = isSame(a[i], b[j])
          ? common(i + 1, j + 1) + 1
          : Math.max(common(i + 1, j), common(i, j + 1))
      }
    }
    while (i < a.length && j < b.length) {
      if (isSame(a[i], b[j])) {
        middle.push(...marked(b.slice(j++, j), " "))
        i++
      } else if (common(i + 1, j) >= common(i, j + 1)) middle.push(...marked(a.slice(i++, i), "-"))
      else middle.push(...marked(b.slice(j++, j), "+"))
    }
  }
  return [
    ...marked(expected.slice(0, head), " "),
    ...middle,
    ...marked(a.slice(i), "-"),
    ...marked(b.slice(j), "+"),
    ...marked(expected.slice(expected.length - tail), " ")
  ]
}

const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff

/** Two long lines, cut to where they differ. */
const narrowed = (expected: string, actual: string): readonly [string, string] => {
  if (Math.max(expected.length, actual.length) <= longLine) return [expected, actual]
  let head = 0
  while (head < expected.length && expected[head] === actual[head]) head++
  let tail = 0
  const room = Math.min(expected.length, actual.length) - head
  while (tail < room && expected.at(-1 - tail) === actual.at(-1 - tail)) tail++
  const cut = (text: string) => {
    let from = Math.max(0, head - 30)
    let to = Math.min(text.length, text.length - tail + 30, from + 2 * longLine)
    if (isLowSurrogate(text.charCodeAt(from))) from++
    if (isLowSurrogate(text.charCodeAt(to))) to++
    return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`
  }
  return [cut(expected), cut(actual)]
}

/** Lines that stand for each other, cut to where they differ. */
const narrowedAll = (lines: ReadonlyArray<Marked>): ReadonlyArray<Marked> => {
  const all = [...lines]
  const runFrom = (start: number, mark: Mark) => {
    let end = start
    while (all[end]?.mark === mark) end++
    return end - start
  }
  for (let start = 0; start < all.length; start++) {
    const gone = runFrom(start, "-")
    const come = runFrom(start + gone, "+")
    for (let k = 0; k < Math.min(gone, come); k++) {
      const [a, b] = [all[start + k], all[start + gone + k]]
      if (a === undefined || b === undefined) continue
      const [expected, actual] = narrowed(a.text, b.text)
      all[start + k] = { ...a, text: expected }
      all[start + gone + k] = { ...b, text: actual }
    }
    start += gone + come
  }
  return all.map((line) => ({
    ...line,
    text: line.text.length > 3 * longLine ? `${line.text.slice(0, 3 * longLine)}…` : line.text
  }))
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

/** Two objects or lists, or, where they are too long to be shown, the part of them that differs first. */
const trees = (expected: unknown, actual: unknown, path = ""): ReadonlyArray<Marked> => {
  const [a, b] = [printed(expected, undefined, path), printed(actual, expected, path)]
  if (a !== undefined && b !== undefined) return merged(a, b)
  if (isTree(expected) && isTree(actual) && isSameKind(expected, actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      if (firstDifference(actual[key], expected[key]) === undefined) continue
      return trees(expected[key], actual[key], path + step(key, Array.isArray(expected)))
    }
  }
  const line = (value: unknown): Line => ({ text: show(value), depth: 0, at: path })
  return merged([line(expected)], [line(actual)])
}

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
        ? trees(expected, actual)
        : undefined
  return lines?.some(({ mark }) => mark !== " ") === true ? shortened(narrowedAll(lines)) : undefined
}
