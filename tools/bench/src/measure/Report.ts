import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os"
import { join } from "node:path"
import { Mistake } from "./Mistake.ts"
import type { Ratio } from "./Statistics.ts"

/** Options of the command line. */
export interface Options {
  /** Short windows and few rounds: a look, not a figure. */
  readonly quick: boolean
  /** Names of peers; all when empty. */
  readonly peers: ReadonlyArray<string>
  readonly rounds: number | undefined
  /** Time during which a soak starts new work, such as `20m`. */
  readonly duration: string | undefined
  /** The commit to compare with. */
  readonly against: string | undefined
  /** Actions on nodes, and their numbers. */
  readonly chaos: Readonly<
    Record<"kills" | "freezes" | "restarts" | "stalls" | "drains" | "cuts" | "seed", number | undefined> & {
      browsers: string | undefined
      mode: string | undefined
    }
  >
  readonly log: (line: string) => void
}

/** Start of every report: the date, and the machine without any identifying data. */
export interface Heading {
  readonly date: string
  readonly fingerprint: {
    readonly cpu: string
    readonly cores: number
    readonly memory_GB: number
    readonly node: string
    readonly platform: string
    /** The load average of the minute before the bench and of its last minute. */
    readonly loadBefore: number
    readonly loadAfter: number
  }
}

const load = () => Math.round((loadavg()[0] ?? 0) * 100) / 100

/** Runs a bench in a temporary folder and adds the heading to its result. */
export const inFolder = async <A extends object>(measure: (folder: string) => Promise<A>): Promise<Heading & A> => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-bench-"))
  const loadBefore = load()
  try {
    const measured = await measure(folder)
    const fingerprint = {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: availableParallelism(),
      memory_GB: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      loadBefore,
      loadAfter: load()
    }
    return { date: new Date().toISOString().slice(0, 10), fingerprint, ...measured }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The members of a list with these names, in its order; all for no names. */
export const chosen = <A extends { readonly name: string }>(
  all: ReadonlyArray<A>,
  names: ReadonlyArray<string>
): ReadonlyArray<A> => {
  const allNames = all.map(({ name }) => name)
  const unknown = names.find((name) => !allNames.includes(name))
  if (unknown !== undefined) throw new Mistake(`No peer is named "${unknown}". Use one of: ${allNames.join(", ")}.`)
  return all.filter(({ name }) => names.length === 0 || names.includes(name))
}

/** The line above the tables. */
export const headingLine = ({ date, fingerprint }: Heading, details: string): string => {
  const { cores, cpu, loadAfter, loadBefore, memory_GB, node, platform } = fingerprint
  return `${date}: ${cpu}, ${cores} cores, ${memory_GB} GB, Node ${node}, ${platform}; load average ${loadBefore} before and ${loadAfter} after; ${details}.`
}

/** Placeholder in a table for a value that was not measured. */
export const none = "–"

/** A figure with two digits at least. */
export const plain = (figure: number) => (figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(2))).toString()

/** A whole number with its thousands apart. */
export const grouped = (figure: number) => Math.round(figure).toLocaleString("en")

/** `2.1 (2.0 to 2.3)`. */
export const ratioText = (ratio: Ratio | undefined, text: (figure: number) => string = plain): string =>
  ratio === undefined ? none : `${text(ratio.ratio)} (${text(ratio.low)} to ${text(ratio.high)})`

const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

/** The titles of columns for this version, and for the commit of `--against` if there is one. */
export const columns = (against: string | null, ...names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...names,
  ...(against === null ? [] : names.map((name) => `${name}, ${against}`))
]

/** A table of Markdown: the first column is text, the others are numbers. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [line(head), line(head.map((_, column) => (column === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n")

/** The parts of a page, one below the other, without the empty ones. */
export const paragraphs = (...parts: ReadonlyArray<string>) => parts.filter((part) => part !== "").join("\n\n")

/** The document with the text between a bench's markers replaced. */
export const between = (document: string, bench: string, text: string): string => {
  const [opening, closing] = [`<!-- bench:${bench} -->`, `<!-- /bench:${bench} -->`]
  const [start, end] = [document.indexOf(opening), document.indexOf(closing)]
  if (start === -1 || end < start) {
    throw new Mistake(`The document has no place for this: add ${opening} and ${closing} on lines of their own.`)
  }
  return `${document.slice(0, start + opening.length)}\n\n${text}\n\n${document.slice(end)}`
}
