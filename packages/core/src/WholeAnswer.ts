import type * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"

/** An answer that has been read to its end. */
export interface WholeAnswer {
  readonly status: number
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined
  readonly headers: () => Readonly<Record<string, string>>
  readonly body: ArrayBuffer | Uint8Array
}

/**
 * Sends a request and reads its answer in one step, telling when the headers are there. Interrupting it ends both.
 */
export type SendWhole = (
  request: HttpClientRequest.HttpClientRequest,
  onHeaders: () => void
) => Effect.Effect<WholeAnswer, HttpClientError.HttpClientError>

const key: unique symbol = Symbol.for("@webagent/core/SendWhole")

/**
 * An HttpClient that a Transport can also ask for whole answers, at less CPU. What is made of it, such as by
 * HttpClient.mapRequest, is asked the usual way.
 */
export const attach = (client: HttpClient.HttpClient, send: SendWhole): HttpClient.HttpClient =>
  Object.assign(Object.create(client) as HttpClient.HttpClient, { [key]: send })

/** How a client gives whole answers, if it can. */
export const sendOf = (client: HttpClient.HttpClient & { readonly [key]?: SendWhole }): SendWhole | undefined =>
  client[key]
