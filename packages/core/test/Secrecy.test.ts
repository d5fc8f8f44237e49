import { assert, describe, it } from "@effect/vitest"
import { V4Api } from "@webagent/contract/v4"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { ContractClient, RetryPolicy, Transport } from "../src/index.ts"
import { layer } from "./client.ts"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"

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

const answers: Readonly<Record<string, Answer>> = {
  "401 that echoes the key": { status: 401, text: echo },
  "404 that echoes the key": { status: 404, text: echo },
  "422 that echoes the key": {
    status: 422,
    json: { detail: [{ loc: [key], msg: key, type: key }] }
  },
  "429 that echoes the key": { status: 429, text: echo },
  "500 that echoes the key": { status: 500, text: `<html>${key}</html>` },
  "redirect that echoes the key": { status: 302, text: key, headers: { location: "/elsewhere" } },
  "success that cannot be decoded": { status: 200, json: { id: key, status: 1 } },
  "cut connection": (response) => response.destroy(),
  "no answer": () => undefined
}

describe("the key", () => {
  for (const [name, answer] of Object.entries(answers)) {
    it.live(`is nowhere to be seen after: ${name}`, () => {
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
        server.script = () => answer
        const api = yield* ContractClient.make("v4", V4Api)
        const exit = yield* api.runs.get({ params: { run_id: "r" } }).pipe(
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
        Effect.provide(layer({ apiKey: key, requestTimeout: "50 millis" })),
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
      const response = yield* transport.execute("v4", HttpClientRequest.get("/x"))
      assertHidden("response", response)
      assertHidden("request", response.request)
      assertHidden("transport", transport)
    }).pipe(Effect.provide(layer({ apiKey: key })))
  )

  it("would be found, were it there", () => {
    const request = HttpClientRequest.get("http://a.example", { headers: { "x-service-api-key": key } })
    assert.isTrue(views(request).some((view) => view.includes(key)))
  })
})
