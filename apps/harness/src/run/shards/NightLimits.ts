import * as Money from "@webagent/cli/Money"
import type { ExceededRunLimit } from "@webagent/report/ExceededRunLimit"
import type { Limits, RunReport } from "@webagent/report/RunReport"

type ShardRun = Pick<RunReport, "header">

/** Limits of a whole run that `merge` accepts. */
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
 * The limits of a night: those of `total`, else what its shards may spend together, and the longest time that one of
 * them has, as they run side by side. What one shard has no limit of the night has none of.
 */
export const of = (shards: ReadonlyArray<ShardRun>, total: TotalLimits): Limits => {
  const time_ms = total.time_ms ?? ofAll(shards, (limits) => limits.time_ms, more)
  const scenarioTime_ms = ofAll(shards, (limits) => limits.scenarioTime_ms, more)
  const cost_usd =
    total.cost_usd ??
    ofAll(
      shards,
      (limits) => limits.cost_usd,
      (a, b) => Money.sum([a, b])
    )
  const trialBudget_usd = ofAll(shards, (limits) => limits.trialBudget_usd, larger)
  const requests = total.requests ?? ofAll(shards, (limits) => limits.requests, plus)
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
 * Returns the limits of a run that its shards exceeded together. Time and requests count only if `total` has them, because
 * a shard that reaches its own limit completes its running trials, and ends up a little beyond it.
 */
export const crossed = (
  { cost_usd, counts, duration_ms, header }: Pick<RunReport, "cost_usd" | "counts" | "duration_ms" | "header">,
  total: TotalLimits
): ReadonlyArray<ExceededRunLimit> => {
  const limit_usd = header.limits.cost_usd
  const { requests: limit = Infinity, time_ms: limit_ms = Infinity } = total
  return [
    ...(limit_usd === undefined || !Money.isMore(cost_usd, limit_usd)
      ? []
      : [{ _tag: "Cost", actual_usd: cost_usd, limit_usd } as const]),
    ...(counts.requests <= limit ? [] : [{ _tag: "Requests", actual: counts.requests, limit } as const]),
    ...(duration_ms <= limit_ms ? [] : [{ _tag: "Time", actual_ms: duration_ms, limit_ms } as const])
  ]
}
