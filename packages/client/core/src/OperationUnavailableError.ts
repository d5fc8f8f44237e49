import type { Call } from "@webagent/contract"
import * as Schema from "effect/Schema"
import { called, TransportError } from "./TransportError.ts"

/**
 * The service doesn't offer an operation that its description doesn't show, such as listing runs. It responds to the
 * operation's path with 404 or 405. An unknown id is another error, such as `RunNotFoundError`.
 *
 * @example
 * ```ts
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const cancel = (id: string) =>
 *   Runs.use((runs) => runs.cancel(id)).pipe(
 *     Effect.catchTag("OperationUnavailableError", ({ operation }) => Effect.log(`No ${operation} here`))
 *   )
 * ```
 */
export class OperationUnavailableError extends Schema.TaggedError<OperationUnavailableError>()(
  "OperationUnavailableError",
  {
    /** The method and path of the operation, such as `POST /runs/{run_id}/cancel`. */
    operation: Schema.String,
    status: Schema.Int,
    method: Schema.String,
    path: Schema.String,
    origin: Schema.String,
    /** Requests sent for this call. */
    attempts: Schema.Int,
    /** The `X-Request-Id` of the call's requests. */
    requestId: Schema.String
  }
) {
  override get message() {
    return (
      `${called(this)}: this service doesn't offer ${this.operation} (status ${this.status}). ` +
      `If it does, check the base address. Request id ${this.requestId}.`
    )
  }
}

/** The `detail` of a 404 from a router, which knows no path like this. That of an operation names the resource. */
const unrouted = /^not found\.?$/iu

/** Returns the status and the call of an error that says that the service has no such operation. */
const absenceOf = (error: unknown): (Call & { readonly status: number }) | undefined => {
  if (error instanceof TransportError) {
    const { attempts, method, origin, path, reason, requestId = "" } = error
    const isAbsent = reason._tag === "UnexpectedStatus" && (reason.status === 404 || reason.status === 405)
    return isAbsent ? { attempts, method, origin, path, requestId, status: reason.status } : undefined
  }
  const [call, detail] = notFoundOf(error)
  return call !== undefined && unrouted.test(detail) ? { ...call, status: 404 } : undefined
}

/** Returns the call and the `detail` of a described 404. */
const notFoundOf = (error: unknown): readonly [call: Call | undefined, detail: string] => {
  const { _tag, call, detail } = Object(error) as { readonly [Name in "_tag" | "detail"]?: unknown } & { call?: Call }
  return [String(_tag).endsWith("NotFoundError") ? call : undefined, String(detail)]
}

/**
 * Returns whether an error says that there is no such resource.
 *
 * @param error - The error of a call.
 * @returns True for a described 404, and false if the service has no such operation.
 * @example
 * ```ts
 * import { isGone } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const cancel = (id: string) =>
 *   Runs.use((runs) => Effect.catchIf(Effect.asVoid(runs.cancel(id)), isGone, () => Effect.void))
 * ```
 */
export const isGone = (error: unknown): boolean => {
  const [call, detail] = notFoundOf(error)
  return call !== undefined && !unrouted.test(detail)
}

/**
 * Converts the error of an optional operation: if the service doesn't have the operation, to
 * `OperationUnavailableError`.
 *
 * @param error - The error of the call.
 * @param operation - The method and path, such as `GET /models`.
 * @returns The error for the caller.
 * @example
 * ```ts
 * import { ofOptional, Raw } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * export const models = Raw.request("v4")("GET", "/models").pipe(
 *   Effect.mapError((error) => ofOptional(error, "GET /models"))
 * )
 * ```
 */
export const ofOptional = <E>(error: E, operation: string): E | OperationUnavailableError => {
  const absence = absenceOf(error)
  return absence === undefined ? error : new OperationUnavailableError({ operation, ...absence })
}
