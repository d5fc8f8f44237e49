import type { ApiVersion } from "@webagent/contract/Wire"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { TargetInfo } from "./TargetInfo.ts"

/** A request as it goes over the wire, with nothing checked: for what a typed client refuses to send. */
export interface RawRequest {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "HEAD" | "OPTIONS"
  /** Below the version's base address, already percent-encoded: `/runs/%20/status`. */
  readonly path: string
  /** A JSON value. */
  readonly body?: unknown
  /** The body as it is, instead of `body`: text that is not JSON, or no JSON at all. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the target's key; `null` sends none. */
  readonly apiKey?: string | null
}

/** Whatever came back; any status is an answer. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body read as JSON, `undefined` when it is not JSON. */
  readonly body: unknown
  readonly text: string
  readonly request: { readonly method: string; readonly path: string }
}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Makes the function with which a scenario sends raw requests to its target. It fails only if there's no response. */
export const make =
  (client: HttpClient.HttpClient, target: TargetInfo, apiKey: Redacted.Redacted) =>
  (version: ApiVersion, request: RawRequest): Effect.Effect<RawAnswer, HttpClientError.HttpClientError> => {
    const key = request.apiKey === undefined ? Redacted.value(apiKey) : request.apiKey
    const url = target.baseUrls[version] + request.path
    const text = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
    const contentType = request.headers?.["content-type"] ?? "application/json"
    const ready = HttpClientRequest.make(request.method)(url, {
      headers: { ...request.headers, ...(key === null ? {} : { [target.apiKeyHeader]: key }) }
    }).pipe(text === undefined ? (same) => same : HttpClientRequest.bodyText(text, contentType))
    return client.execute(ready).pipe(
      Effect.flatMap((response) =>
        Effect.map(response.text, (text) => ({
          status: response.status,
          headers: response.headers,
          body: Option.getOrUndefined(parse(text)),
          text,
          request: { method: request.method, path: `/api/${version}${request.path}` }
        }))
      ),
      Effect.provideContext(Context.make(HttpClient.TracerPropagationEnabled, false))
    )
  }
