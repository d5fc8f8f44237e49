import type { Finding } from "@webagent/control"

/** Number of findings in a verdict. */
export const shown = 20

/** Number of rows that a finding names. */
const shownRows = 10

interface Kept {
  readonly finding: Finding
  readonly seqs: Array<number>
  times: number
}

/** Findings of an oracle: all are counted, and the first ones kept. */
export interface Findings {
  /** Adds one; those on the same matter are one finding that happened several times. */
  readonly add: (matter: string, finding: Finding) => void
  readonly count: () => number
  readonly list: () => ReadonlyArray<Finding>
}

/** Nothing found yet. */
export const make = (): Findings => {
  const kept = new Map<string, Kept>()
  let count = 0
  return {
    add: (matter, finding) => {
      count++
      const existing = kept.get(matter)
      if (existing !== undefined) {
        existing.times++
        for (const seq of finding.seqs) {
          if (existing.seqs.length < shownRows && !existing.seqs.includes(seq)) existing.seqs.push(seq)
        }
      } else if (kept.size < shown) {
        kept.set(matter, { finding, seqs: [...finding.seqs], times: 1 })
      }
    },
    count: () => count,
    list: () =>
      [...kept.values()].map(({ finding, seqs, times }) => ({
        ...finding,
        seqs: [...seqs],
        sentence: times === 1 ? finding.sentence : `${finding.sentence.replace(/\.$/u, "")}, ${times} times.`
      }))
  }
}

/** `1 run`, `2 runs`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** A length of time for people: `40 ms`, `1.5 s`, `4 min`. */
export const lasted = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 60_000)} min`
