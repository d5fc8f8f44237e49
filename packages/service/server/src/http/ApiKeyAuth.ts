import { ApiKeyAuth, UnauthorizedError } from "@webagent/contract"
import { Admission, type ApiKey, ApiKeys, type KeyScope, type KeyUsage, Owner } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { hash, timingSafeEqual } from "node:crypto"
import * as Answer from "./Answer.ts"

// equal lengths, so that the comparison tells nothing about a key, not even its length
const digest = (key: string) => hash("sha256", key, "buffer")

const unknown = new UnauthorizedError({ detail: "Invalid API key" })

/**
 * The owner of a key, if it is one of these. Comparing digests takes the same time however much of a key is right. Keys
 * that were accepted before are found in a map, whose hashes have a random seed.
 */
const among = (apiKeys: ReadonlyArray<string>) => {
  const known = apiKeys.map(digest)
  const owners = new Map<string, string>()
  return (key: string): string | undefined => {
    const owner = owners.get(key)
    if (owner !== undefined || known.length === 0) return owner
    const given = digest(key)
    if (known.filter((one) => timingSafeEqual(one, given)).length === 0) return undefined
    const found = `key:${given.toString("hex").slice(0, 16)}`
    owners.set(key, found)
    return found
  }
}

/** Accepts requests with one of these keys. All others get a 401, before anything else is checked. */
export const layer = (apiKeys: ReadonlyArray<string>): Layer.Layer<ApiKeyAuth> => {
  const ownerOf = among(apiKeys)
  return Layer.succeed(ApiKeyAuth, {
    apiKey: (httpEffect, { credential }) =>
      ownerOf(Redacted.value(credential)) === undefined ? Effect.fail(unknown) : httpEffect
  })
}

/** What a request asks to do. */
interface Operation {
  readonly group: HttpApiGroup.Top
  readonly endpoint: HttpApiEndpoint.Top
}

const scopeOf = ({ endpoint, group }: Operation): KeyScope => {
  if (endpoint.method === "GET") return "read"
  return group.identifier === "browsers" ? "browsers" : "runs"
}

const tooMany = (sentence: string, wait_ms: number) =>
  Answer.detail(429, sentence, { "retry-after": String(Math.max(1, Math.ceil(wait_ms / 1000))) })

/** The end of a run is unknown, so a key at its limit is asked to try again after a while. */
const fullRetryAfter_ms = 2000

const day_ms = 86_400_000

/** The limit that the key's last create exceeds, if any. `usage` includes that create. */
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

/** A create exceeds a limit of its key; the engine undoes its commit. */
class OverLimit extends Data.TaggedError("OverLimit")<{
  readonly answer: HttpServerResponse.HttpServerResponse
}> {}

/** Whether a request was counted among those of its key before it came here. */
export const Counted: Context.Reference<boolean> = Context.Reference("@webagent/server/Counted", {
  defaultValue: () => false
})

const makeManaged = Effect.fnUntraced(function* (apiKeys: ReadonlyArray<string>) {
  const keys = yield* ApiKeys
  const ownerOf = among(apiKeys)

  /** How long the key has to wait for its next request, in milliseconds. */
  const wait_ms = ({ limits: { requestsPerMinute }, name }: ApiKey) =>
    requestsPerMinute === null
      ? Effect.succeed(0)
      : Effect.flatMap(Counted, (isCounted) =>
          isCounted ? Effect.succeed(0) : Effect.orDie(keys.countRequest(name, requestsPerMinute))
        )

  /** Counts inside of the commit, so that two creates at once cannot both pass on the same old count. */
  const limited = <E, R>(
    key: ApiKey,
    of: "runs" | "browsers",
    create: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) =>
    create.pipe(
      Effect.provideService(
        Admission,
        Effect.gen(function* () {
          const now_ms = yield* Clock.currentTimeMillis
          const usage = yield* keys.usage(key.name, now_ms - (now_ms % day_ms))
          const answer = overLimit(key, of, usage, now_ms)
          if (answer !== undefined) yield* Effect.die(new OverLimit({ answer }))
        })
      ),
      Effect.catchDefect((defect) => (defect instanceof OverLimit ? Effect.succeed(defect.answer) : Effect.die(defect)))
    )

  return ApiKeyAuth.of({
    apiKey: (httpEffect, { credential, endpoint, group }) => {
      const secret = Redacted.value(credential)
      const owner = ownerOf(secret)
      if (owner !== undefined) return Effect.provideService(httpEffect, Owner, owner)
      return Effect.gen(function* () {
        // read each time, because another process may revoke the key
        const found = yield* Effect.orDie(keys.find(secret))
        if (Option.isNone(found)) return yield* Effect.fail(unknown)
        const key = found.value
        const scope = scopeOf({ endpoint, group })
        if (!key.scopes.includes(scope)) return Answer.detail(403, `This API key lacks the scope ${scope}`)
        const tooFast_ms = yield* wait_ms(key)
        if (tooFast_ms > 0) return tooMany("Too many requests", tooFast_ms)
        const owned = Effect.provideService(httpEffect, Owner, key.name)
        const { browsers, runs, usdPerDay } = key.limits
        const bound = scope === "browsers" ? browsers !== null : runs !== null || usdPerDay !== null
        return yield* scope !== "read" && endpoint.method === "POST" && bound ? limited(key, scope, owned) : owned
      })
    }
  })
})

/**
 * Accepts requests with a key of the service's `ApiKeys`, within its scopes and limits, or with one of `apiKeys`, which
 * have neither. Each key sees its own records only. A revoked key is refused from the next request on.
 */
export const layerManaged = (apiKeys: ReadonlyArray<string> = []): Layer.Layer<ApiKeyAuth, never, ApiKeys> =>
  Layer.effect(ApiKeyAuth, makeManaged(apiKeys))
