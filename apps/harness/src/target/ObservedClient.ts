import type { ApiVersion } from "@webagent/contract/Wire"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { TrialLog } from "../runner/TrialLog.ts"

const Created = Schema.fromJsonString(Schema.Struct({ id: Schema.String }))
const Costed = Schema.fromJsonString(Schema.Struct({ id: Schema.String, cost: Schema.String }))

const isGood = (response: HttpClientResponse.HttpClientResponse) => response.status >= 200 && response.status < 300

/**
 * A client that keeps each scenario's log: its last request, the browsers it has open, what its runs cost. It looks
 * at the wire, so that raw requests count as those of the typed clients do.
 */
export const make = (
  client: HttpClient.HttpClient,
  baseUrls: Readonly<Record<ApiVersion, string>>
): HttpClient.HttpClient => {
  const read = <A>(response: HttpClientResponse.HttpClientResponse, schema: Schema.ConstraintDecoder<A>) =>
    Effect.option(Effect.flatMap(response.text, Schema.decodeUnknownEffect(schema)))

  const observe = Effect.fnUntraced(function* (
    log: TrialLog,
    request: HttpClientRequest.HttpClientRequest,
    response: HttpClientResponse.HttpClientResponse
  ) {
    const below = request.url.startsWith(baseUrls.v4) ? request.url.slice(baseUrls.v4.length) : undefined
    if (below === undefined || !isGood(response)) return
    const [, collection, id, rest] = below.split("/")
    if (collection === "browsers" && request.method === "POST" && id === undefined) {
      const browser = yield* read(response, Created)
      if (Option.isSome(browser)) log.openBrowsers.add(browser.value.id)
    }
    if (collection === "browsers" && request.method === "PATCH" && id !== undefined) {
      log.openBrowsers.delete(decodeURIComponent(id))
    }
    if (collection === "runs" && request.method === "GET" && id !== undefined && rest === undefined) {
      const run = yield* read(response, Costed)
      if (Option.isSome(run)) log.costs.set(run.value.id, run.value.cost)
    }
  })

  return HttpClient.transform(client, (effect, request) =>
    Effect.gen(function* () {
      const log = yield* TrialLog
      const start = yield* Clock.currentTimeNanos
      const path = URL.parse(request.url)?.pathname ?? request.url
      const begun = { method: request.method, path, status: null, duration_ms: 0 }
      log.lastExchange = begun
      log.requests++
      const response = yield* effect
      const duration_ms = Math.round(Number((yield* Clock.currentTimeNanos) - start) / 1e4) / 100
      log.lastExchange = { ...begun, status: response.status, duration_ms }
      yield* observe(log, request, response)
      return response
    })
  )
}
