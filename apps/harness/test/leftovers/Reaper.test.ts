import { assert, describe, it } from "@effect/vitest"
import { ClientConfig, Ledger, LedgerMemory, type OpenItem, Transport } from "@webagent/core"
import { V2 } from "@webagent/v2"
import { V3 } from "@webagent/v3"
import { V4 } from "@webagent/v4"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Leftover from "../../src/leftovers/Leftover.ts"
import { canceller, reap } from "../../src/leftovers/Reaper.ts"

/** Responses of a service, by method and path; every other request reads a leftover. */
type Responses = Readonly<Record<string, ReadonlyArray<readonly [status: number, body: object]>>>

/** The address of a service with something that reads so, on a real socket. The last response of a request stays. */
const serviceOf = (leftover: object, responses: Responses) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const counts = new Map<string, number>()
      const server = createServer(({ method, url }, response) => {
        const request = `${method} ${url}`
        const count = counts.get(request) ?? 0
        counts.set(request, count + 1)
        const all = responses[request] ?? [method === "GET" ? ([200, {}] as const) : ([404, {}] as const)]
        const [status, body] = all[Math.min(count, all.length - 1)] ?? [404, {}]
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ ...leftover, ...body }))
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

const paths = { run: "/api/v4/runs", session: "/api/v3/sessions", task: "/api/v2/tasks" } as const

/** Returns the reaper's result for a session, run or task with this response, and the number of open ledger entries afterwards. */
const reaped = Effect.fnUntraced(function* (
  leftover: object,
  responses: Responses = {},
  kind: keyof typeof paths = "session",
  id = "s-1"
) {
  const origin = yield* serviceOf({ id, ...leftover }, responses)
  const ledger = yield* LedgerMemory.make
  const create = { key: "k", kind, method: "POST", path: paths[kind], origin, requestId: "q" }
  const item: OpenItem = { ...create, id, state: "opened", at_ms: 1 }
  yield* ledger.write({ _tag: "opening", at_ms: 1, ...create })
  yield* ledger.write({ _tag: "opened", at_ms: 2, key: "k", id })
  const leftovers = yield* Effect.gen(function* () {
    const cancel = yield* canceller(undefined)
    return yield* reap([Leftover.of(item)], Duration.seconds(5), () => Effect.void, cancel)
  }).pipe(
    Effect.provide(
      Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices).pipe(
        Layer.provideMerge(Transport.layer),
        Layer.provide([FetchHttpClient.layer, ClientConfig.layer({ baseUrl: origin, apiKey: "wak_test" })])
      )
    ),
    Effect.provideService(Ledger.Current, ledger)
  )
  return [...leftovers.flatMap(({ state, why }) => [state, why]), (yield* ledger.open).length]
})

describe("a leftover session", () => {
  it.live.each([
    [{ status: "idle" }, ["over", "idle", 0]],
    [{ status: "error" }, ["over", "error", 0]],
    [{ result: "hello" }, ["over", "with a result", 0]],
    [{ status: "running", result: "hello" }, ["open", "running; the service offers no way to end it", 1]],
    [{ result: null }, ["open", "without a status; the service offers no way to end it", 1]]
  ] as const)("with the fields %j results in %j", ([session, expected]) =>
    Effect.scoped(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* reaped(session), [...expected])
      })
    )
  )
})

describe("a run or session that is still running", () => {
  const cancel = "POST /api/v4/runs/s-1/cancel"
  const status = "GET /api/v4/runs/s-1/status"
  const running = { status: "running" }
  const cancelled = { status: "cancelled" }
  it.live.each([
    ["is cancelled", {}, [[200, cancelled]], ["stopped", "", 0]],
    [
      "is cancelled after two responses 503",
      {},
      [
        [503, {}],
        [503, {}],
        [200, cancelled]
      ],
      ["stopped", "", 0]
    ],
    [
      "finishes shortly after it is cancelled",
      {
        [status]: [
          [200, {}],
          [200, {}],
          [200, cancelled]
        ]
      },
      [[200, running]],
      ["stopped", "", 0]
    ],
    [
      "finished before it is cancelled",
      {
        [status]: [
          [200, {}],
          [200, cancelled]
        ]
      },
      [[409, { detail: "over" }]],
      ["stopped", "", 0]
    ],
    [
      "can't be cancelled on a service without the operation",
      {},
      [[405, {}]],
      ["open", "running; the service offers no way to end it", 1]
    ],
    ["may not be cancelled", {}, [[403, {}]], ["open", "running; the service didn't stop it", 1]]
  ] as const)("%s", ([, responses, cancels, expected]) =>
    Effect.scoped(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* reaped(running, { ...responses, [cancel]: cancels }, "run"), [...expected])
      })
    )
  )

  it.live("is stopped as a v3 session", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const stopped = { "POST /api/v3/sessions/s-1/stop": [[200, { status: "stopped" }]] } as const
        assert.deepStrictEqual(yield* reaped(running, stopped), ["stopped", "", 0])
      })
    )
  )
})

describe("a v2 task", () => {
  const id = "6f9619ff-8b86-4d11-b42d-00c04fc964ff"
  const task = { sessionId: id, llm: "m", task: "t", status: "started", createdAt: "2026-01-01T00:00:00", steps: [] }
  const stop = `PATCH /api/v2/tasks/${id}`
  it.live.each([
    ["is stopped", {}, { [stop]: [[200, { status: "stopped" }]] }, ["stopped", "", 0]],
    ["has finished by itself", { status: "finished" }, {}, ["over", "finished", 0]],
    ["is still running after a stop", {}, { [stop]: [[200, {}]] }, ["open", "started; the service didn't stop it", 1]],
    [
      "can't be stopped on a service without the operation",
      {},
      { [stop]: [[405, {}]] },
      ["open", "the service offers no way to end it", 1]
    ]
  ] as const)("%s", ([, leftover, responses, expected]) =>
    Effect.scoped(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* reaped({ ...task, ...leftover }, responses, "task", id), [...expected])
      })
    )
  )
})
