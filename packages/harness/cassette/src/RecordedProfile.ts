import type { Profile } from "@webagent/control"
import * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import type { Cassette, Exchange } from "./Cassette.ts"

type Fields = Readonly<Record<string, unknown>>

/** Every object of an answer that says of itself when it began and when it ended. */
const turnsIn = (value: Schema.Json): ReadonlyArray<Fields> => {
  if (typeof value !== "object" || value === null) return []
  if (Array.isArray(value)) return value.flatMap((one: Schema.Json) => turnsIn(one))
  const inner = Object.values(value).flatMap((one) => turnsIn(one as Schema.Json))
  return "id" in value && "createdAt" in value && "finishedAt" in value ? [value, ...inner] : inner
}

const outcomes: Readonly<Record<string, "completed" | "failed" | "cancelled">> = {
  completed: "completed",
  finished: "completed",
  failed: "failed",
  cancelled: "cancelled",
  stopped: "cancelled"
}

const timeOf = (text: unknown): number | undefined => {
  if (typeof text !== "string") return undefined
  // v2's times have no zone and are UTC
  const time = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/iu.test(text) ? text : `${text}Z`)
  return Number.isNaN(time) ? undefined : time
}

const between = (from: unknown, to: unknown): ReadonlyArray<number> => {
  const [begin, end] = [timeOf(from), timeOf(to)]
  return begin === undefined || end === undefined || end < begin ? [] : [end - begin]
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0

/** A lognormal through what was measured; one length where there are too few to tell a spread. */
const distributionOf = (lengths_ms: ReadonlyArray<number>) => {
  const sorted = lengths_ms.map((length) => Math.max(length, 1)).toSorted((a, b) => a - b)
  const median = Duration.millis(Math.round(quantile(sorted, 0.5)))
  const logs = sorted.map((length) => Math.log(length))
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const sigma = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / Math.max(1, logs.length - 1))
  if (sorted.length < 5 || sigma < 0.01) return median
  return {
    lognormal: { median, sigma: Number(sigma.toFixed(3)), max: Duration.millis(Math.round(sorted.at(-1) ?? 1)) }
  }
}

const most = 20

const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
  [...new Map(values.map((value) => [JSON.stringify(value), value])).values()].slice(0, most)

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

const some = <A>(values: ReadonlyArray<A>): readonly [A, ...Array<A>] | undefined => {
  const [first, ...rest] = values
  return first === undefined ? undefined : [first, ...rest]
}

const jsonOf = ({ got }: Exchange): ReadonlyArray<Schema.Json> => (got !== undefined && "json" in got ? [got.json] : [])

/**
 * A profile that behaves as a recorded service did: how long turns and browsers took, how they ended, what they gave and
 * cost. Undefined where the cassette has no turn that ended.
 */
export const of = ({ exchanges, target }: Cassette, name: string): Profile | undefined => {
  // the last that was seen of each: v2, v3 and v4 may show the same one
  const turns = [
    ...new Map(
      exchanges
        .flatMap(jsonOf)
        .flatMap(turnsIn)
        .map((turn) => [String(turn["id"]), turn])
    ).values()
  ].filter(({ status }) => isText(status) && outcomes[status] !== undefined)
  if (turns.length === 0) return undefined
  const outcomeOf = ({ status }: Fields) => outcomes[String(status)]
  const counts = Map.groupBy(turns, outcomeOf)
  const duration = turns.flatMap(({ finishedAt, startedAt }) => between(startedAt, finishedAt))
  const dispatch = turns.flatMap(({ createdAt, startedAt }) => between(createdAt, startedAt))
  const starts = exchanges
    .filter(({ method, path, status }) => method === "POST" && path === "/api/v4/browsers" && status < 300)
    .map(({ took_ms }) => took_ms)
  const latency = exchanges.filter(({ method }) => method === "GET").map(({ took_ms }) => took_ms)
  const results = some(
    distinct(
      (counts.get("completed") ?? []).flatMap(({ output, result }): ReadonlyArray<Schema.Json> => {
        const value = result ?? output
        return value === undefined || value === null ? [] : [value as Schema.Json]
      })
    )
  )
  const errors = some(distinct((counts.get("failed") ?? []).map(({ error }) => error).filter(isText)))
  const costs = turns.flatMap(({ cost }) => (isText(cost) && Number(cost) >= 0 ? [Number(cost)] : []))
  return {
    name,
    description: `As ${target} behaved in ${turns.length === 1 ? "one recorded turn" : `${turns.length} recorded turns`}.`,
    ...(duration.length === 0 ? {} : { duration: distributionOf(duration) }),
    ...(dispatch.length === 0 ? {} : { dispatch: distributionOf(dispatch) }),
    outcomes: {
      completed: counts.get("completed")?.length ?? 0,
      failed: counts.get("failed")?.length ?? 0,
      cancelled: counts.get("cancelled")?.length ?? 0
    },
    ...(results === undefined ? {} : { results }),
    ...(errors === undefined ? {} : { errors }),
    ...(costs.length === 0
      ? {}
      : {
          cost: {
            start: quantile(
              costs.toSorted((a, b) => a - b),
              0.5
            )
              .toFixed(6)
              .replace(/\.?0+$/u, "")
          }
        }),
    ...(starts.length === 0 ? {} : { browser: { start: distributionOf(starts) } }),
    ...(latency.length === 0 ? {} : { latency: distributionOf(latency) })
  }
}
