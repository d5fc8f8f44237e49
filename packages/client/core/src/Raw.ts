import type { JsonObject } from "@webagent/contract"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as CallOptions from "./CallOptions.ts"
import { type CallError, methodOf } from "./ContractClient.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import { mustBe } from "./MustBe.ts"
import { queryText } from "./RequestEncoding.ts"
import { Transport } from "./Transport.ts"
import { refused } from "./TransportError.ts"

/** Options of a custom request. */
export interface RequestOptions extends CallOptions.CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  /** Sent as JSON. */
  readonly body?: JsonObject | ReadonlyArray<unknown> | undefined
  /** The request's `Idempotency-Key`; none unless told. */
  readonly idempotencyKey?: string | undefined
}

/** One slash, no braces, no dots as a segment, and nothing that a parser of addresses leaves out. */
const isPath = /^\/(?!\/)(?!(?:.*\/)?(?:\.|%2e){1,2}(?:[/?]|$))[^{}\\#\p{Cc}]*$/iu

const queryOf = (path: string, query: RequestOptions["query"] = {}) => {
  const text = queryText(query)
  return `${path}${path.includes("?") ? text.replace("?", "&") : text}`
}

const methods: ReadonlyArray<unknown> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

/** Returns the problem with a request, if any. */
const issueOf = (method: unknown, path: unknown, { body, idempotencyKey }: RequestOptions) => {
  if (!methods.includes(method)) return mustBe("method", `one of ${methods.join(", ")}`, method)
  if (typeof path !== "string" || !isPath.test(path)) {
    return mustBe("path", 'a path such as "/runs", below the version', path)
  }
  if (method === "GET" && body !== undefined) return "GET cannot have a body: use query"
  return idempotencyKey === undefined ? undefined : IdempotencyKey.issueOf(idempotencyKey)
}

/**
 * Sends a request that these packages don't list. The key, redirects, timeouts, errors and redaction are those of every
 * call. A GET is retried. Any other method is sent once, because its effect is unknown if the response is lost.
 *
 * @param version - The API version whose address is used.
 * @returns A function that takes the method, a path below the version such as `/runs`, and a query, a body and
 *   options. Its effect returns the JSON of the response.
 * @throws `TransportError` if the request is invalid or there is no usable response.
 * @example
 * ```ts
 * import { Raw } from "@webagent/core"
 *
 * export const models = Raw.request("v4")("GET", "/models", { query: { limit: 10 }, timeout: "5 seconds" })
 * ```
 */
export const request =
  (version: ApiVersion) =>
  (
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    given: RequestOptions = {}
  ): Effect.Effect<unknown, CallError, Transport> =>
    Effect.flatMap(Transport, (transport) => {
      const { body: payload, idempotencyKey, query, ...options } = given
      const issue = issueOf(method, path, given)
      if (issue !== undefined) {
        const { origin, pathname: path } = new URL(transport.baseUrls[version])
        return refused({ method: String(method), path, origin }, issue)
      }
      const operation = {
        method: method as "GET",
        path: queryOf(path, query),
        success: Schema.Unknown,
        ...(payload === undefined ? {} : { payload: Schema.Unknown })
      }
      const call = methodOf(
        transport,
        version,
        operation,
        method === "GET" ? undefined : idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }
      )
      return CallOptions.provide(options)(call({ payload })) as Effect.Effect<unknown, CallError>
    })
