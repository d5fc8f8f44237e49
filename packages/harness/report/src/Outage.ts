import * as Schema from "effect/Schema"

/** A time in which nothing answered at the target: no trial began, and the harness looked until something answered. */
export const Outage = Schema.Struct({
  /** The first request without a response, in UTC. */
  from: Schema.String,
  /** The first response after it, in UTC; null where the run ended before. */
  to: Schema.NullOr(Schema.String),
  /** The reason, such as `connection refused`. */
  why: Schema.String
})
export type Outage = typeof Outage.Type

/** A shorter outage that is over fails no night: a deploy may restart the service. */
const shortest_ms = 60_000

/** Length of an outage; infinite if the run ended before it was over. */
export const length_ms = ({ from, to }: Outage): number => (to === null ? Infinity : Date.parse(to) - Date.parse(from))

/** True if an outage fails the run: it lasted a minute, or continued until the end. */
export const isSerious = (outage: Outage): boolean => length_ms(outage) >= shortest_ms

/** True if an outage and a time span overlap; both ends are milliseconds since 1970. */
export const overlaps = ({ from, to }: Outage, from_ms: number, to_ms: number): boolean =>
  Date.parse(from) <= to_ms && (to === null || from_ms <= Date.parse(to))

/** The outages of several shards in their order in time, those that overlap as one. */
export const together = (outages: ReadonlyArray<Outage>): ReadonlyArray<Outage> => {
  const merged: Array<Outage> = []
  for (const outage of outages.toSorted((one, other) => (one.from < other.from ? -1 : 1))) {
    const last = merged.at(-1)
    if (last === undefined || (last.to !== null && last.to < outage.from)) merged.push(outage)
    else if (last.to !== null && (outage.to === null || outage.to > last.to))
      merged[merged.length - 1] = { ...last, to: outage.to }
  }
  return merged
}

/** The parts of a report that tell what outages made of it. */
interface Run {
  readonly outages?: ReadonlyArray<Outage>
  readonly results: ReadonlyArray<{ readonly trials: ReadonlyArray<unknown> }>
}

/** True if the service was unreachable for the whole run: it has an outage, and no trial. */
export const isWhole = ({ outages = [], results }: Run): boolean =>
  outages.length > 0 && results.every(({ trials }) => trials.length === 0)
