import { assert, it, layer } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { apiKeyHeader, operations, runStatuses } from "@webagent/contract/Wire"
import { ClientConfig, Transport } from "@webagent/core"
import * as ScenarioContexts from "@webagent/scenario/ScenarioContexts"
import { Server, simulate } from "@webagent/simulation"
import { Browsers, Runs, V4 } from "@webagent/v4"
import { Profiles, Workspaces } from "@webagent/v4/account"
import { WebAgent } from "@webagent/v4/promise"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as createARun from "../src/10_create-a-run.ts"
import * as handleErrors from "../src/11_handle-errors.ts"
import * as typedResult from "../src/12_typed-result.ts"
import * as waitAgain from "../src/13_wait-again.ts"
import * as progress from "../src/14_progress.ts"
import * as manyRuns from "../src/15_many-runs.ts"
import * as followUp from "../src/16_follow-up.ts"
import * as interrupt from "../src/17_interrupt.ts"
import * as controlABrowser from "../src/18_control-a-browser.ts"
import * as pollSchedule from "../src/19_poll-schedule.ts"
import * as configureByValues from "../src/20_configure-by-values.ts"
import * as customHttpClient from "../src/21_custom-http-client.ts"
import * as unlistedEndpoint from "../src/22_unlisted-endpoint.ts"
import * as v2Session from "../src/23_v2-session.ts"
import * as v3Session from "../src/24_v3-session.ts"
import * as threeVersions from "../src/25_three-versions.ts"
import * as embeddedServer from "../src/26_embedded-server.ts"
import flights from "../src/28_flights.suite.ts"
import * as ledger from "../src/29_ledger.ts"
import * as promises from "../src/30_promises.ts"
import * as promisesBrowser from "../src/31_promises-browser.ts"
import * as openTelemetry from "../src/32_opentelemetry.ts"
import * as eventsOfARun from "../src/34_events.ts"
import * as profile from "../src/35_profile.ts"
import * as files from "../src/36_files.ts"
import * as handOff from "../src/37_hand-off.ts"
import * as runOptions from "../src/38_run-options.ts"
import slowest from "../src/33_slowest.reporter.ts"
import * as service from "./service.ts"

const home = fileURLToPath(new URL("../", import.meta.url))

/** What a program logs, beside what it returns. */
const withLogs = Effect.fnUntraced(function* <A, E, R>(program: Effect.Effect<A, E, R>) {
  const logs: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void logs.push(String(message)))
  const value = yield* Effect.provide(program, Logger.layer([logger]))
  return { value, logs }
})

// with layers of its own, not those that all examples share
const local = { local: true } as const

const overLogging = V4.layerServices.pipe(
  Layer.provide(Transport.layer),
  Layer.provide([ClientConfig.layerConfig, customHttpClient.layerHttpClient])
)

/** A collector of OpenTelemetry: keeps what is sent to it. */
const collecting = Effect.gen(function* () {
  const bodies: Array<{ readonly path: string; readonly body: string }> = []
  const { address } = yield* service.answering((response) => {
    const { req: request } = response
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      bodies.push({ path: request.url ?? "", body })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  return {
    address,
    received: (path: string) => bodies.filter((one) => one.path.includes(path)).map(({ body }) => body)
  }
})

const Spans = Schema.fromJsonString(
  Schema.Struct({
    resourceSpans: Schema.Array(
      Schema.Struct({
        scopeSpans: Schema.Array(
          Schema.Struct({
            spans: Schema.Array(
              Schema.Struct({
                name: Schema.String,
                traceId: Schema.String,
                spanId: Schema.String,
                parentSpanId: Schema.optionalKey(Schema.String),
                attributes: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.Unknown }))
              })
            )
          })
        )
      })
    )
  })
)

/** The spans of a request to a collector. */
const resourceSpans = (body: string) =>
  Schema.decodeUnknownSync(Spans)(body)
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)

const flight = "Simulated result of: Find the cheapest direct flight from Oslo to Rome in May"

layer(service.layer, { excludeTestServices: true })("examples", (it) => {
  it.effect("10_create-a-run returns the agent's result", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* createARun.program, flight)
    })
  )

  it.effect("11_handle-errors reports a completed run as done", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* handleErrors.program, "Done: Simulated result of: Buy the red mug")
    })
  )

  it.effect("12_typed-result returns a typed offer, or an error that keeps the run", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* typedResult.program, "Norwegian: 89.00 EUR")
      const error = yield* Effect.flip(typedResult.find("Find a flight [simulate output=none cost=0.02]"))
      if (error._tag !== "ResultMismatchError") return assert.fail(error.message)
      assert.deepStrictEqual([error.run.result, error.run.cost], ["none", "0.02"])
    })
  )

  it.effect("13_wait-again ends its first wait at the deadline, and the second with the run", () =>
    Effect.gen(function* () {
      const { logs, value } = yield* withLogs(waitAgain.program)
      assert.strictEqual(value, "completed")
      assert.lengthOf(logs, 1)
      assert.match(logs[0] ?? "", /^run \S+ is still "\w+" after \d+ms and \d+ polls\. It may continue/u)
    })
  )

  it.effect("14_progress shows each status once, the terminal one last", () =>
    Effect.gen(function* () {
      const { logs, value } = yield* withLogs(progress.program)
      assert.strictEqual(value.at(-1), "completed")
      // a slow machine may miss one, never repeat one or swap two
      assert.deepStrictEqual(
        value,
        runStatuses.filter((status) => value.includes(status))
      )
      assert.deepStrictEqual(
        logs.map((line) => line.split(" ").at(-1)),
        value
      )
    })
  )

  it.effect("15_many-runs finds three, explains the failed one, and sums up exactly", () =>
    Effect.gen(function* () {
      const { logs, value } = yield* withLogs(manyRuns.program)
      assert.deepStrictEqual(value.found, ["Aegean", "Norwegian", "TAP"])
      assert.lengthOf(value.failed, 1)
      assert.match(value.failed[0] ?? "", /^Run \S+ failed: no airport\. It cost 0\.01 USD\.$/u)
      assert.deepStrictEqual(value.cost, { total: "0.36", known: 4, unknown: 0 })
      assert.deepStrictEqual(logs.at(-1), "4 of 4 have ended, 1 without a result")
    })
  )

  it.effect("16_follow-up has a result for each turn", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* followUp.program, [flight, "Simulated result of: Now the same for June"])
    })
  )

  it.effect("17_interrupt cancels the running run, and completes the message's", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* interrupt.program, ["cancelled", "completed"])
    })
  )

  it.effect("18_control-a-browser reads the browser's version, and stops it", () =>
    Effect.gen(function* () {
      const { logs, value } = yield* withLogs(Effect.provide(controlABrowser.program, overLogging, local))
      assert.strictEqual(value, "SimulatedBrowser/1.0")
      assert.deepStrictEqual(
        logs.map((line) => line.replace(/http.*\/api/u, "/api").replace(/[\w-]{36}$/u, "ID")),
        ["POST /api/v4/browsers", "PATCH /api/v4/browsers/ID"]
      )
    })
  )

  it.effect("19_poll-schedule finishes both runs, and the patient one polls rarely", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* pollSchedule.program, ["completed", "completed"])
      const delays_ms = [0, 10_000, 100_000, 3_600_000].map((elapsed_ms, polls) =>
        pollSchedule.patient.delay_ms({ elapsed_ms, polls })
      )
      assert.deepStrictEqual(delays_ms, [5000, 2000, 10_000, 60_000])
    })
  )

  it.effect("20_configure-by-values uses the given address and key", () =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      const run = (key: string) =>
        configureByValues.program.pipe(
          Effect.provide(configureByValues.layer, local),
          Effect.provide(service.environment({ FLIGHTS_AGENT_URL: `${address}/api/v4`, FLIGHTS_AGENT_KEY: key }))
        )
      assert.strictEqual(yield* run(apiKeys[0] ?? ""), "completed")
      assert.strictEqual((yield* Effect.flip(run("wak_other")))._tag, "UnauthorizedError")
    })
  )

  it.effect("21_custom-http-client logs each request, but not the key", () =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      const { logs, value } = yield* withLogs(Effect.provide(customHttpClient.program, overLogging, local))
      assert.strictEqual(value, "completed")
      assert.strictEqual(logs[0], `POST ${address}/api/v4/runs`)
      assert.match(logs.at(-2) ?? "", /^GET .*\/status$/u)
      assert.match(logs.at(-1) ?? "", /^GET .*\/api\/v4\/runs\/[\w-]{36}$/u)
      assert.notInclude(logs.join(), apiKeys[0] ?? "")
    })
  )

  it.effect("22_unlisted-endpoint lists the described operations of the server's own document", () =>
    Effect.gen(function* () {
      const described = new Set(Object.values(operations.v4).map(({ path }) => path))
      assert.includeMembers([...(yield* unlistedEndpoint.program)], [...described])
    })
  )

  it.effect("23_v2-session shows a task's cost and verdict", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const task = "Buy the red mug [simulate output=ordered cost=0.0132 success=true judge=false]"
      const { sessionId } = yield* runs.create({ task })
      const tasks = yield* Effect.provide(v2Session.program, service.environment({ SESSION_ID: sessionId ?? "" }))
      const { createdAt, ...rest } = tasks[0] ?? assert.fail("no task")
      assert.deepStrictEqual(rest, {
        status: "finished",
        output: "ordered",
        isSuccess: true,
        judgeVerdict: false,
        cost: "0.0132"
      })
      assert.lengthOf(tasks, 1)
      assert.match(createdAt ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u)
    })
  )

  it.effect("24_v3-session reaches the idle state with its result", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* v3Session.program, { status: "idle", result: "Norwegian" })
    })
  )

  it.effect("25_three-versions shows one run in three versions", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* threeVersions.program, {
        v2: [{ cost: "0.0132", judgeVerdict: true, output: "ordered", status: "finished" }],
        v3: { status: "idle", result: "ordered" },
        v4: { status: "completed", result: "ordered" }
      })
    })
  )

  it.effect("26_embedded-server fails about a third of the runs, and the same ones each time", () =>
    Effect.gen(function* () {
      const run = Effect.provide(embeddedServer.program, embeddedServer.layer, local)
      const [first, again] = yield* Effect.all([run, run], { concurrency: 2 })
      assert.deepStrictEqual(first, again)
      assert.strictEqual((first["completed"] ?? 0) + (first["failed"] ?? 0), 30)
      assert.isTrue((first["failed"] ?? 0) >= 5 && (first["failed"] ?? 0) <= 15, JSON.stringify(first))
    })
  )

  it.effect("29_ledger lets the next process find and stop a leftover browser", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { address, apiKeys } = yield* Server
      const settings = service.environment({
        LEDGER_DIRECTORY: yield* fs.makeTempDirectoryScoped(),
        WEBAGENT_BASE_URL: address,
        WEBAGENT_API_KEY: apiKeys[0] ?? ""
      })
      // each layer is another process, but for its memory
      const start = <A, E>(effect: Effect.Effect<A, E, Browsers | Runs>) =>
        effect.pipe(Effect.provide(Layer.provide(ledger.layer, settings), local))
      const [browserId, runId] = yield* start(
        Effect.gen(function* () {
          const browser = yield* (yield* Browsers).create()
          const run = yield* (yield* Runs).create({ task: "Wait [simulate duration=10m]" })
          return [browser.id, run.id]
        })
      )
      assert.deepStrictEqual(yield* start(ledger.program), [
        `stopped browser ${browserId}`,
        `run ${runId} is opened: it may run, and cost`
      ])
      assert.deepStrictEqual(yield* start(ledger.program), [`run ${runId} is opened: it may run, and cost`])
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.effect("30_promises shows each status, then the result", () =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      const agent = new WebAgent({ baseUrl: address, apiKey: apiKeys[0] })
      assert.strictEqual(yield* Effect.promise(() => promises.program(agent)), flight)
      const left = AbortSignal.abort(new Error("Ctrl-C"))
      const error = yield* Effect.flip(Effect.tryPromise(() => promises.program(agent, left)))
      assert.strictEqual(error.cause, left.reason)
    })
  )

  it.effect("30_promises shows when to retry after a 429", () =>
    Effect.promise(async () => {
      const faults = [{ fault: { kind: "status", status: 429, retryAfter: "2s" } }] as const
      await using service = await simulate({ faults })
      await using agent = new WebAgent(service.client)
      assert.strictEqual(await promises.program(agent), "Try again in 2000 ms")
    })
  )

  it.effect("32_opentelemetry sends a run's trace, metrics and a log, without the key", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Server
      const collector = yield* collecting
      const settings = service.environment({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address })
      const result = openTelemetry.program.pipe(
        Effect.provide(Layer.provide(openTelemetry.layerTelemetry, settings), local)
      )
      assert.strictEqual(yield* result, flight)

      const spans = Array.from(collector.received("/v1/traces"), (body) => resourceSpans(body)).flat()
      const named = (name: string) => spans.filter((span) => span.name === name)
      const [whole] = named("find a flight")
      const [wait] = named("v4.Runs.createAndWait")
      const [create] = named("v4.Runs.create")
      assert.strictEqual(wait?.parentSpanId, whole?.spanId)
      assert.strictEqual(create?.parentSpanId, wait?.spanId)
      const [post] = named("POST")
      assert.strictEqual(post?.parentSpanId, create?.spanId)
      const method = post?.attributes.find(({ key }) => key === "http.request.method")
      assert.deepStrictEqual(method?.value, { stringValue: "POST" })
      assert.isAtLeast(named("GET").length, 2)
      assert.deepStrictEqual(Array.from(new Set(spans.map(({ traceId }) => traceId))), [whole?.traceId])

      assert.include(collector.received("/v1/metrics").join(), "webagent_client_requests")
      assert.include(collector.received("/v1/logs").join(), "The flight is found")
      assert.notInclude(collector.received("").join(), apiKeys[0] ?? "no key")
    })
  )

  it.effect("31_promises-browser reads the browser's version, and stops it", () =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      const agent = new WebAgent({ baseUrl: address, apiKey: apiKeys[0] })
      assert.strictEqual(yield* Effect.promise(() => promisesBrowser.program(agent)), "SimulatedBrowser/1.0")
    })
  )

  it.effect("34_events shows the events of a run and its steps, then its result", () =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      const agent = new WebAgent({ baseUrl: address, apiKey: apiKeys[0] })
      const { status, steps } = yield* Effect.promise(() => eventsOfARun.program(agent))
      assert.strictEqual(status, "completed")
      assert.isAbove(steps, 0)
    })
  )

  it.effect("35_profile uses one profile in two browsers", () =>
    Effect.gen(function* () {
      const { logs, value } = yield* withLogs(Effect.provide(profile.program, Profiles.layer))
      assert.deepStrictEqual(value, { name: "Ada", isUsed: true })
      assert.deepStrictEqual(
        logs.map((line) => line.split(" ")[0]),
        ["Sign", "Buy"]
      )
    })
  )

  it.effect("36_files gives a run an uploaded file, and lists its downloads", () =>
    Effect.gen(function* () {
      const { attached, downloads, uploaded } = yield* Effect.provide(files.program, Workspaces.layer)
      assert.deepStrictEqual(
        attached,
        uploaded.flatMap((file) => file.id ?? [])
      )
      assert.deepStrictEqual([uploaded[0]?.path, downloads], ["prices.csv", []])
    })
  )

  it.effect("37_hand-off lets a run ask a person, and its result has the answer", () =>
    Effect.gen(function* () {
      const { logs, value } = yield* withLogs(handOff.program)
      assert.deepStrictEqual(logs, ["Which color? Red or Blue"])
      assert.strictEqual(value.status, "completed")
      assert.match(String(value.result), /Answer: Blue$/u)
    })
  )

  it.effect("38_run-options gives a run its own secrets and labels, and returns no value", () =>
    Effect.gen(function* () {
      const run = yield* runOptions.program
      assert.strictEqual(run.status, "completed")
      assert.deepInclude(run.raw, { tags: ["invoices"], metadata: { order: "17" }, maxCostUsd: "0.50" })
      assert.notInclude(JSON.stringify(run), "only a test")
    })
  )

  for (const scenario of flights.scenarios) {
    it.effect(`28_flights.suite: ${scenario.name}`, () =>
      Effect.gen(function* () {
        const { address, apiKeys, baseUrls } = yield* Server
        const contextOf = yield* ScenarioContexts.make(
          {
            name: "simulated service",
            address,
            baseUrls,
            apiKeyHeader,
            capabilities: new Set(scenario.needs)
          },
          Redacted.make(apiKeys[0] ?? "")
        )
        yield* Effect.scoped(scenario.run(contextOf(1)))
      }).pipe(Effect.provide(NodeHttpClient.layerUndici), Effect.provide(Socket.layerWebSocketConstructorGlobal))
    )
  }
})

it("33_slowest.reporter writes as many of the slowest scenarios as its options say", async () => {
  const directory = mkdtempSync(join(tmpdir(), "webagent-reporter-"))
  const reporter = slowest.make({
    options: { count: 2 },
    directory,
    files: [],
    page: undefined,
    replay: () => "",
    ignoring: () => undefined,
    commands: { program: "npx webagent-harness", history: "", quarantine: "" },
    reap: () => undefined,
    nights: [],
    history: undefined
  })
  const result = { suite: "flights", tags: [], needs: [], verdict: "passed", started_ms: 0, checks: 1 } as const
  for (const [name, duration_ms] of Object.entries({ books: 20, cancels: 5, searches: 30 })) {
    reporter.onScenarioEnded?.({ ...result, name, duration_ms, cost_usd: "0", trials: [] })
  }
  await reporter.onRunEnded?.({ report: undefined as never, findings: [], words: undefined as never })
  assert.strictEqual(readFileSync(join(directory, "slowest.txt"), "utf8"), "30 ms  searches\n20 ms  books\n")
  rmSync(directory, { recursive: true })
})

it("every example has a test", () => {
  const tests = readdirSync(`${home}test`)
    .map((file) => readFileSync(`${home}test/${file}`, "utf8"))
    .join("\n")
  const examples = readdirSync(`${home}src`).map((file) => file.replace(/\.m?[jt]s$/u, ""))
  // the name of an example's test begins with the example's
  assert.isEmpty(examples.filter((example) => !new RegExp(`["\`]${example}(?:["\`]|:? )`, "u").test(tests)))
})
