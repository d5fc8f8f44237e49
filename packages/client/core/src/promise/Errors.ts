import * as Contract from "@webagent/contract"
import * as Polling from "@webagent/polling"
import * as Config from "../ClientConfig.ts"
import * as Create from "../CreateOutcomeUnknown.ts"
import * as Unavailable from "../OperationUnavailableError.ts"
import * as Throttled from "../TooManyRequestsError.ts"
import * as Transported from "../TransportError.ts"
import type { ErrorClass } from "./ErrorClass.ts"

// The classes are those that Effect programs catch. Their types here say what an instance has, and nothing of Effect.

/** The configuration does not say where the service is or with which key. The message says what to do. */
export interface ClientConfigError extends Error {
  readonly _tag: "ClientConfigError"
}
export const ClientConfigError: ErrorClass<ClientConfigError> = Config.ClientConfigError

/** One problem of a request: its place (`["body", "task"]`), its message and its type. */
export interface ValidationError {
  readonly loc: ReadonlyArray<string | number>
  readonly msg: string
  readonly type: string
  readonly [field: string]: unknown
}

/** The call that an error is the answer to. */
export interface Call {
  readonly method: string
  readonly origin: string
  readonly path: string
  /** Requests sent for this call. */
  readonly attempts: number
  readonly requestId: string
}

/** 422: the request does not fit the operation. `detail` says where and why, one entry each. */
export interface HTTPValidationError extends Error {
  readonly _tag: "HTTPValidationError"
  readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  readonly body?: string
  readonly detail?: ReadonlyArray<ValidationError>
}
export const HTTPValidationError: ErrorClass<HTTPValidationError> = Contract.HTTPValidationError

/** An error that the service explains in a sentence, `detail`. */
interface DetailedError<Tag extends string> extends Error {
  readonly _tag: Tag
  readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  readonly body?: string
  readonly detail: string
}

/** 401: no API key, or not a valid one. */
export interface UnauthorizedError extends DetailedError<"UnauthorizedError"> {}
export const UnauthorizedError: ErrorClass<UnauthorizedError> = Contract.UnauthorizedError

/** 404: no session has the given id. */
export interface SessionNotFoundError extends DetailedError<"SessionNotFoundError"> {}
export const SessionNotFoundError: ErrorClass<SessionNotFoundError> = Contract.SessionNotFoundError

/** 404: no run has the given id. */
export interface RunNotFoundError extends DetailedError<"RunNotFoundError"> {}
export const RunNotFoundError: ErrorClass<RunNotFoundError> = Contract.RunNotFoundError

/** 404: no browser has the given id. */
export interface BrowserNotFoundError extends DetailedError<"BrowserNotFoundError"> {}
export const BrowserNotFoundError: ErrorClass<BrowserNotFoundError> = Contract.BrowserNotFoundError

/** 404: the session has no queued message with the given id. */
export interface MessageNotFoundError extends DetailedError<"MessageNotFoundError"> {}
export const MessageNotFoundError: ErrorClass<MessageNotFoundError> = Contract.MessageNotFoundError

/** 404: no task has the given id. */
export interface TaskNotFoundError extends DetailedError<"TaskNotFoundError"> {}
export const TaskNotFoundError: ErrorClass<TaskNotFoundError> = Contract.TaskNotFoundError

/** 404: the session of API v2 has no public share, or no session has the given id. */
export interface ShareNotFoundError extends DetailedError<"ShareNotFoundError"> {}
export const ShareNotFoundError: ErrorClass<ShareNotFoundError> = Contract.ShareNotFoundError

/** 400: the cursor of a list isn't one of this list. Start again without a cursor. */
export interface BadCursorError extends DetailedError<"BadCursorError"> {}
export const BadCursorError: ErrorClass<BadCursorError> = Contract.BadCursorError

/**
 * The service doesn't offer an operation that its description doesn't show, such as listing runs. An unknown id is another
 * error, such as `RunNotFoundError`.
 */
export interface OperationUnavailableError extends Error {
  readonly _tag: "OperationUnavailableError"
  /** The method and path of the operation, such as `POST /runs/{run_id}/cancel`. */
  readonly operation: string
  readonly status: number
  readonly method: string
  readonly path: string
  readonly origin: string
  /** Requests sent for this call. */
  readonly attempts: number
  readonly requestId: string
}
export const OperationUnavailableError: ErrorClass<OperationUnavailableError> = Unavailable.OperationUnavailableError

/** 409: the resource is in a state that does not allow the operation, such as a message for a stopped session. */
export interface ConflictError extends DetailedError<"ConflictError"> {}
export const ConflictError: ErrorClass<ConflictError> = Contract.ConflictError

/** 413: the body is larger than the service reads. */
export interface ContentTooLargeError extends DetailedError<"ContentTooLargeError"> {}
export const ContentTooLargeError: ErrorClass<ContentTooLargeError> = Contract.ContentTooLargeError

/**
 * 429: too many requests or runs at once. A create that fails with it has created nothing, unless the service may act
 * before it refuses: for such a service, set `target.refusals` to `after-acting`.
 */
export interface TooManyRequestsError extends DetailedError<"TooManyRequestsError"> {
  /** Pause that the response asks for, in milliseconds, if it does. */
  readonly retryAfter_ms: number | undefined
  /** The `X-Request-Id` of the call's requests. */
  readonly requestId: string | undefined
  /** The `Idempotency-Key` of a refused create; undefined for other calls. Send it again with the same key. */
  readonly key: string | undefined
}
export const TooManyRequestsError: ErrorClass<TooManyRequestsError> = Throttled.TooManyRequestsError

/** The reason why a call failed below the contract. */
export type TransportErrorReason =
  /** No connection, or one that was cut; `code` is the system's, `ECONNREFUSED`. */
  | {
      readonly _tag: "ConnectionFailed"
      readonly code?: string
      readonly phase?: "connect" | "headers" | "body"
      readonly cause?: unknown
    }
  /** An attempt took longer than it may; `phase` is what was still missing, `limit` which of the timeouts ran out. */
  | {
      readonly _tag: "Timeout"
      readonly phase: "connect" | "headers" | "body"
      readonly limit?: "headers" | "body" | "total"
    }
  /** A status, or for its status a body, that the operation does not describe. */
  | {
      readonly _tag: "UnexpectedStatus"
      readonly status: number
      readonly body: string
      /** The target of a redirect without its query; redirects aren't followed. */
      readonly location?: string
    }
  /** A success whose body is not what is described. What it did is done: `id` is the body's, if it has one. */
  | {
      readonly _tag: "UndecodableAnswer"
      readonly status: number
      readonly body: string
      readonly issue: string
      readonly id?: string
    }
  /** The answer was given up, because it is larger than the client reads. */
  | { readonly _tag: "AnswerTooLarge"; readonly limit_bytes: number }
  /** Not sent: the circuit breaker is open. Only an Effect program has one. */
  | { readonly _tag: "CircuitOpen" }
  /** The request was refused before anything was sent. */
  | { readonly _tag: "InvalidRequest"; readonly issue: string }

/** A call that failed below the contract; `reason._tag` says how. */
export interface TransportError extends Error {
  readonly _tag: "TransportError"
  readonly method: string
  readonly path: string
  readonly origin: string
  /** Requests sent for this call. */
  readonly attempts: number
  readonly requestId?: string
  readonly reason: TransportErrorReason
}
export const TransportError: ErrorClass<TransportError> = Transported.TransportError

/** The create may have been made: it was sent, and no answer says what became of it. It is not sent again. */
export interface CreateOutcomeUnknown extends Error {
  readonly _tag: "CreateOutcomeUnknown"
  /** The kind of resource that may have been created: `run`, `session`, `browser`. */
  readonly kind: string
  /** The `Idempotency-Key` of its requests. */
  readonly key: string
  /**
   * The point at which the outcome was lost: `waiting` for the response, `reading` its body, or `answered` without
   * saying what was created.
   */
  readonly phase: "waiting" | "reading" | "answered"
  readonly method: string
  readonly path: string
  readonly origin: string
  readonly attempts: number
  readonly requestId: string
  readonly idempotency: "honoured" | "unknown"
  readonly reason: TransportErrorReason
}
export const CreateOutcomeUnknown: ErrorClass<CreateOutcomeUnknown> = Create.CreateOutcomeUnknown

/**
 * A run or session didn't reach a final status before the timeout of the wait. The service is still working on it, and
 * it may still cost money, unless `isCancelled` is true. Wait again with `id`.
 */
export interface WaitTimeoutError extends Error {
  readonly _tag: "WaitTimeoutError"
  /** The kind of resource: `run`, `session`. */
  readonly kind: string
  readonly id: string
  /** The status seen last; missing when no poll was answered. */
  readonly lastStatus?: string
  readonly polls: number
  readonly waited_ms: number
  /** The `X-Request-Id` of the last poll; missing when none was made. */
  readonly requestId?: string
  /** True if the wait has cancelled it, as its options say. */
  readonly isCancelled?: boolean
}
export const WaitTimeoutError: ErrorClass<WaitTimeoutError> = Polling.WaitTimeoutError

/** The WebAgent was closed: before this call, or while it was at work. */
export class WebAgentClosedError extends Error {
  override readonly name = "WebAgentClosedError"
  readonly _tag = "WebAgentClosedError"

  constructor() {
    super("This WebAgent is closed: make a new one for further calls.")
  }
}
