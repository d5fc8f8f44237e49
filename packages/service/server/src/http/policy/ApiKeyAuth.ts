import { ApiKeyAuth, UnauthorizedError } from "@webagent/contract"
import { type ApiKey, ApiKeys, type KeyScope, Owner } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { hash, timingSafeEqual } from "node:crypto"
import { Caller, Callers, type CallersService, type Use } from "../../api/Caller.ts"
import { isRefusal } from "../../api/Refusal.ts"
import * as RefusalResponse from "./RefusalResponse.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as FailedKeys from "./FailedKeys.ts"
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

/** Finds the caller with a key that was given to the server. */
const givenCaller = (apiKeys: ReadonlyArray<string>, adminKeys: ReadonlyArray<string>, hasOwners: boolean) => {
  const ownerOf = among(apiKeys)
  const adminOf = among(adminKeys)
  return (secret: string): Caller | undefined => {
    const admin = adminOf(secret)
    const name = admin ?? ownerOf(secret)
    return name === undefined
      ? undefined
      : { name, isAdmin: admin !== undefined, owner: hasOwners ? name : null, key: null }
  }
}

/**
 * Accepts requests with one of these keys. All others get a 401 before any other check. Records have no owners, so every
 * key sees all of them.
 *
 * @param adminKeys Those that may also use all operations of the admin API.
 */
export const layer = (
  apiKeys: ReadonlyArray<string>,
  adminKeys: ReadonlyArray<string> = []
): Layer.Layer<ApiKeyAuth> => {
  const callerOf = givenCaller(apiKeys, adminKeys, false)
  const check = Layer.succeed(ApiKeyAuth, {
    apiKey: (httpEffect, { credential }) => {
      const caller = callerOf(Redacted.value(credential))
      return caller === undefined
        ? Effect.fail(unknown)
        : RequestFacts.noteKey(caller.name, Effect.provideService(httpEffect, Caller, caller))
    }
  })
  const callers = Layer.succeed(Callers, {
    as: (_, { app }) => app,
    find: (secret) => {
      const caller = callerOf(secret)
      return caller === undefined ? Effect.fail(unknown) : RequestFacts.noteKey(caller.name, Effect.succeed(caller))
    }
  })
  return Layer.merge(check, callers)
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

/** The scope that an operation needs. */
export const scopeOf = ({ endpoint, group }: Operation): KeyScope => {
  if (endpoint.method === "GET") return "read"
  return group.identifier === "browsers" ? "browsers" : "runs"
}

/** The response to a key that lacks a scope. */
export const lacksScope = (scope: KeyScope) => ErrorResponse.make(403, `This API key lacks the scope ${scope}`)

/** Runs operations within the scopes and limits of their keys. */
const makeWithin = (keys: ApiKeys["Service"]) => {
  const limits = KeyLimits.make(keys)
  return <E, R>(key: ApiKey, { app, method, scope }: Use<E, R>): Use<E, R>["app"] => {
    if (!key.scopes.includes(scope) && !key.scopes.includes("admin")) return Effect.succeed(lacksScope(scope))
    return Effect.matchEffect(limits.count(key), {
      // a refusal of the operation itself is handled elsewhere: another node may have room
      onFailure: (refusal) => Effect.succeed(RefusalResponse.make(refusal)),
      onSuccess: () =>
        (scope === "runs" || scope === "browsers") && method === "POST" ? limits.bound(key, scope, app) : app
    })
  }
}

const makeManaged = Effect.fnUntraced(function* (apiKeys: ReadonlyArray<string>, adminKeys: ReadonlyArray<string>) {
  const keys = yield* ApiKeys
  const callerOf = givenCaller(apiKeys, adminKeys, true)
  const within = makeWithin(keys)
  const countFailure = FailedKeys.make()

  const find = Effect.fnUntraced(function* (secret: string) {
    const given = callerOf(secret)
    if (given !== undefined) return yield* RequestFacts.noteKey(given.name, Effect.succeed(given))
    // read each time, because another process may revoke the key
    const key = Option.getOrUndefined(yield* keys.find(secret))
    if (key === undefined) {
      yield* countFailure(secret)
      return yield* unknown
    }
    const { name } = key
    const caller: Caller = { name, isAdmin: key.scopes.includes("admin"), owner: name, key }
    return yield* RequestFacts.noteKey(name, Effect.succeed(caller))
  })

  const as: CallersService["as"] = ({ key, owner }, use) => {
    const app = Effect.provideService(use.app, Owner, owner)
    return key === null ? app : within(key, { ...use, app })
  }

  const check = ApiKeyAuth.of({
    apiKey: (app, { credential, endpoint, group }) =>
      Effect.matchEffect(find(Redacted.value(credential)), {
        onFailure: (error) => (isRefusal(error) ? Effect.succeed(RefusalResponse.make(error)) : Effect.fail(error)),
        onSuccess: (caller) =>
          as(caller, {
            app: Effect.provideService(app, Caller, caller),
            scope: scopeOf({ endpoint, group }),
            method: endpoint.method
          })
      })
  })
  return Context.make(ApiKeyAuth, check).pipe(Context.add(Callers, { find, as }))
})

/**
 * Accepts requests with a key of the service's `ApiKeys`, within its scopes and limits, or with one of `apiKeys`, which
 * have no scopes or limits. Each key sees only its own records. A revoked key is refused from the next request on.
 *
 * @param adminKeys Further keys, which see the records of every key in the admin API.
 */
export const layerManaged = (
  apiKeys: ReadonlyArray<string> = [],
  adminKeys: ReadonlyArray<string> = []
): Layer.Layer<ApiKeyAuth, never, ApiKeys> => Layer.effectContext(makeManaged(apiKeys, adminKeys))
