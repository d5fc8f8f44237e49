import type { OpenStatus } from "@webagent/contract/Wire"

export type { OpenStatus }

/** What an answer has besides its typed fields. */
export interface Raw {
  /**
   * Fields that the description does not show, and those that came in another form than is typed, as the service sent
   * them. Missing when there are none.
   */
  readonly raw?: { readonly [field: string]: unknown }
}

/** A length of time: milliseconds, or a text such as `"30 seconds"`. */
export type Time = number | `${number} ${"millis" | "second" | "seconds" | "minute" | "minutes" | "hour" | "hours"}`

/** What every call may choose. */
export interface CallOptions {
  /** Ends the call at once: its promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** What a single create may choose. */
export interface CreateOptions extends CallOptions {
  /** The create's `Idempotency-Key`, 1 to 255 visible ASCII characters; a new one unless told. */
  readonly idempotencyKey?: string | undefined
  /** Fields of the request's body that the description does not list: they are sent beside the listed ones. */
  readonly extraBody?: { readonly [field: string]: unknown } | undefined
}

/** What a single wait may choose. */
export interface WaitOptions extends CallOptions {
  /** The longest time to wait; 30 minutes unless told. What is waited for goes on, and may cost. */
  readonly timeout?: Time | undefined
  /** The time between two polls; unless told it grows from 1 to 15 seconds with the time waited. */
  readonly every?: Time | undefined
  /** The time before the first poll; zero looks at once. */
  readonly first?: Time | undefined
}

/** What a wait for something of one's own making may choose. */
export interface OwnWaitOptions<Created> extends WaitOptions {
  /**
   * Ends at the service what was created, when the wait ends before it does. The service's description has no
   * operation for that: without one it goes on, and may cost.
   */
  readonly cancel?: ((created: Created, why: "timeout" | "interrupted" | "failed") => unknown) | undefined
}

/** Asks for a result of a type: what ends without one is then an error. */
export interface WithResult<Result> {
  readonly result: StandardSchema<Result>
}

/** What several things cost together. */
export interface TotalCost {
  /** The exact sum of what is known, in USD, as a decimal string without an exponent: `"0"`, `"0.0264"`. */
  readonly total: string
  /** How many amounts it is the sum of. */
  readonly known: number
  /** How many have cost something, or nothing, that nobody said. */
  readonly unknown: number
}

/** What happened to something that costs money, as `ledger` is told it. */
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
  /** Whether a create did something is not known. */
  | { readonly _tag: "unknown"; readonly key: string; readonly reason: string }
  /** What was created is over: stopped, or terminal. */
  | { readonly _tag: "closed"; readonly kind: string; readonly id: string }
)

/** How grave a line of the log is. */
export type LogLevel = "debug" | "info" | "warn" | "error"

/** Where the service is, and how to talk to it. What is missing comes from the environment. */
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
  /** What the service is known to do with a create that is sent twice, or refused; it decides which are repeated. */
  readonly target?:
    | {
        readonly idempotency?: "honoured" | "unknown" | undefined
        readonly refusals?: "before-acting" | "unknown" | undefined
      }
    | undefined
  /** Headers that go with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How often a read or a stop is tried again; 4 unless told. */
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
  /** Is told of each attempt, as `debug`, and of what may go on costing, as `warn`; unless told, warnings go to the console. */
  readonly log?: ((level: LogLevel, message: string) => void) | undefined
}

/** Something that sends requests, such as `undici` of `@webagent/core/node`. */
export interface HttpClient {
  /** An Effect layer of an HttpClient. */
  readonly layer: unknown
}

/** A schema of any library that follows standardschema.dev: zod, valibot, arktype, Effect (`Schema.toStandardSchemaV1`). */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** What a StandardSchema says of a value. */
export type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
      }>
    }
