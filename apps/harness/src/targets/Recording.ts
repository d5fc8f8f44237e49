import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"

/** Turns the client of a target into one that is recorded; `apiKeyHeader` carries its key. */
export type Recording = (
  client: HttpClient.HttpClient,
  options: { readonly apiKeyHeader: string }
) => Effect.Effect<HttpClient.HttpClient>

/** Recorder of a run's requests; no request is recorded unless it is provided. */
export const Recording: Context.Reference<Recording> = Context.Reference<Recording>("webagent-harness/Recording", {
  defaultValue: () => Effect.succeed
})
