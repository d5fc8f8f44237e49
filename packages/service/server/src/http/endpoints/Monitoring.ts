import { ApiKeyAuth } from "@webagent/contract"
import { apiKeyHeader } from "@webagent/contract/Wire"
import { Traces } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as References from "effect/References"
import * as Redacted from "effect/Redacted"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as LazyGroup from "../../api/LazyGroup.ts"
import { TrustedProxies } from "../../api/TrustedProxies.ts"
import * as V4 from "../../api/v4/Handlers.ts"
import { operationOf } from "../policy/ApiKeyAuth.ts"
import { Counted } from "../policy/KeyLimits.ts"
import { pathOf } from "../policy/RequestPath.ts"
import * as Identity from "./Identity.ts"
import { ServerApi } from "./ServerApi.ts"
import * as RequestFacts from "../policy/RequestFacts.ts"

/** The health of a server. Send requests only to a server that is `ok`. The other fields are for callers with a key. */
export interface HealthView {
  readonly status: "ok" | "draining" | "unavailable"
  /** Cause of `unavailable` for everybody, without details of the machine. */
  readonly reason?: string
  readonly [part: string]: unknown
}

/** State of the server for `/ready`, `/health` and `/metrics`. */
export const Monitoring: Context.Reference<{
  readonly health: Effect.Effect<HealthView>
  /** Sets the gauges before they are read. */
  readonly sample: Effect.Effect<void>
}> = Context.Reference("@webagent/server/Monitoring", {
  defaultValue: () => ({ health: Effect.succeed<HealthView>({ status: "ok" }), sample: Effect.void })
})

/** An operation that a key must be valid for; its scope doesn't matter. */
const read = operationOf(V4.Served.groups.runs, "get")

/** Time limit for checking a key, because a probe must detect that the store is unreachable. */
const keyCheckTimeout = "1 second"

/** True if a request has a valid key, regardless of the key's scopes and limits. */
const hasValidKey = Effect.fnUntraced(function* (auth: ApiKeyAuth["Service"]) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const key = headers[apiKeyHeader.toLowerCase()]
  if (key === undefined) return false
  const checked = auth.apiKey(Effect.succeed(HttpServerResponse.empty()), { credential: Redacted.make(key), ...read })
  return yield* checked.pipe(
    Effect.provideService(Counted, true),
    Effect.timeout(keyCheckTimeout),
    // a key without the scope is valid; any other response means that the key was not checked
    Effect.map(({ status }) => status === 204 || status === 403),
    Effect.catchCause(() => Effect.succeed(false))
  )
})

/** Serves the health. Without a valid key, only the status and its reason: the details describe the machine. */
const probe = Effect.fnUntraced(function* (health: Effect.Effect<HealthView>, auth: ApiKeyAuth["Service"]) {
  const [view, isDetailed] = yield* Effect.all([health, hasValidKey(auth)], { concurrency: "unbounded" })
  const { reason, status } = view
  return HttpServerResponse.jsonUnsafe(isDetailed ? view : { status, ...(reason === undefined ? {} : { reason }) }, {
    status: status === "ok" ? 200 : 503
  })
})

/** The label of a metric with the name of an API key. A metric with it is only for callers with a key. */
const keyLabel = "key"

/** Serves the metrics. Without a valid key, it omits those of single API keys, because their names can name customers. */
const metrics = Effect.fnUntraced(function* (sample: Effect.Effect<void>, auth: ApiKeyAuth["Service"]) {
  const [isDetailed] = yield* Effect.all([hasValidKey(auth), sample], { concurrency: "unbounded" })
  const all = yield* Metric.MetricRegistry
  const shown = isDetailed
    ? all
    : new Map([...all].filter(([, { attributes }]) => attributes === undefined || !(keyLabel in attributes)))
  const text = yield* Effect.provideService(PrometheusMetrics.format(), Metric.MetricRegistry, shown)
  return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
})

/** `/`, `/ready`, `/health` and `/metrics`. `/metrics` has counts, and no content of runs. */
export const layer = (about: Identity.About) =>
  LazyGroup.make(ServerApi, "service", function* (handlers) {
    const { health, sample } = yield* Monitoring
    const auth = yield* ApiKeyAuth
    return handlers.handleAll({
      identity: () => Identity.respond(about),
      ready: () => probe(health, auth),
      health: () => probe(health, auth),
      metrics: () => metrics(sample, auth)
    })
  })

const description = "Requests by API version, method and status"

const boundaries_s = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const makeOnce = <A>(make: (...attributes: ReadonlyArray<string>) => A) => {
  const made = new Map<string, A>()
  return (...attributes: ReadonlyArray<string>) => {
    const name = attributes.join(" ")
    const metric = made.get(name) ?? make(...attributes)
    made.set(name, metric)
    return metric
  }
}

const requests = makeOnce((version = "", method = "", status = "") =>
  Metric.counter("webagent_http_requests_total", {
    description,
    attributes: { version, method, status },
    incremental: true
  })
)

const durations = makeOnce((version = "", method = "") =>
  Metric.histogram("webagent_http_request_duration_seconds", {
    description: "How long requests take until their response begins",
    attributes: { version, method },
    boundaries: boundaries_s
  })
)

const labeledMethods = new Set(["GET", "HEAD", "POST", "PATCH"])

/** Number of characters of a path in the log. */
const maxPath = 200

/** Hides an API key that a client put into a path. */
const keys = /wak_[\w-]+/gu

/** A path without secrets: a query may have a token, and so may the part after the id in the path of a link. */
const shown = (url: string): string => {
  const path = pathOf(url)
  const visible = path.startsWith("/api/") ? path : path.split("/").slice(0, 3).join("/")
  return visible.replaceAll(keys, "[key]").slice(0, maxPath)
}

const probes = new Set(["/ready", "/health"])

/** Adds a span around a request if the server exports traces. Its parent is the client's span, as in `traceparent`. */
const traced =
  (
    { headers, method, url }: HttpServerRequest.HttpServerRequest,
    facts: RequestFacts.RequestFacts,
    clock: Clock.Clock
  ) =>
  <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>): typeof app =>
    Effect.withFiber((fiber) => {
      const traces = fiber.getRef(Traces.Traces)
      if (traces === null || probes.has(url) || url === "/metrics") return app
      const span = Traces.startSpan(traces.tracer, method, clock.currentTimeNanosUnsafe(), {
        kind: "server",
        parent: Option.getOrUndefined(HttpTraceContext.w3c(headers)),
        attributes: { "http.request.method": method, "url.path": shown(url), "webagent.request.id": facts.id }
      })
      return Effect.onExit(Effect.provideService(app, Traces.CurrentSpan, span), (exit) =>
        Effect.sync(() => {
          const status = Exit.isSuccess(exit) ? exit.value.status : 499
          span.attribute("http.response.status_code", status)
          if (facts.route !== undefined) {
            span.attribute("http.route", facts.route)
            // the exporter reads the name when the span ends, and the route is known only then
            Object.assign(span, { name: `${method} ${facts.route}` })
          }
          Traces.endSpan(span, clock.currentTimeNanosUnsafe(), status >= 500 ? String(status) : undefined)
        })
      )
    })

/** Number of refused keys that are logged per minute, because a client without a key could otherwise fill the disk. */
const refusedPerMinute = 60

/** Limits the log lines of refused keys. */
const makeRefusals = () => {
  let minute = -1
  let count = 0
  return {
    /** The number of refused keys of the last minute that weren't logged; each is returned once. */
    notLogged: (now_ms: number): number => {
      const now = Math.floor(now_ms / 60_000)
      if (now === minute) return 0
      const more = Math.max(0, count - refusedPerMinute)
      minute = now
      count = 0
      return more
    },
    isLogged: (): boolean => ++count <= refusedPerMinute
  }
}

/** Counts, times and logs every request. Neither paths nor names of keys are labels. */
export const measured = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest | Scope.Scope> => {
  const refusals = makeRefusals()

  const kindOf = (url: string, status: number) => {
    if (status === 401 && refusals.isLogged()) return { level: "Info", message: "Refused an API key" } as const
    // the 503 of a probe is normal while a server drains
    return { level: status < 500 || probes.has(url) ? "Debug" : "Warn", message: "Request" } as const
  }

  /** The line of a request; undefined below the minimum level. */
  const lineOf = (
    { method, url }: HttpServerRequest.HttpServerRequest,
    facts: RequestFacts.RequestFacts,
    status: number,
    took_s: number,
    minimum: LogLevel.LogLevel
  ): Effect.Effect<void> | undefined => {
    const { level, message } = kindOf(url, status)
    if (LogLevel.isGreaterThan(minimum, level)) return undefined
    return Effect.annotateLogs(Effect.logWithLevel(level)(message), {
      method,
      path: shown(url),
      status,
      ms: Math.round(took_s * 1000),
      request: facts.id,
      client: facts.address(),
      ...(facts.key === undefined ? {} : { key: facts.key })
    })
  }

  return Effect.withFiber((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const clock = fiber.getRef(Clock.Clock)
    const facts = RequestFacts.make(request, fiber.getRef(Random.Random), fiber.getRef(TrustedProxies))
    const version = /^\/api\/(v[234])\//u.exec(request.url)?.[1] ?? "other"
    const method = labeledMethods.has(request.method) ? request.method : "other"
    const began_ns = clock.currentTimeNanosUnsafe()
    const noted = Effect.provideService(app, RequestFacts.RequestFacts, facts)
    return Effect.flatMap(traced(request, facts, clock)(noted), (response) => {
      const { status } = response
      const took_s = Number(clock.currentTimeNanosUnsafe() - began_ns) / 1e9
      requests(version, method, String(status)).updateUnsafe(1, fiber.context)
      durations(version, method).updateUnsafe(took_s, fiber.context)
      const identified = HttpServerResponse.setHeader(response, RequestFacts.requestIdHeader, facts.id)
      const more = refusals.notLogged(clock.currentTimeMillisUnsafe())
      const line = lineOf(request, facts, status, took_s, fiber.getRef(References.MinimumLogLevel))
      if (more === 0) return line === undefined ? Effect.succeed(identified) : Effect.as(line, identified)
      const summary = Effect.logInfo(
        `Refused ${more} more API keys at least one minute ago. Each minute logs ${refusedPerMinute} of them.`
      )
      return Effect.as(Effect.andThen(summary, line ?? Effect.void), identified)
    })
  })
}
