import type { HTTPValidationError } from "@webagent/contract"
import { AuditLog } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Refusal } from "./Refusal.ts"
import { requestSender } from "./TrustedProxies.ts"

/** Number of records that an entry names. */
const mostTargets = 20

/** Longest name of a record in an entry: ids of requests can be any text. */
const longestTarget = 200

interface Noted {
  ids: ReadonlyArray<string>
  /** Number of records; that of the ids by default. */
  count?: number
}

/** The records that the current request is for, as its handler notes them. */
const Targets: Context.Reference<Noted> = Context.Reference("@webagent/server/Targets", {
  defaultValue: (): Noted => ({ ids: [] })
})

/** Notes the records of a request whose path doesn't name them, and their number if it is another one. */
export const note = (ids: ReadonlyArray<string>, count = ids.length): Effect.Effect<void> =>
  Effect.map(Targets, (targets) => void Object.assign(targets, { ids, count }))

const statuses: Readonly<Record<string, number>> = {
  BadCursorError: 400,
  ForbiddenError: 403,
  NotFoundError: 404,
  ConflictError: 409,
  ContentTooLargeError: 413,
  HTTPValidationError: 422,
  AdmissionRefused: 429,
  LaunchFailed: 429,
  ProfileNotFound: 404,
  ProfileUnusable: 422,
  StoreUnavailable: 503,
  UnavailableError: 503
} satisfies Partial<Record<Refusal["_tag"] | HTTPValidationError["_tag"] | string, number>>

const statusOf = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status
  const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
  // HttpApiBuilder wraps the errors of handlers, so that middlewares don't catch them
  const error = Predicate.hasProperty(failure, "error") ? failure.error : failure
  return (Predicate.hasProperty(error, "_tag") ? statuses[String(error._tag)] : undefined) ?? 500
}

/** The facts about a request that the log keeps. */
interface Change {
  /** Name of the key. */
  readonly key: string
  readonly action: string
}

/** Logs a change that a request made, or that it was refused. A log that can't be written is no error of the request. */
export const add = ({
  count,
  ids,
  ...change
}: Change & Readonly<Noted> & { readonly status: number }): Effect.Effect<
  void,
  never,
  HttpServerRequest.HttpServerRequest
> =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    if (log === null) return
    const { address = "unknown" } = yield* requestSender(yield* HttpServerRequest.HttpServerRequest)
    yield* log.add({
      ...change,
      at_ms: yield* Clock.currentTimeMillis,
      address,
      targets: ids.slice(0, mostTargets).map((id) => id.slice(0, longestTarget)),
      count: count ?? ids.length
    })
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("The audit log could not be written", cause)))

/** Logs a change after it was made or refused. The response doesn't depend on the log. */
export const logged = <E, R>(
  change: Change,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.suspend(() => {
    const targets: Noted = { ids: [] }
    const addExit = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>) =>
      Effect.gen(function* () {
        const named = Object.values(yield* HttpRouter.params).flatMap((value) => (value === undefined ? [] : [value]))
        yield* add({ ...change, ...(targets.ids.length > 0 ? targets : { ids: named }), status: statusOf(exit) })
      }) as Effect.Effect<void>
    return Effect.onExit(Effect.provideService(app, Targets, targets), addExit)
  })
