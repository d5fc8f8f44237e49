import { ApiKeyAuth, UnauthorizedError } from "@webagent/contract"
import { ApiKeys, type KeyScope, Owner } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { hash, timingSafeEqual } from "node:crypto"
import { isRefusal } from "../../api/Refusal.ts"
import * as RefusalResponse from "./RefusalResponse.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as KeyLimits from "./KeyLimits.ts"
import * as RequestFacts from "./RequestFacts.ts"

// digests have equal lengths, so the comparison does not reveal the length of a key
const digest = (key: string) => hash("sha256", key, "buffer")

const unknown = new UnauthorizedError({ detail: "Invalid API key" })

/**
 * Finds the owner of a key among these keys. A comparison of digests takes the same time however much of a key is right.
 * A map remembers accepted keys; its hashes have a random seed, so timing reveals nothing either.
 */
const among = (apiKeys: ReadonlyArray<string>) => {
  const digests = apiKeys.map(digest)
  const owners = new Map<string, string>()
  return (key: string): string | undefined => {
    const owner = owners.get(key)
    if (owner !== undefined || digests.length === 0) return owner
    const sent = digest(key)
    if (digests.filter((one) => timingSafeEqual(one, sent)).length === 0) return undefined
    const name = `key:${sent.toString("hex").slice(0, 16)}`
    owners.set(key, name)
    return name
  }
}

/** Accepts requests with one of these keys. All others get a 401 before any other check. */
export const layer = (apiKeys: ReadonlyArray<string>): Layer.Layer<ApiKeyAuth> => {
  const ownerOf = among(apiKeys)
  return Layer.succeed(ApiKeyAuth, {
    apiKey: (httpEffect, { credential }) => {
      const owner = ownerOf(Redacted.value(credential))
      return owner === undefined ? Effect.fail(unknown) : RequestFacts.noteKey(owner, httpEffect)
    }
  })
}

/** The operation of a request, for the check of its key. */
export interface Operation {
  readonly group: HttpApiGroup.Top
  readonly endpoint: HttpApiEndpoint.Top
}

/** An operation of an API, by its name. The type drops its schemas, which the check does not read. */
export const operationOf = <Group extends HttpApiGroup.Constraint>(
  group: Group,
  name: keyof Group["endpoints"] & string
): Operation => ({
  group: group as HttpApiGroup.Constraint as HttpApiGroup.Top,
  endpoint: group.endpoints[name] as HttpApiEndpoint.Top
})

const scopeOf = ({ endpoint, group }: Operation): KeyScope => {
  if (endpoint.method === "GET") return "read"
  return group.identifier === "browsers" ? "browsers" : "runs"
}

const makeManaged = Effect.fnUntraced(function* (apiKeys: ReadonlyArray<string>) {
  const keys = yield* ApiKeys
  const ownerOf = among(apiKeys)

  const limits = KeyLimits.make(keys)

  /** Finds a key, checks its scope and counts the request. Returns the response instead if the key lacks the scope. */
  const accept = Effect.fnUntraced(function* (secret: string, scope: KeyScope) {
    // read each time, because another process may revoke the key
    const key = Option.getOrUndefined(yield* keys.find(secret))
    if (key === undefined) return yield* unknown
    yield* RequestFacts.noteKey(key.name, Effect.void)
    if (!key.scopes.includes(scope)) return ErrorResponse.make(403, `This API key lacks the scope ${scope}`)
    yield* limits.count(key)
    return key
  })

  return ApiKeyAuth.of({
    apiKey: (httpEffect, { credential, endpoint, group }) => {
      const secret = Redacted.value(credential)
      const owner = ownerOf(secret)
      if (owner !== undefined) return RequestFacts.noteKey(owner, Effect.provideService(httpEffect, Owner, owner))
      const scope = scopeOf({ endpoint, group })
      return Effect.matchEffect(accept(secret, scope), {
        onFailure: (error) => (isRefusal(error) ? Effect.succeed(RefusalResponse.make(error)) : Effect.fail(error)),
        onSuccess: (accepted) => {
          if (HttpServerResponse.isHttpServerResponse(accepted)) return Effect.succeed(accepted)
          const owned = Effect.provideService(httpEffect, Owner, accepted.name)
          return scope !== "read" && endpoint.method === "POST" ? limits.bound(accepted, scope, owned) : owned
        }
      })
    }
  })
})

/**
 * Accepts requests with a key of the service's `ApiKeys`, within its scopes and limits, or with one of `apiKeys`, which
 * have no scopes or limits. Each key sees only its own records. A revoked key is refused from the next request on.
 */
export const layerManaged = (apiKeys: ReadonlyArray<string> = []): Layer.Layer<ApiKeyAuth, never, ApiKeys> =>
  Layer.effect(ApiKeyAuth, makeManaged(apiKeys))
