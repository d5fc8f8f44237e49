import * as Headers from "effect/http/Headers"
import * as HttpClientRequest from "effect/http/HttpClientRequest"

/** A request that is ready to be sent, and what to call it in errors. */
export interface Outgoing {
  readonly method: string
  readonly url: string
  /** All but the key: what errors, spans and responses may show. */
  readonly headers: Readonly<Record<string, string>>
  /** What it was made from: other headers, and half an address. */
  readonly request: HttpClientRequest.HttpClientRequest
  readonly requestId: string
  /** Which attempt of its call it is, from 1. */
  readonly attempt: number
}

/** It as a HttpClient takes it, with these headers. */
export const toRequest = (
  { method, request: { body, hash, urlParams }, url }: Outgoing,
  headers: Outgoing["headers"]
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.makeWith(method, url, urlParams, hash, Headers.fromInput(headers), body)
