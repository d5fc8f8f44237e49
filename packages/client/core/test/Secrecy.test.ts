import { assert, describe, it } from "@effect/vitest"
import { V4Operations } from "@webagent/contract/v4"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import { ContractClient, LedgerFile, RetryPolicy, execute, Transport, withResponse } from "../src/index.ts"
import { layer } from "./client.ts"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"
import { hastened, silence } from "@webagent/scripted-server/Haste"

class Directory extends Context.Service<Directory, string>()("Directory") {
  static readonly layer = Layer.effect(
    this,
    Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
  )
}

const key = "wak_canary_5up3r53cr3t"

/** Everything by which a value can be looked at. */
const views = (value: unknown): ReadonlyArray<string> => [
  inspect(value, { depth: 20, showHidden: true, getters: true }),
  inspect(value, { depth: 20, customInspect: false }),
  String(value),
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part)) ?? "",
  ...(value instanceof Error ? [value.message, value.stack ?? ""] : [])
]

const assertHidden = (name: string, value: unknown) => {
  for (const view of views(value)) assert.notInclude(view, key, name)
}

const echo = JSON.stringify({ detail: `your key is ${key}`, id: key })

const answers: Readonly<Record<string, Answer | undefined>> = {
  "401 that echoes the key": { status: 401, text: echo },
  "404 that echoes the key": { status: 404, text: echo },
  "422 that echoes the key": {
    status: 422,
    json: { detail: [{ loc: [key], msg: key, type: key }] }
  },
  "429 that echoes the key": { status: 429, text: echo },
  "500 that echoes the key": { status: 500, text: `<html>${key}</html>` },
  "redirect that echoes the key": { status: 302, text: key, headers: { location: "/elsewhere" } },
  "success that cannot be decoded": { status: 200, json: { id: 1, task: key } },
  "cut connection": (response) => response.destroy(),
  "no answer": undefined
}

describe("the key", () => {
  for (const [name, answer] of Object.entries(answers)) {
    it.live(`isn't visible after: ${name}`, () => {
      const spans: Array<Tracer.NativeSpan> = []
      const logs: Array<unknown> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const logger = Logger.make((options) => void logs.push(options.message, Cause.pretty(options.cause)))
      return Effect.gen(function* () {
        const server = yield* ScriptedServer
        const silent = silence()
        server.script = () => answer ?? silent.answer
        const api = yield* ContractClient.make("v4", V4Operations)
        const exit = yield* api.runs.get({ params: { run_id: "r" } }).pipe(
          hastened(silent.arrived),
          Effect.tapCause((cause) => Effect.logError("failed", cause)),
          Effect.withSpan("outer"),
          Effect.exit
        )
        assert.strictEqual(server.requests[0]?.headers["x-service-api-key"], key)
        if (Exit.isSuccess(exit)) return assert.fail("it should fail")
        assertHidden("exit", exit)
        assertHidden("cause", Cause.pretty(exit.cause))
        for (const error of Cause.prettyErrors(exit.cause)) assertHidden("error", error)
        assert.isAbove(logs.length, 0)
        assertHidden("logs", logs)
        assert.isAbove(spans.length, 1)
        for (const span of spans) {
          assertHidden("span", { name: span.name, attributes: [...span.attributes], events: span.events })
          assertHidden("span status", span.status)
        }
      }).pipe(
        Effect.provide(layer({ apiKey: key })),
        Effect.provide(Logger.layer([logger])),
        Effect.withTracer(tracer),
        // the worst that an application can ask for
        Effect.provideService(HttpClient.TracerHeaderFilter, () => true),
        Effect.provideService(Headers.CurrentRedactedNames, []),
        Effect.provideService(RetryPolicy.Current, RetryPolicy.none)
      )
    })
  }

  it.live("is not in a raw response or the transport", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: {} })
      const transport = yield* Transport
      const response = yield* execute(transport, "v4", HttpClientRequest.get("/x"))
      assertHidden("response", response)
      assertHidden("request", response.request)
      assertHidden("transport", transport)
    }).pipe(Effect.provide(layer({ apiKey: key })))
  )

  it.live("is not in the headers of a response that echoes it", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: {}, headers: { "x-echo": `key ${key}`, "x-served-by": "a" } })
      const transport = yield* Transport
      const { response } = yield* withResponse(transport.exchange("v4", { method: "GET", url: "/x" }))
      assert.strictEqual(response?.headers["x-echo"], "key <redacted>")
      assert.strictEqual(response?.headers["x-served-by"], "a")
    }).pipe(Effect.provide(layer({ apiKey: key })))
  )

  it.live.each(["get", "post"])("isn't in the output of a process that crashes because of a failed %s", (method) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 418, text: echo })
      const program = fileURLToPath(new URL("crashing.ts", import.meta.url))
      const child = spawn(
        process.execPath,
        ["--conditions=@webagent/source", "--trace-uncaught", program, server.address, key, method],
        { stdio: ["ignore", "pipe", "pipe"] }
      )
      const said: Array<string> = []
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => void said.push(text))
      }
      const [code] = yield* Effect.promise(() => once(child, "close"))
      assert.strictEqual(code, 1)
      assert.include(said.join(""), "status 418")
      assert.notInclude(said.join(""), key)
      assert.strictEqual(server.requests[0]?.headers["x-service-api-key"], key)
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("isn't sent elsewhere, nor is a body, because no redirect is followed", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const other = Context.get(yield* Layer.build(Layer.fresh(ScriptedServer.layer)), ScriptedServer)
      other.script = () => ({ status: 201, json: { id: "stolen" } })
      const api = yield* ContractClient.make("v4", V4Operations)
      for (const status of [301, 302, 303, 307, 308]) {
        server.script = () => ({ status, headers: { location: `${other.address}/api/v4/runs` } })
        yield* Effect.flip(api.runs.create({ payload: { task: "secret" } }))
        yield* Effect.flip(Effect.asVoid(api.runs.get({ params: { run_id: "r" } })))
      }
      assert.strictEqual(server.requests.length, 10)
      assert.strictEqual(other.requests.length, 0)
    }).pipe(Effect.provide(layer({ apiKey: key })))
  )

  it.live("is in no log line at any level, in no metric and not in the ledger", () => {
    const logs: Array<unknown> = []
    const logger = Logger.make((options) => void logs.push(options.message, Cause.pretty(options.cause)))
    return Effect.gen(function* () {
      const server = yield* ScriptedServer
      const fs = yield* FileSystem.FileSystem
      const api = yield* ContractClient.make("v4", V4Operations)
      for (const answer of Object.values(answers)) {
        const silent = silence()
        server.script = () => answer ?? silent.answer
        const hasten = hastened(silent.arrived)
        yield* Effect.exit(hasten(api.runs.create({ payload: { task: "t" } })))
        yield* Effect.exit(hasten(api.browsers.update({ params: { browser_id: "b" }, payload: { action: "stop" } })))
      }
      assertHidden("logs", logs)
      assert.isAtLeast(logs.length, 4 * Object.keys(answers).length)
      assert.notInclude(yield* Metric.dump, key)
      const directory = yield* Directory
      const [name = ""] = yield* fs.readDirectory(directory)
      const ledger = yield* fs.readFileString(`${directory}/${name}`)
      assert.include(ledger, "opening")
      assert.notInclude(ledger, key)
    }).pipe(
      Effect.provide(
        layer({ apiKey: key }).pipe(
          Layer.provideMerge(Layer.unwrap(Effect.map(Directory, (directory) => LedgerFile.layer({ directory })))),
          Layer.provideMerge(Directory.layer),
          Layer.provideMerge(NodeFileSystem.layer)
        )
      ),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All"),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  })

  it("is found by these checks if a request contains it", () => {
    const request = HttpClientRequest.get("http://a.example", { headers: { "x-service-api-key": key } })
    assert.isTrue(views(request).some((view) => view.includes(key)))
  })
})
