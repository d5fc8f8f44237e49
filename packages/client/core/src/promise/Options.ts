import type { OpenStatus } from "@webagent/contract/Wire"
import type { TotalCost } from "../Cost.ts"
import type { Hooks, PollEvent, RequestEvent, ResponseEvent } from "../Hooks.ts"
import type { ResponseInfo } from "../ResponseInfo.ts"
import type { StandardSchema, Validated, WithoutResult } from "../StandardSchema.ts"

export type {
  Hooks,
  OpenStatus,
  PollEvent,
  RequestEvent,
  ResponseEvent,
  ResponseInfo,
  StandardSchema,
  TotalCost,
  Validated,
  WithoutResult
}

/** The fields of a response besides its typed ones. */
export interface Raw {
  /**
   * Fields that the description does not show, and those that came in another form than is typed, as the service sent
   * them. Missing when there are none.
   */
  readonly raw?: { readonly [field: string]: unknown }
}

/**
 * A length of time: milliseconds, or a text such as `"30 seconds"` or `"1.5 hours"`. Any string has this type, so that a
 * value of your configuration fits. One that isn't a time is refused by the call, before anything is sent.
 */
export type Time =
  | number
  | `${number} ${"millis" | "second" | "seconds" | "minute" | "minutes" | "hour" | "hours"}`
  // keeps the units above in an editor's suggestions
  | (string & {})

/**
 * Options of every call. In plain JavaScript, null means the same as undefined, as with fetch. Only as an
 * `idempotencyKey` or a `result` it's an error, and nothing is sent.
 */
export interface CallOptions {
  /** Ends the call at once: its promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The longest time for the call, its retries included; it replaces `timeouts.total` of the WebAgent for this call. */
  readonly timeout?: Time | undefined
  /** Number of retries; by default, the setting of the WebAgent. */
  readonly retries?: number | undefined
  /** Headers of the call's requests, beside those of the WebAgent. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The `X-Request-Id` of the call's requests; a new one unless told. */
  readonly requestId?: string | undefined
}

/** The promise of a call; `withResponse` gives its value with the response that brought it. */
export interface Answer<A> extends Promise<A> {
  /**
   * Returns the result of the call with the response of its last request.
   *
   * @returns The result as `data`, and the status, headers, request id and attempts as `response`.
   * @throws The errors of the call.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const requestId = async (agent: WebAgent, id: string) =>
   *   (await agent.runs.get(id).withResponse()).response.requestId
   * ```
   */
  withResponse(): Promise<{ readonly data: A; readonly response: ResponseInfo }>
}

/** Options of a custom request. */
export interface RequestOptions extends CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  /** Sent as JSON. */
  readonly body?: { readonly [field: string]: unknown } | ReadonlyArray<unknown> | undefined
  /** The request's `Idempotency-Key`; none unless told. */
  readonly idempotencyKey?: string | undefined
}

/** Options of a single create. */
export interface CreateOptions extends CallOptions {
  /** The create's `Idempotency-Key`, 1 to 255 visible ASCII characters; a new one unless told. */
  readonly idempotencyKey?: string | undefined
  /** Fields of the request's body that the description does not list: they are sent beside the listed ones. */
  readonly extraBody?: { readonly [field: string]: unknown } | undefined
}

/** Options of a single wait. */
export interface WaitOptions extends Omit<CallOptions, "timeout"> {
  /** The longest time to wait; 30 minutes unless told. What is waited for continues, and may cost, unless `onEnd` says otherwise. */
  readonly timeout?: Time | undefined
  /** The time between two polls; unless told it grows from 1 to 15 seconds with the time waited. */
  readonly every?: Time | undefined
  /** The time before the first poll; zero looks at once. */
  readonly first?: Time | undefined
}

/** Options for a wait that ends before its resource does. */
export interface EndOptions {
  /**
   * With `cancel`, a resource whose wait ends first, because of the timeout, a failure or an abort, is canceled at the
   * service. By default, `continue`, it continues, and may cost.
   */
  readonly onEnd?: "cancel" | "continue" | undefined
  /**
   * The same for an abort alone; by default as `onEnd`. The promise is rejected at once, and the resource is canceled in
   * the background. `close` waits for that.
   */
  readonly onAbort?: "cancel" | "continue" | undefined
}

/** Options of a wait for a resource that the caller created. */
export interface OwnWaitOptions<Created, Status = unknown> extends WaitOptions, EndOptions {
  /**
   * Cancels the resource in a way of your own, whenever the wait ends first; `onEnd` and `onAbort` then have no effect.
   */
  readonly cancel?: ((created: Created, why: "timeout" | "interrupted" | "failed") => unknown) | undefined
  /** Receives each new status, the final one last. If it throws, a warning is logged. */
  readonly onStatus?: ((status: Status) => void) | undefined
}

/** Asks for a result of a type: what ends without one is then an error. */
export interface WithResult<Result> {
  readonly result: StandardSchema<Result>
}

/** An event of a resource that costs money, as `ledger` receives it. */
export type LedgerEntry = { readonly at_ms: number } & (
  | {
      /** Before a create goes out. */
      readonly _tag: "opening"
      readonly key: string
      /** `run`, `session`, `browser`. */
      readonly kind: string
      readonly method: string
      readonly path: string
      readonly origin: string
      readonly requestId: string
    }
  /** A create was answered; the id is missing when its answer had none. */
  | { readonly _tag: "opened"; readonly key: string; readonly id?: string }
  /** A create has done nothing for sure. */
  | { readonly _tag: "refused"; readonly key: string }
  /** The outcome of a create is unknown. */
  | { readonly _tag: "unknown"; readonly key: string; readonly reason: string }
  /** A resource is closed: a browser was stopped, or a run reached a final status. */
  | { readonly _tag: "closed"; readonly kind: string; readonly id: string }
)

/** The severity of a log line. */
export type LogLevel = "debug" | "info" | "warn" | "error"

/** Options of a WebAgent: the service's address, and how to call it. Missing options come from the environment. */
export interface WebAgentOptions {
  /** A key from the service's console; WEBAGENT_API_KEY unless told. */
  readonly apiKey?: string | undefined
  /** Address of a deployment, `https://host` or with any `/api/vN` after it; WEBAGENT_BASE_URL unless told. */
  readonly baseUrl?: string | undefined
  /** Full addresses of single versions, where a deployment does not keep them under one. */
  readonly baseUrls?:
    | { readonly v2?: string | undefined; readonly v3?: string | undefined; readonly v4?: string | undefined }
    | undefined
  /** Name of the header that carries the key; `X-Service-API-Key` unless told. */
  readonly apiKeyHeader?: string | undefined
  /** The longest times that one attempt of a request may take; `total` is 30 seconds unless told. */
  readonly timeouts?:
    | {
        readonly connect?: Time | undefined
        readonly headers?: Time | undefined
        readonly body?: Time | undefined
        readonly total?: Time | undefined
      }
    | undefined
  /** Treatment of a create that is sent twice, or refused, by the service. This decides which creates are repeated. */
  readonly target?:
    | {
        readonly idempotency?: "honoured" | "unknown" | undefined
        /**
         * The meaning of a 429 to a create. By default, `unknown`, nothing was created, and the call fails with
         * `TooManyRequestsError`. With `before-acting`, the client also sends the create again. With `after-acting`,
         * the service may have created the resource, and the call fails with `CreateOutcomeUnknown`.
         */
        readonly refusals?: "unknown" | "before-acting" | "after-acting" | undefined
      }
    | undefined
  /** Headers that go with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The pace of all waits: between polls, before the first, and polls a second of all waits together. */
  readonly polling?:
    | {
        /** The time between two polls of a wait that is not given its own. */
        readonly every?: Time | undefined
        /** The time before the first poll; `every` unless told. */
        readonly first?: Time | undefined
        /** Polls a second of all waits together; 50 unless told. */
        readonly perSecond?: number | undefined
        /** Polls at one instant after a pause; 10 unless told. */
        readonly burst?: number | undefined
      }
    | undefined
  /** `events` of `@webagent/v4/promise/events` lets waits for runs follow events instead of polling. */
  readonly events?: { readonly layer: unknown } | undefined
  /** Is told of requests, responses, retries and polls, for logging and metrics. Nothing it is told contains the key. */
  readonly hooks?: Hooks | undefined
  /**
   * Treatment of the client's unfinished runs when the process is interrupted, as by Ctrl-C. By
   * default, `continue`, they continue, and a warning names them. With `cancel`, they are canceled, which is tried for a
   * minute; in API v3, their sessions are stopped.
   */
  readonly onInterrupt?: "cancel" | "continue" | undefined
  /** Number of retries of a read or a stop; 4 by default. */
  readonly retries?: number | undefined
  /** The fetch to send requests with; unless told undici in Node, and the global one elsewhere. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Sends requests: `undici` of `@webagent/core/node`, or any HttpClient of Effect as `{ layer }`. */
  readonly httpClient?: HttpClient | undefined
  /**
   * Is told of each create before it is sent, and of each end. A create that it rejects is not sent; keep the
   * entries on a disk to find what a killed process has left.
   */
  readonly ledger?: ((entry: LedgerEntry) => void | PromiseLike<void>) | undefined
  /** Is told of each attempt, as `debug`, and of what may go on costing, as `warn`; unless told, warnings go to
   * the console. WEBAGENT_LOG chooses from which level on: `debug`, `info`, `warn`, `error` or `off`. */
  readonly log?: ((level: LogLevel, message: string) => void) | undefined
}

/** Something that sends requests, such as `undici` of `@webagent/core/node`. */
export interface HttpClient {
  /** An Effect layer of an HttpClient. */
  readonly layer: unknown
}
