import type * as Context from "effect/Context"
import type * as HttpClient from "effect/http/HttpClient"

/** A request that is a few plain values, its key in its headers. */
export interface WholeRequest {
  readonly method: string
  readonly url: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** What fetch is told besides. */
  readonly options: RequestInit
}

/** An answer that has been read to its end. */
export interface WholeAnswer {
  readonly status: number
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined
  readonly headers: () => Readonly<Record<string, string>>
  readonly body: ArrayBuffer | Uint8Array
}

/** Whom a request that is under way tells: that it is answered or has failed, once. */
export interface Listener {
  /** What is missing now: a connection, where the client can tell, then the headers, then the end of the body. */
  readonly onPhase: (phase: "connect" | "headers" | "body") => void
  readonly onAnswer: (answer: WholeAnswer) => void
  /** Why there is no answer, and whether that is because no such request can be sent. */
  readonly onFailure: (cause: unknown, isRefused?: boolean) => void
}

/**
 * Sends a request and reads its answer to the end. Gives what ends both early: callbacks, and neither a fiber nor a
 * promise, for there is one for each poll.
 */
export type SendWhole = (request: WholeRequest, context: Context.Context<never>, listener: Listener) => () => void

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
