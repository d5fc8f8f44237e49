import * as Schema from "effect/Schema"
import { notLonger, Span } from "./Span.ts"

const Positive = Schema.Finite.check(Schema.isGreaterThan(0))

/** A share from 0 (never) to 1 (always). */
export const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/**
 * The distribution of a duration: constant (`"200ms"`), uniform between two bounds, lognormal around a median with the
 * spread `sigma`, or a Pareto tail from `min` on (heavier for a smaller `alpha`, and at most `max`).
 */
export const DurationDistribution = Schema.Union([
  Span,
  Schema.Struct({ uniform: Schema.Struct({ min: Span, max: Span }).check(notLonger("min", "max")) }),
  Schema.Struct({ lognormal: Schema.Struct({ median: Span, sigma: Positive, max: Schema.optionalKey(Span) }) }),
  Schema.Struct({
    pareto: Schema.Struct({ min: Span, alpha: Positive, max: Span }).check(notLonger("min", "max"))
  })
]).annotate({
  identifier: "DurationDistribution",
  expected: "a length of time such as 200ms, 45 seconds or 30m, or an object with uniform, lognormal or pareto"
})

export type DurationDistribution = typeof DurationDistribution.Type
