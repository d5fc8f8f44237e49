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

/** What turns do. */
const turns = {
  /** How long a turn is at work. */
  duration: Schema.optionalKey(DurationDistribution),
  /** How long a turn is dispatched before it is at work: a slow start. */
  dispatch: Schema.optionalKey(DurationDistribution),
  /** How often turns end as what, as weights. */
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
  /** What completed turns give, one drawn for each; any JSON. */
  results: Schema.optionalKey(Schema.NonEmptyArray(Schema.Json)),
  /** What failed turns say, one drawn for each. */
  errors: Schema.optionalKey(Schema.NonEmptyArray(Schema.NonEmptyString)),
  /** USD: a start price and one for each minute at work, exact decimals. */
  cost: Schema.optionalKey(Schema.Struct({ start: Schema.optionalKey(Price), perMinute: Schema.optionalKey(Price) })),
  /** How often the agent says that it succeeded when it completed, and when it failed. */
  selfReport: Schema.optionalKey(
    Schema.Struct({ completed: Schema.optionalKey(Share), failed: Schema.optionalKey(Share) })
  ),
  /** v2's judge: how often there is one, and how often it agrees with the outcome. */
  judge: Schema.optionalKey(Schema.Struct({ enabled: Share, agrees: Schema.optionalKey(Share) })),
  /** v2's suggestions: how often there are any, and at most how many. */
  suggestions: Schema.optionalKey(Schema.Struct({ rate: Share, max: Schema.optionalKey(Count) })),
  /** How often a turn goes through a proxy, and how many MB it then sends. */
  proxy: Schema.optionalKey(Schema.Struct({ rate: Share, mb: Megabytes }))
}

/** What sessions and browsers do. */
const sessions = {
  /** The settings of a new session, each as how often it is on. */
  session: Schema.optionalKey(
    Schema.Struct({
      keepAlive: Schema.optionalKey(Share),
      persistMemory: Schema.optionalKey(Share),
      recording: Schema.optionalKey(Share)
    })
  ),
  /** How long a cancelled or interrupted turn takes to let go; the next turn of its session starts after it. */
  letGo: Schema.optionalKey(DurationDistribution),
  /** How long a browser takes to start, and how long until its CDP connections are dropped by themselves. */
  browser: Schema.optionalKey(
    Schema.Struct({
      start: Schema.optionalKey(DurationDistribution),
      dropAfter: Schema.optionalKey(DurationDistribution)
    })
  )
}

/** What the service allows, each API key by itself; more is answered with 429. */
const limits = Schema.Struct({
  /** Turns that are not terminal, over all sessions of a key. */
  concurrentRuns: Schema.optionalKey(Count),
  /** Browsers that are not stopped. */
  concurrentBrowsers: Schema.optionalKey(Count),
  /** Requests a second, refilled steadily, at least one in 1000 s, and how many at once. */
  requestsPerSecond: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0.001))),
  burst: Schema.optionalKey(Count),
  /** What Retry-After says: seconds (unless said otherwise), an HTTP date, one or the other by a draw, or nothing. */
  retryAfter: Schema.optionalKey(Schema.Literals(["seconds", "date", "either", "none"]))
}).check(
  Schema.makeFilter(({ burst, requestsPerSecond }) =>
    burst === undefined || requestsPerSecond !== undefined
      ? undefined
      : { path: ["burst"], issue: "says nothing without requestsPerSecond" }
  )
)

/** How a simulated service behaves. Whatever is missing is as in `instant`; a task's own script goes before it. */
export const Profile = Schema.Struct({
  name: Schema.optionalKey(Schema.NonEmptyString),
  description: Schema.optionalKey(Schema.String),
  ...turns,
  ...sessions,
  limits: Schema.optionalKey(limits),
  /** How long the service thinks about a request before it answers. */
  latency: Schema.optionalKey(DurationDistribution),
  /** Polls of one resource closer together than this are reported as faster than asked. */
  pollInterval: Schema.optionalKey(Span),
  faults: Schema.optionalKey(FaultPlan)
}).annotate({ identifier: "Profile" })

export type Profile = typeof Profile.Type
