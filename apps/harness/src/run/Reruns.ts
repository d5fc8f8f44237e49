import type { NotRerun } from "@webagent/report/NotRerun"
import type { Infra } from "./Infra.ts"

/** Remaining reruns of a whole run. */
export interface Reruns {
  readonly most: number
  used: number
}

/** A budget of reruns. An earlier part of the run may have used some. */
export const make = (most: number, used = 0): Reruns => ({ most, used })

// more of one trial would let the first that meets an outage spend what the others need
const mostOfOne = 2
const base_ms = 1000
const longest_ms = 120_000

/** Decision to run a trial again after a delay, or the reason not to. */
type Decision = { readonly after_ms: number } | { readonly not: NotRerun }

/**
 * Takes one rerun from the budget, if there is one; one after an outage is free. The pause is one second, then two, less up to a half of it by the
 * trial's seed, and at least what the service asks for.
 */
export const take = (reruns: Reruns, before: number, infra: Infra, seed: number, isAway = false): Decision => {
  if (before >= mostOfOne) return { not: { _tag: "FailedAgain", reruns: before } }
  // the whole run has waited for the service: no trial has to pay for that
  if (isAway && reruns.most > 0) return { after_ms: 0 }
  if (reruns.used >= reruns.most) return { not: { _tag: "RerunsUsedUp", reruns: before, limit: reruns.most } }
  const asked_ms = infra.retryAfter_ms ?? 0
  if (asked_ms > longest_ms) return { not: { _tag: "RetryAfter", after_ms: asked_ms } }
  reruns.used += 1
  const share = 0.5 + (seed >>> 0) / 2 ** 33
  return { after_ms: Math.max(asked_ms, base_ms * 2 ** before * share) }
}
