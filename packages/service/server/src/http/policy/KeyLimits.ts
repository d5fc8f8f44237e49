import { Admission, AdmissionRefused, type ApiKey, type ApiKeys, type KeyUsage } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Delay before a key at its limit may retry, because the time when its runs finish is unpredictable. */
const fullRetryAfter_ms = 2000

const day_ms = 86_400_000

/** The ways to get below a limit. */
const remedies = { runs: "Cancel one, wait until one finishes", browsers: "Stop one" } as const

/** The refusal of a create that exceeds a limit of its key; undefined within the limits. `usage` includes that create. */
const overLimit = (
  { limits }: ApiKey,
  of: "runs" | "browsers",
  usage: KeyUsage,
  now_ms: number
): AdmissionRefused | undefined => {
  const most = limits[of]
  if (most !== null && usage[of] > most) {
    const used = usage[of] - 1
    const open = `${most} open ${most === 1 ? of.slice(0, -1) : of}`
    const message = `This API key has reached its limit of ${open}. ${remedies[of]}, or raise the limit`
    return new AdmissionRefused({ message, limit: { of, most, used }, retryAfter_ms: fullRetryAfter_ms })
  }
  const { usdPerDay } = limits
  if (of === "browsers" || usdPerDay === null || usage.usd < usdPerDay) return undefined
  const [cost, cap] = [usage.usd.toFixed(2), usdPerDay.toFixed(2)]
  const message = `This API key's runs have cost ${cost} USD today, and its limit is ${cap} USD per day. Wait until midnight UTC, or raise the limit`
  const limit = { of: "usdPerDay", most: usdPerDay, used: usage.usd } as const
  return new AdmissionRefused({ message, limit, retryAfter_ms: day_ms - (now_ms % day_ms) })
}

/** True if another node, or a fast read, has already counted the request for its key. */
export const Counted: Context.Reference<boolean> = Context.Reference("@webagent/server/Counted", {
  defaultValue: () => false
})

/** Enforces the limits of keys. */
export const make = (keys: ApiKeys["Service"]) => ({
  /** Counts a request of the key. Fails above its rate. */
  count: Effect.fnUntraced(function* ({ limits: { requestsPerMinute }, name }: ApiKey) {
    if (requestsPerMinute === null || (yield* Counted)) return
    const wait_ms = yield* keys.countRequest(name, requestsPerMinute)
    if (wait_ms === 0) return
    const limit = { of: "requestsPerMinute", most: requestsPerMinute, used: requestsPerMinute } as const
    const requests = requestsPerMinute === 1 ? "request" : "requests"
    const message = `This API key has reached its limit of ${requestsPerMinute} ${requests} per minute. Wait, or raise the limit`
    return yield* new AdmissionRefused({ message, limit, retryAfter_ms: wait_ms })
  }),

  /** Limits a create. It is counted inside its commit, so that two concurrent creates cannot both pass. */
  bound: <A, E, R>(key: ApiKey, of: "runs" | "browsers", create: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
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
