import { AdminKeyAuth, ForbiddenError, NeedsAdmin } from "@webagent/admin"
import { Owner } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Audit from "../../api/Audit.ts"
import { Caller, type CallersService, type Use } from "../../api/Caller.ts"
import { isRefusal } from "../../api/Refusal.ts"
import * as ApiKeyAuth from "./ApiKeyAuth.ts"
import * as RefusalResponse from "./RefusalResponse.ts"
import * as RequestFacts from "./RequestFacts.ts"

const needsAdmin = ({ endpoint }: ApiKeyAuth.Operation) => Context.get(endpoint.annotations, NeedsAdmin)

/** True if a caller may use an operation. */
export const allows = ({ isAdmin, key }: Caller, operation: ApiKeyAuth.Operation): boolean =>
  isAdmin || (!needsAdmin(operation) && (key === null || key.scopes.includes(ApiKeyAuth.scopeOf(operation))))

const allowed = <E, R>(
  callers: CallersService,
  caller: Caller,
  operation: ApiKeyAuth.Operation,
  app: Use<E, R>["app"]
): Use<E | ForbiddenError, R>["app"] => {
  const { endpoint } = operation
  if (needsAdmin(operation) && !caller.isAdmin) {
    return Effect.fail(new ForbiddenError({ detail: "This operation needs an API key with the scope admin" }))
  }
  const seen = caller.isAdmin ? Effect.provideService(app, Owner, null) : app
  return ApiKeyAuth.responding(
    callers.within(caller, {
      app: Effect.provideService(seen, Caller, caller),
      scope: ApiKeyAuth.scopeOf(operation),
      method: endpoint.method
    })
  )
}

/**
 * Runs an operation of the admin API for a caller: a key with the scope `admin` sees the records of every key, any other
 * its own, and gets a 403 for an operation that `NeedsAdmin`.
 */
export const run = <E, R>(
  callers: CallersService,
  caller: Caller,
  operation: ApiKeyAuth.Operation,
  app: Use<E, R>["app"]
): Use<E | ForbiddenError, R>["app"] => {
  const { endpoint, group } = operation
  const carriedOut = RequestFacts.noteRoute(endpoint.path, allowed(callers, caller, operation, app))
  // reads change nothing
  if (endpoint.method === "GET") return carriedOut
  return Audit.logged({ key: caller.name, action: `${group.identifier}.${endpoint.identifier}` }, carriedOut)
}

/** Checks the API key of each request of the admin API. */
export const layer = (callers: CallersService): Layer.Layer<AdminKeyAuth> =>
  Layer.succeed(AdminKeyAuth, {
    apiKey: (app, { credential, endpoint, group }) =>
      Effect.matchEffect(callers.find(Redacted.value(credential)), {
        onFailure: (error) => (isRefusal(error) ? Effect.succeed(RefusalResponse.make(error)) : Effect.fail(error)),
        onSuccess: (caller) => run(callers, caller, { endpoint, group }, app)
      })
  })
