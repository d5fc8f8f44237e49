import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { FaultPlan } from "./FaultPlan.ts"
import { Profile } from "./Profile.ts"
import { Span } from "./Span.ts"

/** A value whose times may be written as text, such as `"2 seconds"` or `"200ms"`, or in milliseconds. */
export type Plain<A> = A extends Duration.Duration
  ? A | string | number
  : A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Plain<Item>>
    : A extends object
      ? { readonly [Key in keyof A]: Plain<A[Key]> }
      : A

const write = Schema.encodeOption(Span)

/** The fields of faults and profiles that are times. A share or a count beside them is a number, too. */
const times: ReadonlySet<string> = new Set(
  "retryAfter for lag by from until pollInterval duration dispatch letGo start dropAfter latency min max median".split(
    " "
  )
)

/** Writes the times of a fault plan or a profile as a file has them. What is no time is left for the check. */
const written = (value: unknown, name = ""): unknown => {
  if (Duration.isDuration(value)) return Option.getOrElse(write(value), () => value)
  if (typeof value === "number" && times.has(name)) return `${value} millis`
  if (Array.isArray(value)) return value.map((item) => written(item))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, written(field, key)]))
}

/** The options of a service whose faults and profile may have plain times. */
interface PlainOptions {
  readonly faults?: Plain<FaultPlan>
  readonly profile?: string | Plain<Profile>
}

/** Writes the times of the options as a file has them, so that they can be checked. */
export const writtenOptions = <Options extends PlainOptions>(options: Options): Options => ({
  ...options,
  ...(options.faults === undefined ? {} : { faults: written(options.faults) }),
  ...(options.profile === undefined ? {} : { profile: written(options.profile) })
})

/** Reads a checked fault plan. */
export const faultsOf = (plan: Plain<FaultPlan>): FaultPlan => Schema.decodeUnknownSync(FaultPlan)(written(plan))

/** Reads a checked profile, or the name of a preset. */
export const profileOf = (profile: string | Plain<Profile>): string | Profile =>
  typeof profile === "string" ? profile : Schema.decodeUnknownSync(Profile)(written(profile))

/** Returns a length of time. Throws a TypeError with an example if it's none. */
export const spanOf = (by: Plain<Duration.Duration>): Duration.Duration => {
  const span = Schema.decodeUnknownOption(Span)(written(by, "by"))
  if (Option.isSome(span)) return span.value
  throw new TypeError(`advance needs a length of time, such as "30 minutes" or 5000 (milliseconds); got ${String(by)}.`)
}
