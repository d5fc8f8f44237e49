import type * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import { mapRequest } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Redacted from "effect/Redacted"
import { ControlApi } from "./Api.ts"
import { controlKeyHeader, controlPath } from "./Wire.ts"

/** Address and key of a control API. */
export interface ControlClientOptions {
  /** Such as `http://127.0.0.1:41874/control/v1`, with or without the path. */
  readonly address: string
  readonly key: string | Redacted.Redacted
}

/** A method for each operation of the control API, in the groups `behaviour`, `record`, `state` and `operations`. */
export type ControlClient = HttpApiClient.ForApi<typeof ControlApi>

/**
 * A client of a control API.
 *
 * @example
 * ```ts
 * import { ControlClient } from "@webagent/control"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const control = yield* ControlClient.make({ address: "http://127.0.0.1:41874", key: "secret" })
 *   yield* control.behaviour.setProfile({ payload: { preset: "flaky" } })
 *   return yield* control.record.getVerdicts()
 * })
 * ```
 */
export const make = ({
  address,
  key
}: ControlClientOptions): Effect.Effect<ControlClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(ControlApi, {
    baseUrl: address.replace(/\/+$/u, "").replace(controlPath, ""),
    transformClient: mapRequest(
      HttpClientRequest.setHeader(controlKeyHeader, typeof key === "string" ? key : Redacted.value(key))
    )
  })
