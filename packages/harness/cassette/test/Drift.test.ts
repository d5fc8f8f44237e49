import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Exchange } from "../src/Cassette.ts"
import * as Drift from "../src/Drift.ts"
import * as ProxyApp from "../src/ProxyApp.ts"
import { ask, client, recording, served, simulated } from "./services.ts"

const tasks = [
  "Buy a mug [simulate duration=1ms output=done]",
  'Buy a cup [simulate duration=1ms outcome=failed error="no cup"]',
  'Buy a hat [simulate duration=1ms output={"price":12}]'
]

/** What a suite would do: runs to their end, a browser, a session of v2 and v3, and mistakes. */
const traffic = Effect.fnUntraced(function* (address: string, order: "forth" | "back" = "forth") {
  const { exchanges, http } = yield* recording()
  const v4 = `${address}/api/v4`
  const all = [...tasks, ...tasks]
  for (const task of order === "forth" ? all : all.toReversed()) {
    const { json: run } = yield* ask(http, "POST", `${v4}/runs`, { task })
    let status = ""
    for (let poll = 0; poll < 200 && !["completed", "failed"].includes(status); poll++) {
      status = (yield* ask(http, "GET", `${v4}/runs/${run.id}/status`)).json?.status ?? ""
      yield* Effect.sleep("5 millis")
    }
    yield* ask(http, "GET", `${v4}/runs/${run.id}`)
    yield* ask(http, "GET", `${address}/api/v2/sessions/${run.sessionId}`)
    yield* ask(http, "GET", `${address}/api/v3/sessions/${run.sessionId}`)
    const { json: browser } = yield* ask(http, "POST", `${v4}/browsers`, {})
    yield* ask(http, "PATCH", `${v4}/browsers/${browser.id}`, { action: "stop" })
  }
  yield* ask(http, "GET", `${v4}/runs/00000000-0000-4000-8000-000000000000`)
  yield* ask(http, "POST", `${v4}/runs`, {})
  return exchanges
})

interface Answer {
  readonly status: number
  readonly body: string
  readonly type: string
}

/** A server in front of the simulated service, whose answers are changed. */
const changed = Effect.fnUntraced(function* (
  address: string,
  change: (answer: Answer, path: string, method: string) => Partial<Answer> | undefined
) {
  const http = HttpClient.transform(yield* client, (effect, request: HttpClientRequest.HttpClientRequest) =>
    Effect.flatMap(effect, (response) =>
      Effect.map(response.text, (body) => {
        const answer = { status: response.status, body, type: response.headers["content-type"] ?? "" }
        const now = { ...answer, ...change(answer, new URL(request.url).pathname, request.method) }
        return HttpClientResponse.fromWeb(
          request,
          new Response(now.body, { status: now.status, headers: { "content-type": now.type } })
        )
      })
    )
  )
  return yield* served(ProxyApp.make(http, address))
})

/** Changes the JSON of the answers whose path and method match. */
const json =
  (method: string, path: RegExp, change: (body: Record<string, unknown>) => unknown) =>
  ({ body, status }: Answer, at: string, how: string) =>
    how === method && path.test(at) && status < 300 ? { body: JSON.stringify(change(JSON.parse(body))) } : undefined

const without = (field: string, object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field))

const everySecond = <A>(change: (value: A) => A) => {
  let count = 0
  return (value: A): A => (++count % 2 === 0 ? change(value) : value)
}

const isRun = /\/runs\/[^/]+$/u

/** Each a vendor's silent change, and the difference that says it: operation, field, before and after. */
const changes: ReadonlyArray<
  readonly [
    name: string,
    change: Parameters<typeof changed>[1],
    said: readonly [string, string | null, string | RegExp, string]
  ]
> = [
  [
    "a new field",
    json("GET", isRun, (run) => ({ ...run, steps: 3 })),
    ["v4.getRun", "steps", "missing", "new, always there"]
  ],
  [
    "a missing field",
    json("GET", isRun, (run) => without("cost", run)),
    ["v4.getRun", "cost", "always there", "missing"]
  ],
  [
    "a number in place of a decimal text",
    json("GET", isRun, (run) => ({ ...run, cost: Number(run["cost"]) })),
    ["v4.getRun", "cost", "string", "number"]
  ],
  [
    "a time without its zone",
    json("GET", isRun, (run) => ({ ...run, createdAt: String(run["createdAt"]).replace("Z", "") })),
    ["v4.getRun", "createdAt", "date-time", "date-time without zone"]
  ],
  [
    "an undescribed status",
    json("GET", /\/status$/u, ({ status }) => ({ status: status === "completed" ? "succeeded" : status })),
    ["v4.getRunStatus", "status", /completed/u, "succeeded"]
  ],
  [
    "a create that returns 200",
    ({ status }, path, method) =>
      method === "POST" && path.endsWith("/runs") && status === 201 ? { status: 200 } : {},
    ["v4.createRun", null, "201", "200"]
  ],
  [
    "an unknown run that returns 410",
    ({ status }, path) => (isRun.test(path) && status === 404 ? { status: 410 } : {}),
    ["v4.getRun", null, "404", "410"]
  ],
  [
    "errors in another format",
    ({ status }) => (status === 422 ? { body: JSON.stringify({ detail: "task is missing" }) } : {}),
    ["v4.createRun", "detail", "array", "string"]
  ],
  [
    "an object in place of a list",
    json("GET", /v2\/sessions/u, (session) => ({ ...session, tasks: { items: session["tasks"] } })),
    ["v2.getSession", "tasks", "array", "object"]
  ],
  [
    "another media type",
    (_, path) => (isRun.test(path) ? { type: "text/plain" } : {}),
    ["v4.getRun", null, "application/json", "text/plain"]
  ],
  [
    "a time that is always null",
    json("GET", isRun, (run) => ({ ...run, finishedAt: null })),
    ["v4.getRun", "finishedAt", "string", "null"]
  ],
  [
    "a missing field in each task",
    json("GET", /v2\/sessions/u, (session) => ({
      ...session,
      tasks: (session["tasks"] as ReadonlyArray<Record<string, unknown>>).map((task) => without("llm", task))
    })),
    ["v2.getSession", "tasks[].llm", "always there", "missing"]
  ],
  [
    "an undescribed status of a task",
    json("GET", /v2\/sessions/u, (session) => ({
      ...session,
      tasks: (session["tasks"] as ReadonlyArray<Record<string, unknown>>).map((task) => ({ ...task, status: "done" }))
    })),
    ["v2.getSession", "tasks[].status", "failed, finished", "done"]
  ],
  [
    "a field that every second response lacks",
    json(
      "POST",
      /\/browsers$/u,
      everySecond((browser) => without("cdpUrl", browser))
    ),
    ["v4.createBrowser", "cdpUrl", "always there", "in 3 of 6"]
  ],
  [
    "a field that was always null",
    json("POST", /\/browsers$/u, (browser) => ({ ...browser, liveUrl: "https://live.example/1" })),
    ["v4.createBrowser", "liveUrl", "null", "string"]
  ]
]

const said = (exchanges: ReadonlyArray<Exchange>, others: ReadonlyArray<Exchange>) =>
  Drift.between({ exchanges }, { exchanges: others })

/** What the service answers as it is. */
const unchanged = Effect.runPromise(Effect.scoped(Effect.flatMap(simulated(), (address) => traffic(address))))

describe("Drift", () => {
  it.live("finds nothing between two equal services, whatever their ids, times, order and seed", () =>
    Effect.gen(function* () {
      const before = yield* Effect.promise(() => unchanged)
      const after = yield* traffic(yield* simulated({ seed: 2, profile: { latency: Duration.millis(3) } }), "back")
      const drift = said(before, after)
      assert.deepStrictEqual(drift.differences, [])
      assert.lengthOf(drift.compared, 7)
      assert.notDeepEqual(
        before.map(({ path }) => path),
        after.map(({ path }) => path)
      )
    })
  )

  it.live.each(changes)("finds %s", ([, change, [operation, field, before, after]]) =>
    Effect.gen(function* () {
      const others = yield* traffic(yield* changed(yield* simulated(), change))
      const { differences } = said(yield* Effect.promise(() => unchanged), others)
      const found = differences.find((one) => one.operation === operation && one.field === field)
      assert.match(found?.before ?? "", typeof before === "string" ? new RegExp(`^${before}$`, "u") : before)
      assert.strictEqual(found?.after, after)
      // and nothing else, in no other operation
      assert.deepStrictEqual(
        differences.filter((one) => one.operation !== operation),
        []
      )
    })
  )

  it.live("ignores temporary errors, and reports parts that only one side has", () =>
    Effect.gen(function* () {
      const address = yield* simulated()
      let count = 0
      const flaky = yield* changed(address, (_, path) =>
        path.endsWith("/status") && ++count % 3 === 0 ? { status: 503, body: '{"detail":"later"}' } : {}
      )
      const before = yield* Effect.promise(() => unchanged)
      const after = (yield* traffic(flaky)).filter(({ method }) => method !== "PATCH")
      const drift = said(before, after)
      assert.deepStrictEqual(drift.differences, [])
      assert.deepStrictEqual([drift.onlyInA, drift.onlyInB], [["v4.updateBrowser"], []])
    })
  )

  const answers = (...bodies: ReadonlyArray<Schema.Json>): ReadonlyArray<Exchange> =>
    bodies.map((json) => ({
      at_ms: 0,
      took_ms: 1,
      method: "GET",
      path: "/api/v4/runs/1",
      status: 200,
      headers: { "content-type": "application/json" },
      got: { json }
    }))
  const run = { status: "completed", result: "found" }

  it.each([
    ["a result of another type", answers(run), answers({ ...run, result: { price: 12 } })],
    ["a described status that only one side saw", answers(run), answers(run, { ...run, status: "cancelled" })],
    [
      "a format that two texts share by chance",
      answers({ ...run, name: "12" }, { ...run, name: "7" }),
      answers({ ...run, name: "a" }, { ...run, name: "b" }, { ...run, name: "c" })
    ],
    ["a field of four responses that one of B lacks", answers(run, run, run, { ...run, hint: "a" }), answers(run)],
    [
      "a field that is null in four responses and never in others",
      answers({ ...run, cost: null }, { ...run, cost: null }),
      answers({ ...run, cost: "1" }, { ...run, cost: "1" })
    ],
    [
      "a field of completed runs, which running ones lack",
      answers({ ...run, cost: "1" }),
      answers({ ...run, cost: "1" }, { status: "running", result: null })
    ]
  ])("ignores %s", (_, before, after) => assert.deepStrictEqual(said(before, after).differences, []))
})
