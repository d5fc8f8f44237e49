import { apiKeyHeader as usualHeader, idempotencyKeyHeader } from "@webagent/contract/Wire"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import { mapRequestEffect } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Redacted from "effect/Redacted"
import { AdminApi } from "./Api.ts"
import { adminPath } from "./Wire.ts"

/** Address of a server, and a key of it. */
export interface AdminClientOptions {
  /** Address of the server, such as `http://127.0.0.1:41873`, with or without the path `/admin/v1`. */
  readonly baseUrl: string
  /** A key with the scope `admin` sees the records of every key, any other key sees its own. */
  readonly apiKey: string | Redacted.Redacted
  /** The header that carries the key (default: `X-Service-API-Key`). */
  readonly apiKeyHeader?: string
}

/** A method for each operation of the admin API, in the groups of `AdminApi`. */
export type AdminClient = HttpApiClient.ForApi<typeof AdminApi>

const IdempotencyKey = Context.Reference<string | undefined>("@webagent/admin/IdempotencyKey", {
  defaultValue: () => undefined
})

/**
 * Sends the create in `effect` with an `Idempotency-Key`. If its response is lost, repeat it with the same key and the
 * same request: you get the record that exists, or a new one if there is none.
 *
 * @param key - 1 to 255 printable characters, such as a UUID: a new key for each create.
 * @example
 * ```ts
 * import { AdminClient } from "@webagent/admin"
 *
 * export const webhook = (admin: AdminClient.AdminClient, key: string) =>
 *   AdminClient.withIdempotencyKey(key)(admin.webhooks.create({ payload: { url: "https://app.example/webhooks" } }))
 * ```
 */
export const withIdempotencyKey =
  (key: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, IdempotencyKey, key)

/**
 * A client of a server's admin API.
 *
 * @example
 * ```ts
 * import { AdminClient } from "@webagent/admin"
 * import * as Effect from "effect/Effect"
 *
 * export const cancelAll = Effect.gen(function* () {
 *   const admin = yield* AdminClient.make({ baseUrl: "http://127.0.0.1:41873", apiKey: "wak_..." })
 *   const { rows } = yield* admin.runs.list({ query: { status: "running" } })
 *   return yield* admin.runs.cancel({ payload: { ids: rows.map(({ id }) => id) } })
 * })
 * ```
 */
export const make = (
  { apiKey, apiKeyHeader = usualHeader, baseUrl }: AdminClientOptions,
  /** Changes the effect that reads a response. */
  transformResponse?: (read: Effect.Effect<unknown, unknown, unknown>) => Effect.Effect<unknown, unknown, unknown>
): Effect.Effect<AdminClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(AdminApi, {
    baseUrl: baseUrl.replace(/\/+$/u, "").replace(adminPath, ""),
    transformClient: mapRequestEffect((request) =>
      Effect.map(IdempotencyKey, (key) =>
        HttpClientRequest.setHeaders(request, {
          [apiKeyHeader]: typeof apiKey === "string" ? apiKey : Redacted.value(apiKey),
          ...(key === undefined ? {} : { [idempotencyKeyHeader]: key })
        })
      )
    ),
    transformResponse
  })
