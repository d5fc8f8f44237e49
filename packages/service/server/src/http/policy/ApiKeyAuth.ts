import { ApiKeyAuth, UnauthorizedError } from "@webagent/contract"
import { type ApiKey, ApiKeys, type KeyScope, Owner } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { hash, timingSafeEqual } from "node:crypto"
import { Caller, Callers, type CallersService, type Use, UseRefused } from "../../api/Caller.ts"
import { isRefusal } from "../../api/Refusal.ts"
import * as RefusalResponse from "./RefusalResponse.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as FailedKeys from "./FailedKeys.ts"
import * as KeyLimits from "./KeyLimits.ts"
import * as RequestFacts from "./RequestFacts.ts"

// digests have equal lengths, so the comparison does not reveal the length of a key
const digest = (key: string) => hash("sha256", key, "buffer")

const unknown = new UnauthorizedError({ detail: "Invalid API key" })

/** The name of a key that was given to the server. */
const nameOf = (sent: Buffer) => `key:${sent.toString("hex").slice(0, 16)}`

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
    const name = nameOf(sent)
    owners.set(key, name)
    return name
  }
}

/** The callers with keys that were given to the server, by the secret or the name of the key. */
const givenCallers = (apiKeys: ReadonlyArray<string>, adminKeys: ReadonlyArray<string>, hasOwners: boolean) => {
  const ownerOf = among(apiKeys)
  const adminOf = among(adminKeys)
  const callerOf = (name: string, isAdmin: boolean): Caller => ({
    name,
    isAdmin,
    owner: hasOwners ? name : null,
    key: null
  })
  const byName = new Map<string, Caller>()
  for (const [keys, isAdmin] of [
    [apiKeys, false],
    [adminKeys, true]
  ] as const)
    for (const name of keys.map(digest).map(nameOf)) byName.set(name, callerOf(name, isAdmin))
  return {
    find: (secret: string): Caller | undefined => {
      const name = adminOf(secret) ?? ownerOf(secret)
      return name === undefined ? undefined : byName.get(name)
    },
    named: (name: string): Caller | undefined => byName.get(name)
  }
}

const storedCaller = (key: ApiKey): Caller => ({
  name: key.name,
  isAdmin: key.scopes.includes("admin"),
  owner: key.name,
  key
})

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
  const given = givenCallers(apiKeys, adminKeys, false)
  const check = Layer.succeed(ApiKeyAuth, {
    apiKey: (httpEffect, { credential }) => {
      const caller = given.find(Redacted.value(credential))
      return caller === undefined
        ? Effect.fail(unknown)
        : RequestFacts.noteKey(caller.name, Effect.provideService(httpEffect, Caller, caller))
    }
  })
  const callers = Layer.succeed(Callers, {
    within: (_, { app }) => app,
    named: (name) => Effect.succeed(given.named(name)),
    find: (secret) => {
      const caller = given.find(secret)
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
  // who may read may also say that it saved what it read
  if (endpoint.method === "GET" || group.identifier === "audit") return "read"
  return group.identifier === "browsers" ? "browsers" : "runs"
}

/** The response to a key that lacks a scope. */
export const lacksScope = (scope: KeyScope) => ErrorResponse.make(403, `This API key lacks the scope ${scope}`)

/** Runs operations within the scopes and limits of their keys. */
const makeWithin = (keys: ApiKeys["Service"]) => {
  const limits = KeyLimits.make(keys)
  return <A, E, R>(key: ApiKey, { app, method, scope }: Use<E, R, A>): Effect.Effect<A, E | UseRefused, R> => {
    if (!key.scopes.includes(scope) && !key.scopes.includes("admin")) {
      return Effect.fail(new UseRefused({ reason: { _tag: "ScopeMissing", scope } }))
    }
    return Effect.matchEffect(limits.count(key), {
      onFailure: (reason) => Effect.fail(new UseRefused({ reason })),
      onSuccess: () =>
        (scope === "runs" || scope === "browsers") && method === "POST" ? limits.bound(key, scope, app) : app
    })
  }
}

/** Responds with 403 or 429 to a caller whose key doesn't allow an operation. */
export const responding = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E | UseRefused, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, Exclude<E, UseRefused>, R> =>
  Effect.catchIf(
    app,
    // a refusal of the operation itself is handled elsewhere: another node may have room
    (error): error is Extract<E | UseRefused, UseRefused> => error instanceof UseRefused,
    ({ reason }) =>
      Effect.succeed(reason._tag === "ScopeMissing" ? lacksScope(reason.scope) : RefusalResponse.make(reason))
  ) as Effect.Effect<HttpServerResponse.HttpServerResponse, Exclude<E, UseRefused>, R>

/** Runs an operation for a key that was given to the server, which has no scopes or limits. */
const asCaller = <A, E, R>(app: Effect.Effect<A, E, R>, caller: Caller): Effect.Effect<A, E, R> =>
  Effect.updateContext(app, (context: Context.Context<R>) =>
    Context.add(Context.add(context, Owner, caller.owner), Caller, caller)
  )

const makeManaged = Effect.fnUntraced(function* (
  apiKeys: ReadonlyArray<string>,
  adminKeys: ReadonlyArray<string>,
  isSimulated: boolean
) {
  const keys = yield* ApiKeys
  const givenOf = givenCallers(apiKeys, adminKeys, !isSimulated)
  const withinKey = makeWithin(keys)
  const countFailure = FailedKeys.make()

  const find = Effect.fnUntraced(function* (secret: string) {
    const given = givenOf.find(secret)
    if (given !== undefined) return yield* RequestFacts.noteKey(given.name, Effect.succeed(given))
    // read each time, because another process may revoke the key
    const key = Option.getOrUndefined(yield* keys.find(secret))
    if (key === undefined) {
      if (!isSimulated) yield* countFailure(secret)
      return yield* unknown
    }
    return yield* RequestFacts.noteKey(key.name, Effect.succeed(storedCaller(key)))
  })

  const named: CallersService["named"] = (name) => {
    const given = givenOf.named(name)
    if (given !== undefined) return Effect.succeed(given)
    return Effect.map(keys.named(name), (key) => Option.getOrUndefined(Option.map(key, storedCaller)))
  }

  const within: CallersService["within"] = ({ key, owner }, use) => {
    const app = Effect.provideService(use.app, Owner, owner)
    return key === null ? app : withinKey(key, { ...use, app })
  }

  const check = ApiKeyAuth.of({
    apiKey: (app, { credential, endpoint, group }) => {
      const secret = Redacted.value(credential)
      const given = givenOf.find(secret)
      // without a look into the store, and one step instead of three, because most requests of tests are like this
      if (given !== undefined) return RequestFacts.noteAccepted(endpoint.path, given.name, asCaller(app, given))
      return Effect.matchEffect(RequestFacts.noteRoute(endpoint.path, find(secret)), {
        onFailure: (error) => (isRefusal(error) ? Effect.succeed(RefusalResponse.make(error)) : Effect.fail(error)),
        onSuccess: (caller) =>
          responding(
            within(caller, {
              app: Effect.provideService(app, Caller, caller),
              scope: scopeOf({ endpoint, group }),
              method: endpoint.method
            })
          )
      })
    }
  })
  return Context.make(ApiKeyAuth, check).pipe(Context.add(Callers, { find, named, within }))
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
): Layer.Layer<ApiKeyAuth, never, ApiKeys> => Layer.effectContext(makeManaged(apiKeys, adminKeys, false))

/**
 * The same for a simulated service: `apiKeys` see the records of every key, and any number of wrong keys get a 401. Only
 * keys of `ApiKeys` have scopes, limits and records of their own.
 */
export const layerSimulated = (apiKeys: ReadonlyArray<string>): Layer.Layer<ApiKeyAuth, never, ApiKeys> =>
  Layer.effectContext(makeManaged(apiKeys, [], true))
