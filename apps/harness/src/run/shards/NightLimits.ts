import * as Money from "@webagent/cli/Money"
import { defined } from "@webagent/cli/Defined"
import type { ExceededRunLimit } from "@webagent/report/ExceededRunLimit"
import type { Limits, RunReport } from "@webagent/report/RunReport"

type ShardRun = Pick<RunReport, "header">

/** Limits of a whole run that `merge` accepts. */
export type TotalLimits = Pick<Limits, "time_ms" | "cost_usd" | "requests">

/** A limit that every shard has, brought together; undefined where one has none. */
const ofAll = <A extends string | number>(
  shards: ReadonlyArray<ShardRun>,
  of: (limits: Limits) => A | undefined,
  combine: (one: A, other: A) => A
): A | undefined => {
  const all = shards.flatMap(({ header }) => of(header.limits) ?? [])
  return all.length < shards.length || all.length === 0 ? undefined : all.reduce(combine)
}

const plus = (one: number, other: number) => one + other
const more = (one: number, other: number) => Math.max(one, other)
const larger = (one: string, other: string) => (Money.isMore(one, other) ? one : other)
const together = (one: string, other: string) => Money.sum([one, other])

/**
 * The limits of a night: those of `total`, else what its shards may spend together, and the longest time that one of
 * them has, as they run side by side. What one shard has no limit of the night has none of.
 */
export const of = (shards: ReadonlyArray<ShardRun>, total: TotalLimits): Limits =>
  defined({
    time_ms: total.time_ms ?? ofAll(shards, ({ time_ms }) => time_ms, more),
    scenarioTime_ms: ofAll(shards, ({ scenarioTime_ms }) => scenarioTime_ms, more),
    cost_usd: total.cost_usd ?? ofAll(shards, ({ cost_usd }) => cost_usd, together),
    trialBudget_usd: ofAll(shards, ({ trialBudget_usd }) => trialBudget_usd, larger),
    requests: total.requests ?? ofAll(shards, ({ requests }) => requests, plus),
    reruns: ofAll(shards, ({ reruns }) => reruns, plus),
    confirm: ofAll(shards, ({ confirm }) => confirm, plus),
    paidConfirm: ofAll(shards, ({ paidConfirm }) => paidConfirm, more)
  })

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
