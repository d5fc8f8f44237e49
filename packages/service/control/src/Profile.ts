import { DecimalString } from "@webagent/contract"
import * as Schema from "effect/Schema"
import { DurationDistribution, Share } from "./Distribution.ts"
import { FaultPlan } from "./FaultPlan.ts"
import { Span } from "./Span.ts"

const Price = DecimalString.check(
  Schema.makeFilter((amount: string) => !amount.startsWith("-"), { expected: "a price in USD that is not negative" })
)
const Weight = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const Megabytes = Schema.Struct({ min: Weight, max: Weight }).check(
  Schema.makeFilter(({ max, min }) => (min <= max ? undefined : { path: ["min"], issue: "is more than max" }))
)

/** The behavior of turns. */
const turns = {
  /** Running time of a turn. */
  duration: Schema.optionalKey(DurationDistribution),
  /** Time from dispatch until a turn runs: a slow start. */
  dispatch: Schema.optionalKey(DurationDistribution),
  /** Weights of the outcomes of turns. */
  outcomes: Schema.optionalKey(
    Schema.Struct({
      completed: Schema.optionalKey(Weight),
      failed: Schema.optionalKey(Weight),
      cancelled: Schema.optionalKey(Weight)
    }).check(
      Schema.makeFilter(({ cancelled = 0, completed = 0, failed = 0 }) =>
        cancelled + completed + failed > 0 ? undefined : { path: [], issue: "needs one weight that is more than 0" }
      )
    )
  ),
  /** Results of completed turns, drawn for each; any JSON. */
  results: Schema.optionalKey(Schema.NonEmptyArray(Schema.Json)),
  /** Errors of failed turns, drawn for each. */
  errors: Schema.optionalKey(Schema.NonEmptyArray(Schema.NonEmptyString)),
  /** USD: a start price and one for each minute at work, exact decimals. */
  cost: Schema.optionalKey(Schema.Struct({ start: Schema.optionalKey(Price), perMinute: Schema.optionalKey(Price) })),
  /** Share of turns in which the agent reports success: of completed ones, and of failed ones. */
  selfReport: Schema.optionalKey(
    Schema.Struct({ completed: Schema.optionalKey(Share), failed: Schema.optionalKey(Share) })
  ),
  /** v2's judge: how often there is one, and how often it agrees with the outcome. */
  judge: Schema.optionalKey(Schema.Struct({ enabled: Share, agrees: Schema.optionalKey(Share) })),
  /** v2's suggestions: how often there are any, and at most how many. */
  suggestions: Schema.optionalKey(Schema.Struct({ rate: Share, max: Schema.optionalKey(Count) })),
  /** Share of turns that use a proxy, and the MB that each sends. */
  proxy: Schema.optionalKey(Schema.Struct({ rate: Share, mb: Megabytes }))
}

/** The behavior of sessions and browsers. */
const sessions = {
  /** The settings of a new session, each as how often it is on. */
  session: Schema.optionalKey(
    Schema.Struct({
      keepAlive: Schema.optionalKey(Share),
      persistMemory: Schema.optionalKey(Share),
      recording: Schema.optionalKey(Share)
    })
  ),
  /** Time until a cancelled or interrupted turn releases its session; only then does the next turn start. */
  letGo: Schema.optionalKey(DurationDistribution),
  /** Start time of a browser, and time until its CDP connections drop by themselves. */
  browser: Schema.optionalKey(
    Schema.Struct({
      start: Schema.optionalKey(DurationDistribution),
      dropAfter: Schema.optionalKey(DurationDistribution)
    })
  )
}

/** Limits per API key; requests above them get a 429. */
const limits = Schema.Struct({
  /** Turns that are not terminal, over all sessions of a key. */
  concurrentRuns: Schema.optionalKey(Count),
  /** Browsers that are not stopped. */
  concurrentBrowsers: Schema.optionalKey(Count),
  /** Requests a second, refilled steadily, at least one in 1000 s, and how many at once. */
  requestsPerSecond: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0.001))),
  burst: Schema.optionalKey(Count),
  /** Format of Retry-After: seconds (default), an HTTP date, either one at random, or no header. */
  retryAfter: Schema.optionalKey(Schema.Literals(["seconds", "date", "either", "none"]))
}).check(
  Schema.makeFilter(({ burst, requestsPerSecond }) =>
    burst === undefined || requestsPerSecond !== undefined
      ? undefined
      : { path: ["burst"], issue: "says nothing without requestsPerSecond" }
  )
)

/** The behavior of a simulated service. Missing fields are as in `instant`; a task's own script takes precedence. */
export const Profile = Schema.Struct({
  name: Schema.optionalKey(Schema.NonEmptyString),
  description: Schema.optionalKey(Schema.String),
  ...turns,
  ...sessions,
  limits: Schema.optionalKey(limits),
  /** Time until the service responds to a request. */
  latency: Schema.optionalKey(DurationDistribution),
  /** Polls of one resource closer together than this are reported as faster than asked. */
  pollInterval: Schema.optionalKey(Span),
  faults: Schema.optionalKey(FaultPlan)
}).annotate({ identifier: "Profile" })

export type Profile = typeof Profile.Type
