import { Admission, type ApiKey, type ApiKeys, type KeyUsage } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ErrorResponse from "./ErrorResponse.ts"

const tooMany = (sentence: string, wait_ms: number) =>
  ErrorResponse.make(429, sentence, { "retry-after": String(Math.max(1, Math.ceil(wait_ms / 1000))) })

/** Delay before a key at its limit may retry, because the time when its runs finish is unpredictable. */
const fullRetryAfter_ms = 2000

const day_ms = 86_400_000

/** The 429 of a create over a limit of its key, if it is. `usage` includes that create. */
const overLimit = (
  { limits }: ApiKey,
  of: "runs" | "browsers",
  usage: KeyUsage,
  now_ms: number
): HttpServerResponse.HttpServerResponse | undefined => {
  const most = limits[of]
  if (most !== null && usage[of] > most) {
    return tooMany(`This API key has ${usage[of] - 1} of ${most} ${of} at once`, fullRetryAfter_ms)
  }
  const { usdPerDay } = limits
  if (of === "browsers" || usdPerDay === null || usage.usd < usdPerDay) return undefined
  return tooMany(
    `The runs of this API key cost ${usage.usd.toFixed(2)} of ${usdPerDay.toFixed(2)} USD today`,
    day_ms - (now_ms % day_ms)
  )
}

/** A create exceeds a limit of its key. The engine rolls back its commit. */
class OverLimit extends Data.TaggedError("OverLimit")<{
  readonly answer: HttpServerResponse.HttpServerResponse
}> {}

/** True if another node, or the plain read, has already counted the request for its key. */
export const Counted: Context.Reference<boolean> = Context.Reference("@webagent/server/Counted", {
  defaultValue: () => false
})

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Enforces the limits of keys. */
export const make = (keys: ApiKeys["Service"]) => ({
  /** Counts a request of the key. Answers the 429 of a request over the rate. */
  count: Effect.fnUntraced(function* ({ limits: { requestsPerMinute }, name }: ApiKey) {
    if (requestsPerMinute === null || (yield* Counted)) return undefined
    const wait_ms = yield* Effect.orDie(keys.countRequest(name, requestsPerMinute))
    return wait_ms === 0 ? undefined : tooMany("Too many requests", wait_ms)
  }),

  /** Limits a create. It is counted inside its commit, so that two creates at once cannot both pass. */
  bound: <E, R>(key: ApiKey, of: "runs" | "browsers", create: App<E, R>): App<E, R> => {
    const { browsers, runs, usdPerDay } = key.limits
    if (of === "browsers" ? browsers === null : runs === null && usdPerDay === null) return create
    const admit = Effect.gen(function* () {
      const now_ms = yield* Clock.currentTimeMillis
      const usage = yield* keys.usage(key.name, now_ms - (now_ms % day_ms))
      const answer = overLimit(key, of, usage, now_ms)
      if (answer !== undefined) yield* Effect.die(new OverLimit({ answer }))
    })
    return create.pipe(
      Effect.provideService(Admission, admit),
      Effect.catchDefect((defect) => (defect instanceof OverLimit ? Effect.succeed(defect.answer) : Effect.die(defect)))
    )
  }
})
