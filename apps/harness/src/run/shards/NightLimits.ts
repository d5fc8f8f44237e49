import { counted, duration } from "@webagent/cli/Text"
import * as Money from "@webagent/cli/Money"
import type { Limits, RunReport } from "@webagent/report/RunReport"

type ShardRun = Pick<RunReport, "header">

/** The limits of a whole night that may be given where its shards are put together. */
export type TotalLimits = Pick<Limits, "time_ms" | "cost_usd" | "requests">

/** A limit that every shard has, brought together; undefined where one has none. */
const ofAll = <A extends string | number>(
  shards: ReadonlyArray<ShardRun>,
  of: (limits: Limits) => A | undefined,
  together: (one: A, other: A) => A
): A | undefined => {
  const all = shards.flatMap(({ header }) => of(header.limits) ?? [])
  return all.length < shards.length || all.length === 0 ? undefined : all.reduce(together)
}

const plus = (one: number, other: number) => one + other
const more = (one: number, other: number) => Math.max(one, other)
const larger = (one: string, other: string) => (Money.isMore(one, other) ? one : other)

/**
 * The limits of a night: those that are given, else what its shards may spend together, and the longest time that one of
 * them has, as they run side by side. What one shard has no limit of the night has none of.
 */
export const of = (shards: ReadonlyArray<ShardRun>, given: TotalLimits): Limits => {
  const time_ms = given.time_ms ?? ofAll(shards, (limits) => limits.time_ms, more)
  const scenarioTime_ms = ofAll(shards, (limits) => limits.scenarioTime_ms, more)
  const cost_usd =
    given.cost_usd ??
    ofAll(
      shards,
      (limits) => limits.cost_usd,
      (a, b) => Money.sum([a, b])
    )
  const trialBudget_usd = ofAll(shards, (limits) => limits.trialBudget_usd, larger)
  const requests = given.requests ?? ofAll(shards, (limits) => limits.requests, plus)
  const reruns = ofAll(shards, (limits) => limits.reruns, plus)
  const confirm = ofAll(shards, (limits) => limits.confirm, plus)
  const paidConfirm = ofAll(shards, (limits) => limits.paidConfirm, more)
  return {
    ...(time_ms === undefined ? {} : { time_ms }),
    ...(scenarioTime_ms === undefined ? {} : { scenarioTime_ms }),
    ...(cost_usd === undefined ? {} : { cost_usd }),
    ...(trialBudget_usd === undefined ? {} : { trialBudget_usd }),
    ...(requests === undefined ? {} : { requests }),
    ...(reruns === undefined ? {} : { reruns }),
    ...(confirm === undefined ? {} : { confirm }),
    ...(paidConfirm === undefined ? {} : { paidConfirm })
  }
}

/**
 * Which limits of a night its shards have crossed together, a sentence each. Time and requests only where they are given:
 * a shard that reaches its own limit ends what it has begun, and is a little beyond it.
 */
export const crossed = (
  { cost_usd, counts, duration_ms, header }: Pick<RunReport, "cost_usd" | "counts" | "duration_ms" | "header">,
  given: TotalLimits
): ReadonlyArray<string> => {
  const limit_usd = header.limits.cost_usd
  const { requests = Infinity, time_ms = Infinity } = given
  return [
    ...(limit_usd === undefined || !Money.isMore(cost_usd, limit_usd)
      ? []
      : [`the shards cost ${Money.shown(cost_usd)} together, more than the ${Money.shown(limit_usd)} of the night`]),
    ...(counts.requests <= requests
      ? []
      : [`the shards sent ${counted(counts.requests, "request")} together, more than the ${requests} of the night`]),
    ...(duration_ms <= time_ms
      ? []
      : [`the longest shard took ${duration(duration_ms)}, more than the ${duration(time_ms)} of the night`])
  ]
}
