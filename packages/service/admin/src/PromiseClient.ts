import * as Effect from "effect/Effect"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as AdminClient from "./AdminClient.ts"

type Method = (request?: never) => Effect.Effect<unknown, unknown>

/** The responses of other response modes, which this client doesn't use. */
type Raw = HttpClientResponse | readonly [unknown, HttpClientResponse]

/** A method with a promise in place of its Effect. */
type Promised<Of> = Of extends (request: infer Request) => Effect.Effect<infer Response, unknown, unknown>
  ? (request: Request) => Promise<Exclude<Response, Raw>>
  : never

/** The methods of a client by group, each with a promise. */
export type PromiseClient = {
  readonly [Group in keyof AdminClient.AdminClient]: {
    readonly [Name in keyof AdminClient.AdminClient[Group]]: Promised<AdminClient.AdminClient[Group][Name]>
  }
}

const promised = (method: Method) => (request: never) => Effect.runPromise(method(request))

/**
 * A client of a server's admin API with promises, over `fetch`. A rejected promise has the error of the operation, such
 * as `NotFoundError`.
 *
 * @example
 * const admin = await PromiseClient.make({ address: "http://127.0.0.1:41873", key: "wak_..." })
 * const { rows } = await admin.runs.list({ query: { status: "running" } })
 */
export const make = async (options: AdminClient.AdminClientOptions): Promise<PromiseClient> => {
  const client = await Effect.runPromise(Effect.provide(AdminClient.make(options), FetchHttpClient.layer))
  const groups = Object.entries(client as object as Readonly<Record<string, Readonly<Record<string, Method>>>>)
  return Object.fromEntries(
    groups.map(([group, methods]) => [
      group,
      Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, promised(method)]))
    ])
  ) as object as PromiseClient
}
