/** Times in which freezes, kills and outages delay the work of a node, so that its records are late. */
import type { Hit } from "./Oracle.ts"

/** Events outside of the queue that delay launches. */
export interface Disturbances {
  readonly hits: ReadonlyArray<Hit>
  readonly outages: ReadonlyArray<{ readonly from_ms: number; readonly until_ms: number }>
}

/** A part of the time. */
interface Part {
  readonly from_ms: number
  readonly until_ms: number
}

/** The disturbed times of a node. */
export interface DisturbedTimes {
  /** The first moment at which a step may have been taken whose record has this time. */
  readonly earliest: (at_ms: number) => number
  /** The last moment by which a step has taken effect whose record has this time. */
  readonly latest: (at_ms: number) => number
  /** The parts of this time in which no commit was delayed. */
  readonly calmParts: (from_ms: number, until_ms: number) => ReadonlyArray<Part>
}

/**
 * Time that commits take longer after an outage or a freeze. It's also the longest time for which a frozen node can hold
 * a lock that others wait for.
 */
export const recovery_ms = 3000

/** Makes the disturbed times of a node. A node that is lost takes no further steps under this id. */
export const makeDisturbedTimes = ({ hits, outages }: Disturbances, node: string): DisturbedTimes => {
  const isOwn = ({ name }: Hit) => node.startsWith(`${name}.`)
  const partOf = (from_ms: number, until_ms = from_ms): Part => ({ from_ms, until_ms: until_ms + recovery_ms })
  const sorted = (parts: ReadonlyArray<Part>) => parts.toSorted((left, right) => left.from_ms - right.from_ms)
  // a commit that fails is retried, and its record has the time of the last attempt
  const retried = sorted([
    ...hits.filter(isOwn).map(({ at_ms, thawedAt_ms }) => partOf(at_ms, thawedAt_ms)),
    ...outages.map(({ from_ms, until_ms }) => partOf(from_ms, until_ms))
  ])
  const delayed = sorted([...retried, ...hits.map(({ at_ms }) => partOf(at_ms))])
  return {
    earliest: (at_ms) =>
      retried.reduceRight(
        (time_ms, { from_ms, until_ms }) => (from_ms <= time_ms && time_ms <= until_ms ? from_ms : time_ms),
        at_ms
      ),
    latest: (at_ms) =>
      retried.reduce(
        (time_ms, { from_ms, until_ms }) => (from_ms <= time_ms && time_ms <= until_ms ? until_ms : time_ms),
        at_ms
      ),
    calmParts: (from_ms, until_ms) => {
      const parts: Array<Part> = []
      let calmFrom_ms = from_ms
      for (const part of delayed) {
        if (part.until_ms < calmFrom_ms || part.from_ms > until_ms) continue
        if (part.from_ms > calmFrom_ms) parts.push({ from_ms: calmFrom_ms, until_ms: part.from_ms })
        calmFrom_ms = part.until_ms
      }
      return calmFrom_ms < until_ms ? [...parts, { from_ms: calmFrom_ms, until_ms }] : parts
    }
  }
}
