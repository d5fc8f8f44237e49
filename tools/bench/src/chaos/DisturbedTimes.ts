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
  /** The first moment at which a step may have begun that was stored at this time. */
  readonly earliest: (at_ms: number) => number
  /** The last moment by which a step has taken effect that was stored at this time. */
  readonly latest: (at_ms: number) => number
  /** The parts of this time that nothing disturbed. */
  readonly calmParts: (from_ms: number, until_ms: number) => ReadonlyArray<Part>
}

/** Time that commits take longer after an outage, or while a frozen node holds a lock. */
export const recovery_ms = 3000

/** Time after which a node without heartbeats is declared lost, and another one takes over. */
const takeover_ms = 5500

export const makeDisturbedTimes = ({ hits, outages }: Disturbances, node: string): DisturbedTimes => {
  const disturbed = [
    ...hits.map(({ at_ms, name, thawedAt_ms = at_ms }) =>
      node.startsWith(`${name}.`)
        ? { from_ms: at_ms, until_ms: thawedAt_ms + takeover_ms }
        : { from_ms: at_ms, until_ms: at_ms + recovery_ms }
    ),
    ...outages.map(({ from_ms, until_ms }) => ({ from_ms, until_ms: until_ms + recovery_ms }))
  ].toSorted((left, right) => left.from_ms - right.from_ms)
  return {
    earliest: (at_ms) =>
      disturbed.reduceRight(
        (time_ms, { from_ms, until_ms }) => (from_ms <= time_ms && time_ms <= until_ms ? from_ms : time_ms),
        at_ms
      ),
    latest: (at_ms) =>
      disturbed.reduce(
        (time_ms, { from_ms, until_ms }) => (from_ms <= time_ms && time_ms <= until_ms ? until_ms : time_ms),
        at_ms
      ),
    calmParts: (from_ms, until_ms) => {
      const parts: Array<Part> = []
      let calmFrom_ms = from_ms
      for (const part of disturbed) {
        if (part.until_ms < calmFrom_ms || part.from_ms > until_ms) continue
        if (part.from_ms > calmFrom_ms) parts.push({ from_ms: calmFrom_ms, until_ms: part.from_ms })
        calmFrom_ms = part.until_ms
      }
      return calmFrom_ms < until_ms ? [...parts, { from_ms: calmFrom_ms, until_ms }] : parts
    }
  }
}
