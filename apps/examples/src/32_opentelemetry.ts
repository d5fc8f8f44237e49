/**
 * Sends a client's telemetry to an OpenTelemetry collector: a trace of each run with its calls, attempts and waits,
 * metrics, and a log. The exporter is part of Effect, so no SDK is needed.
 *
 * Run: OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 32_opentelemetry
 */
import { Runs, V4 } from "@webagent/v4"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"

/** Sends traces, metrics and logs to a collector, the last ones when the program exits. */
export const layerTelemetry = Layer.unwrap(
  Effect.map(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT"), (baseUrl) =>
    Otlp.layerJson({ baseUrl, resource: { serviceName: "flights" } })
  )
).pipe(Layer.provide(FetchHttpClient.layer))

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const run = yield* runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
  yield* Effect.logInfo("The flight is found", { status: run.status })
  return run.result
}).pipe(Effect.withSpan("find a flight"))

export const layer = V4.layer().pipe(Layer.provideMerge(layerTelemetry))
