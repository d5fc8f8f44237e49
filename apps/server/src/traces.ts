import { Agent, BrowserPool, type Execution, type Reports, Store, Traces, Turn } from "@webagent/engine"
import { version } from "@webagent/server"
import { usage } from "@webagent/cli/UserError"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Tracer from "effect/Tracer"

/** Time limit for a request to the collector: OpenTelemetry's default. Spans are dropped after it. */
const exportTimeout = "10 seconds"

/** The client of the exporter. It logs once that spans can't be sent, and once that they can again. */
const layerClient = (address: string) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      let isAway = false
      const away = (reason: string) =>
        Effect.suspend(() => {
          if (isAway) return Effect.void
          isAway = true
          return Effect.logWarning(
            `Cannot send traces to ${address}: ${reason}. They are dropped until it responds; runs are not affected.`
          )
        })
      const back = Effect.suspend(() => {
        if (!isAway) return Effect.void
        isAway = false
        return Effect.logInfo(`Traces are sent to ${address} again`)
      })
      return HttpClient.transform(client, (response, request) =>
        response.pipe(
          Effect.timeoutOrElse({
            duration: exportTimeout,
            orElse: () => {
              const description = `no response within ${exportTimeout}`
              return Effect.fail(
                new HttpClientError.HttpClientError({
                  reason: new HttpClientError.TransportError({ request, description })
                })
              )
            }
          }),
          Effect.tap(({ status }) => (status < 400 ? back : away(`status ${status}`))),
          Effect.tapError(({ reason }) => away(reason.description ?? "no connection"))
        )
      )
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))

const endpoint = Config.option(
  Config.orElse(Config.NonEmptyString("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), () =>
    Config.NonEmptyString("OTEL_EXPORTER_OTLP_ENDPOINT")
  )
)

const protocol = Config.orElse(Config.NonEmptyString("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), () =>
  Config.NonEmptyString("OTEL_EXPORTER_OTLP_PROTOCOL")
).pipe(Config.withDefault("http/json"))

const contentsName = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

/** The values of OpenTelemetry's variable for contents. A server exports no events. */
const contentsValues: ReadonlyMap<string, boolean> = new Map([
  ["false", false],
  ["no_content", false],
  ["true", true],
  ["span_only", true],
  ["span_and_event", true]
])

const contents = Effect.gen(function* () {
  const value = yield* Config.withDefault(Config.NonEmptyString(contentsName), "false")
  const hasContents = contentsValues.get(value.toLowerCase())
  if (hasContents !== undefined) return hasContents
  return yield* usage(
    `${contentsName} is ${value}. Use SPAN_ONLY to export what models and pages say in spans, or NO_CONTENT.`
  )
})

const serializations = {
  "http/json": OtlpSerialization.layerJson,
  "http/protobuf": OtlpSerialization.layerProtobuf
}

const isServed = (name: string): name is keyof typeof serializations => Object.hasOwn(serializations, name)

/** Variables that a server sets for Effect's exporter, which otherwise exports nothing and requires a name. */
const defaults = ConfigProvider.fromEnvRecord({ OTEL_TRACES_EXPORTER: "otlp", OTEL_SERVICE_NAME: "webagent-server" })

/**
 * Exports traces over OTLP if `OTEL_EXPORTER_OTLP_ENDPOINT` is set. The standard variables for headers, compression,
 * batches, the service's name and its attributes apply.
 */
export const layerTraces = Layer.unwrap(
  Effect.gen(function* () {
    const address = Option.getOrUndefined(yield* endpoint)
    if (address === undefined || (yield* Config.withDefault(Config.Boolean("OTEL_SDK_DISABLED"), false))) {
      return Layer.empty
    }
    const url = URL.parse(address)
    if (url === null || !/^https?:$/u.test(url.protocol)) {
      return yield* usage(
        "OTEL_EXPORTER_OTLP_ENDPOINT must be the address of a collector such as http://127.0.0.1:4318."
      )
    }
    const name = yield* protocol
    if (!isServed(name)) {
      return yield* usage(
        `OTEL_EXPORTER_OTLP_PROTOCOL is ${name}. Use http/json or http/protobuf and the collector's port for HTTP, usually 4318.`
      )
    }
    const hasContents = yield* contents
    const exporter = OtlpTracer.layerFromConfig({ resource: { serviceVersion: version } }).pipe(
      Layer.provide([serializations[name], layerClient(url.origin)]),
      Layer.provide(
        Layer.effect(
          ConfigProvider.ConfigProvider,
          Effect.map(ConfigProvider.ConfigProvider, (set) => ConfigProvider.orElse(set, defaults))
        )
      )
    )
    return Layer.effect(
      Traces.Traces,
      Effect.map(Effect.serviceOption(Tracer.Tracer), (tracer) =>
        Option.getOrNull(Option.map(tracer, (tracer) => ({ tracer, runs: new Map(), hasContents })))
      )
    ).pipe(Layer.provide(exporter))
  })
)

/** Adds a span to each commit. */
export const layerTracedStore = Layer.effect(
  Store,
  Effect.map(Store, (store) =>
    Store.of({
      ...store,
      commit: (step) =>
        store.commit(step).pipe(
          Traces.traced("commit", {
            sessionId: step.session?.id ?? step.browser?.sessionId,
            attributes: { "webagent.events": step.events.length }
          })
        )
    })
  )
)

/** Adds a span to each launch of a browser, which includes its wait for room. */
export const layerTracedBrowsers = Layer.effect(
  BrowserPool,
  Effect.map(BrowserPool, (pool) =>
    BrowserPool.of({
      ...pool,
      launch: (browser, wait) =>
        pool.launch(browser, wait).pipe(
          Traces.traced("launch browser", {
            sessionId: browser.sessionId,
            attributes: { "webagent.browser.id": browser.id }
          })
        )
    })
  )
)

/** Adds a span to the work of this node on each run. Its parent is the request that created the run. */
export const layerTracedAgent = Layer.effect(
  Agent,
  Effect.gen(function* () {
    const agent = yield* Agent
    const traces = yield* Traces.Traces
    if (traces === null) return agent
    const { runs, tracer } = traces
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeNanosUnsafe()

    /** By execution: the commit that ends a run may begin the session's next one before its report is over. */
    const spans = new WeakMap<Execution, Tracer.Span>()

    const end = (execution: Execution, failure?: string) => {
      const span = spans.get(execution)
      if (span === undefined) return
      spans.delete(execution)
      if (runs.get(execution.sessionId) === span) runs.delete(execution.sessionId)
      Traces.endSpan(span, now(), failure)
    }
    const finish = (execution: Execution, turn: Turn.Turn) => {
      const span = spans.get(execution)
      span?.attribute("webagent.run.status", turn.status)
      span?.attribute("webagent.run.reason", Turn.reasonOf(turn))
      span?.attribute("webagent.run.steps", turn.steps)
      end(execution, turn.status === "failed" ? Turn.reasonOf(turn) : undefined)
    }
    const gone = (execution: Execution, ending: string, failure?: string) =>
      Effect.sync(() => {
        spans.get(execution)?.attribute("webagent.agent.ending", ending)
        end(execution, failure)
      })
    const tracedReports = (reports: Reports): Reports => ({
      ...reports,
      onEvent: (execution, ...event) =>
        Effect.tap(reports.onEvent(execution, ...event), (turn) =>
          Effect.sync(() => {
            if (turn !== undefined && Turn.isTerminal(turn.status)) finish(execution, turn)
          })
        ),
      onEnd: (execution, ending) => {
        const failure = ending._tag === "Failed" ? (ending.failure ?? "agent") : undefined
        return Effect.andThen(reports.onEnd(execution, ending), gone(execution, ending._tag, failure))
      },
      onCrash: (execution, defect) =>
        Effect.andThen(reports.onCrash(execution, defect), gone(execution, "Crashed", "agent_crashed"))
    })
    const begin = ({ attempt, id, model, sessionId, traceparent = "" }: Turn.Turn) => {
      const parent = Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent })))
      const attributes = {
        "webagent.run.id": id,
        "webagent.session.id": sessionId,
        "webagent.run.attempt": attempt,
        "webagent.model": model
      }
      const span = Traces.startSpan(tracer, "run", now(), { attributes, kind: "consumer", parent })
      runs.set(sessionId, span)
      return span
    }
    return Agent.of({
      ...agent,
      serve: (reports) =>
        Effect.map(agent.serve(tracedReports(reports)), (execute) => (turn, token) => {
          const execution = execute(turn, token)
          spans.set(execution, begin(turn))
          return execution
        })
    })
  })
)
