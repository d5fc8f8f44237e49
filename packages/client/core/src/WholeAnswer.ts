import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Option from "effect/Option"
import { most_bytes, TooLarge } from "./ContentCoding.ts"
import * as HttpTags from "./HttpTags.ts"

/** A request that is a few plain values, its key in its headers. */
export interface WholeRequest {
  readonly method: string
  readonly url: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** Options for fetch. */
  readonly options: RequestInit
}

/** A response, read to its end. */
export interface WholeAnswer {
  readonly status: number
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined
  readonly headers: () => Readonly<Record<string, string>>
  readonly body: ArrayBuffer | Uint8Array
}

/** Learns how one request ends. Exactly one of `onAnswer`, `onFailure` and `onDefect` is called, once. */
export interface Listener {
  /**
   * Reports the part that the request waits for: a connection, if the client can tell, then the headers, then the end
   * of the body.
   */
  readonly onPhase: (phase: "connect" | "headers" | "body") => void
  readonly onAnswer: (answer: WholeAnswer) => void
  /** The cause of the failure. `isRefused` means that this request can never be sent. */
  readonly onFailure: (cause: unknown, isRefused?: boolean) => void
  /** Reports a defect rather than a failed request, for example if an application's HttpClient throws. */
  readonly onDefect: (cause: Cause.Cause<never>) => void
}

/** The context of a call, and the fetch that it has. */
export interface Surroundings {
  readonly context: Context.Context<never>
  readonly fetch: typeof globalThis.fetch | undefined
}

/**
 * Sends a request and reads its response to the end. Returns a function that ends both early. It uses callbacks, without
 * a fiber or a promise, because every poll sends one.
 */
export type SendWhole = (request: WholeRequest, surroundings: Surroundings, listener: Listener) => () => void

const key: unique symbol = Symbol.for("@webagent/core/SendWhole")

/**
 * An HttpClient that a Transport asks for whole answers, at less CPU. A client derived from it, such as with
 * HttpClient.mapRequest, is asked the usual way.
 */
export const attach = (client: HttpClient.HttpClient, send: SendWhole): HttpClient.HttpClient =>
  Object.assign(Object.create(client) as HttpClient.HttpClient, { [key]: send })

/** The same for a Transport alone: it has no other way to send, which would be 4 kB of every client. */
export const only = (send: SendWhole): HttpClient.HttpClient => ({ [key]: send }) as object as HttpClient.HttpClient

/** By way of any HttpClient, which is left what is in `usual`. */
const through =
  (client: HttpClient.HttpClient, usual: Context.Context<never>): SendWhole =>
  ({ body, headers, method, options, url }, { context }, listener) => {
    const name = (method === "DELETE" ? "del" : method.toLowerCase()) as "post"
    const sending = client[name](url, {
      headers,
      ...(body === undefined ? {} : { body: HttpTags.bytes(body, headers["content-type"]) })
    })
    const fiber = Effect.runForkWith(context)(
      Effect.provideContext(
        Effect.flatMap(sending, (response) => {
          listener.onPhase("body")
          return Effect.map(response.arrayBuffer, (body) => ({ response, body }))
        }),
        Context.add(usual, FetchHttpClient.RequestInit, options)
      )
    )
    fiber.addObserver((exit) => {
      if (Exit.isSuccess(exit)) {
        const { body, response } = exit.value
        if (body.byteLength > most_bytes) return listener.onFailure(new TooLarge())
        const { headers, status } = response
        return listener.onAnswer({ status, header: (name) => headers[name], headers: () => ({ ...headers }), body })
      }
      const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      if (error === undefined) return listener.onDefect(exit.cause as Cause.Cause<never>)
      const { reason } = error
      if (reason._tag === "InvalidUrlError" || reason._tag === "EncodeError") return listener.onFailure(error, true)
      listener.onFailure("cause" in reason ? reason.cause : error)
    })
    return () => fiber.interruptUnsafe()
  }

/** Makes the function with which a client sends requests and receives whole responses. */
export const sendOf = (
  client: HttpClient.HttpClient & { readonly [key]?: SendWhole },
  usual: Context.Context<never>
): SendWhole => client[key] ?? through(client, usual)
