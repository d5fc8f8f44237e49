import { Admission, AdmissionRefused, type ApiKey, type ApiKeys, type KeyUsage } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"

/** Delay before a key at its limit may retry, because the time when its runs finish is unpredictable. */
const fullRetryAfter_ms = 2000

const day_ms = 86_400_000

/** The refusal of a create that exceeds a limit of its key; undefined within the limits. `usage` includes that create. */
const overLimit = (
  { limits }: ApiKey,
  of: "runs" | "browsers",
  usage: KeyUsage,
  now_ms: number
): AdmissionRefused | undefined => {
  const most = limits[of]
  if (most !== null && usage[of] > most) {
    const message = `This API key has ${usage[of] - 1} of ${most} ${of} at once`
    return new AdmissionRefused({ message, retryAfter_ms: fullRetryAfter_ms })
  }
  const { usdPerDay } = limits
  if (of === "browsers" || usdPerDay === null || usage.usd < usdPerDay) return undefined
  const message = `The runs of this API key cost ${usage.usd.toFixed(2)} of ${usdPerDay.toFixed(2)} USD today`
  return new AdmissionRefused({ message, retryAfter_ms: day_ms - (now_ms % day_ms) })
}

/** True if another node, or a fast read, has already counted the request for its key. */
export const Counted: Context.Reference<boolean> = Context.Reference("@webagent/server/Counted", {
  defaultValue: () => false
})

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Enforces the limits of keys. */
export const make = (keys: ApiKeys["Service"]) => ({
  /** Counts a request of the key. Fails above its rate. */
  count: Effect.fnUntraced(function* ({ limits: { requestsPerMinute }, name }: ApiKey) {
    if (requestsPerMinute === null || (yield* Counted)) return
    const wait_ms = yield* keys.countRequest(name, requestsPerMinute)
    if (wait_ms > 0) return yield* new AdmissionRefused({ message: "Too many requests", retryAfter_ms: wait_ms })
  }),

  /** Limits a create. It is counted inside its commit, so that two concurrent creates cannot both pass. */
  bound: <E, R>(key: ApiKey, of: "runs" | "browsers", create: App<E, R>): App<E, R> => {
    const { browsers, runs, usdPerDay } = key.limits
    if (of === "browsers" ? browsers === null : runs === null && usdPerDay === null) return create
    const admit = Effect.gen(function* () {
      const now_ms = yield* Clock.currentTimeMillis
      const usage = yield* keys.usage(key.name, now_ms - (now_ms % day_ms))
      const refusal = overLimit(key, of, usage, now_ms)
      if (refusal !== undefined) return yield* refusal
    })
    return Effect.provideService(create, Admission, admit)
  }
})
