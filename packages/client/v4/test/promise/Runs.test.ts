import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { ServerResponse } from "node:http"
import { inspect } from "node:util"
import {
  CreateOutcomeUnknown,
  HTTPValidationError,
  NotStartedError,
  ResultMismatchError,
  RunFailedError,
  RunNotFoundError,
  type RunProgress,
  TooManyRequestsError,
  TransportError,
  WaitTimeoutError
} from "../../src/promise/index.ts"
import * as Effectful from "../../src/index.ts"
import type { Received } from "@webagent/scripted-server"
import { rejection, sent } from "@webagent/scripted-server/Promises"
import { withAgent } from "./service.ts"

const logged: Array<string> = []
const loggedTwice = Promise.withResolvers<void>()

const fast = { first: 0, every: "2 millis" } as const

/** A service whose runs have one status after the other, the last for ever. */
const statuses = (...each: ReadonlyArray<string>) => {
  let polls = 0
  return ({ method, url }: Received) => {
    if (method === "POST") return { status: 201, json: { id: "r-1", status: "queued" } }
    if (url.endsWith("/status")) return { json: { status: each[Math.min(polls++, each.length - 1)] } }
    return { json: { id: "r-1", status: each.at(-1), result: "done", cost: "0.1" } }
  }
}

describe("runs", () => {
  it.live(
    "send one request each for create, status and get",
    withAgent(async (agent, server) => {
      server.script = statuses("running")
      assert.strictEqual((await agent.runs.create({ task: "t" }, { idempotencyKey: "order-7" })).id, "r-1")
      assert.deepStrictEqual(await agent.runs.status("r-1"), { status: "running" })
      assert.strictEqual((await agent.runs.get("r-1")).result, "done")
      assert.deepStrictEqual(sent(server), ["POST /runs", "GET /runs/r-1/status", "GET /runs/r-1"])
      assert.strictEqual(server.requests[0]?.headers["idempotency-key"], "order-7")
      assert.strictEqual(server.requests[0]?.headers["x-service-api-key"], "wak_canary")
    })
  )

  it.live(
    "poll until the run is finished and read it once in createAndWait",
    withAgent(async (agent, server) => {
      server.script = statuses("queued", "running", "completed")
      const run = await agent.runs.createAndWait({ task: "t" }, fast)
      assert.strictEqual(run.result, "done")
      const status = "GET /runs/r-1/status"
      assert.deepStrictEqual(sent(server), ["POST /runs", status, status, status, "GET /runs/r-1"])
    })
  )

  it.live(
    "a result schema of any library types the result",
    withAgent(async (agent, server) => {
      server.script = ({ url }) =>
        url.endsWith("/status")
          ? { json: { status: "completed" } }
          : { json: { id: "r-1", status: "completed", result: '{"price":89}' } }
      const offer = Schema.toStandardSchemaV1(Schema.Struct({ price: Schema.Number }))
      const run = await agent.runs.untilTerminal("r-1", { ...fast, result: offer })
      assert.strictEqual(run.result.price, 89)
      const picky = {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: async (): Promise<{ readonly issues: ReadonlyArray<{ message: string; path: [string] }> }> => ({
            issues: [{ message: "is too high", path: ["price"] }]
          })
        }
      } as const
      const mismatch = await rejection(agent.runs.untilTerminal("r-1", { ...fast, result: picky }))
      assert.instanceOf(mismatch, ResultMismatchError)
      assert.strictEqual(mismatch.run.result, '{"price":89}')
      assert.include(mismatch.message, "price: is too high")
    })
  )

  it.live(
    "return a failed run, and reject if it needs a result",
    withAgent(async (agent, server) => {
      server.script = statuses("failed")
      assert.strictEqual((await agent.runs.createAndWait({ task: "t" }, fast)).status, "failed")
      const result = Schema.toStandardSchemaV1(Schema.String)
      const error = await rejection(agent.runs.createAndWait({ task: "t" }, { ...fast, result }))
      assert.instanceOf(error, RunFailedError)
      assert.strictEqual(error.run.id, "r-1")
    })
  )

  it.live(
    "emit each status once in watch, the final one last",
    withAgent(async (agent, server) => {
      server.script = statuses("queued", "running", "running", "completed")
      const seen: Array<string> = []
      const watched = agent.runs.watch("r-1", { every: 2 })
      for await (const { status } of watched) seen.push(status)
      assert.deepStrictEqual(seen, ["queued", "running", "completed"])
      // the loop can be run again
      for await (const { status } of watched) assert.strictEqual(status, "completed")
    })
  )

  it.live(
    "stop polling when a loop over watch is left",
    withAgent(async (agent, server) => {
      server.script = statuses("running")
      for await (const { status } of agent.runs.watch("r-1", { every: "2 millis" })) {
        assert.strictEqual(status, "running")
        break
      }
      const polls = () => sent(server).filter((request) => request.endsWith("/status")).length
      const before = polls()
      for (let calls = 0; calls < 30; calls++) await agent.runs.get("r-1")
      assert.isAtMost(polls(), before + 1)
    })
  )

  it.live(
    "stop polling when an iterator is returned, even while it waits for a status",
    withAgent(async (agent, server) => {
      server.script = statuses("running")
      const statusesOf = agent.runs.watch("r-1", { first: 0, every: "1 hour" })[Symbol.asyncIterator]()
      assert.deepStrictEqual(await statusesOf.next(), { done: false, value: { status: "running" } })
      const next = statusesOf.next()
      assert.deepStrictEqual(await statusesOf.return?.(), { done: true, value: undefined })
      assert.deepStrictEqual(await next, { done: true, value: undefined })
      assert.deepStrictEqual(await statusesOf.next(), { done: true, value: undefined })
    })
  )

  it.live(
    "throw the error that ends a watch",
    withAgent(async (agent, server) => {
      server.script = () => ({ status: 404, json: { detail: "Run not found" } })
      const loop = async () => {
        for await (const _ of agent.runs.watch("r-9")) assert.fail("no status was expected")
      }
      assert.instanceOf(await rejection(loop()), RunNotFoundError)
    })
  )

  it.live(
    "reject in runAll with the message, the line of the call, and a cause",
    withAgent(async (agent, server) => {
      server.script = () => ({ status: 503 })
      const { results } = await agent.runs.runAll([{ task: "t" }])
      const reason: unknown = results[0]?.status === "rejected" ? results[0].reason : undefined
      assert.instanceOf(reason, CreateOutcomeUnknown)
      assert.match(inspect(reason), /^CreateOutcomeUnknown: POST http:\S+: the run may have been created/u)
      assert.include(reason.stack?.split("\n")[1], "Runs.test.ts")
      assert.strictEqual(reason.cause, reason.reason)
      const { message, _tag } = JSON.parse(JSON.stringify(reason)) as Record<string, unknown>
      assert.deepStrictEqual([_tag, message], ["CreateOutcomeUnknown", reason.message])
    })
  )

  it.live(
    "warn in runAll about an onProgress that rejects later",
    withAgent(
      async (agent, server) => {
        server.script = statuses("completed")
        const { results } = await agent.runs.runAll([{ task: "t" }], {
          ...fast,
          onProgress: async ({ event }) => {
            throw new Error(`cannot show ${event}`)
          }
        })
        assert.strictEqual(results[0]?.status, "fulfilled")
        await loggedTwice.promise
        assert.deepStrictEqual(logged, [
          "onProgress has thrown: cannot show created",
          "onProgress has thrown: cannot show completed"
        ])
      },
      {
        log: (level, message) => {
          if (level === "warn" && logged.push(message) === 2) loggedTwice.resolve()
        }
      }
    )
  )

  it.live(
    "settle each input of runAll in order and add up the cost",
    withAgent(
      async (agent, server) => {
        const answer = statuses("completed")
        server.script = (request) =>
          request.body.includes("bad")
            ? { status: 422, json: { detail: [{ loc: ["body", "task"], msg: "is bad", type: "value_error" }] } }
            : answer(request)
        const events: Array<RunProgress["event"]> = []
        const onProgress = ({ event }: RunProgress) => {
          events.push(event)
          throw new Error("must not end a run")
        }
        const tasks = ["a", "bad", "c"].map((task) => ({ task }))
        const { cost, results } = await agent.runs.runAll(tasks, { ...fast, concurrency: 1, onProgress })
        assert.deepStrictEqual(
          results.map(({ status }) => status),
          ["fulfilled", "rejected", "fulfilled"]
        )
        assert.instanceOf(results[1]?.status === "rejected" && results[1].reason, HTTPValidationError)
        assert.deepStrictEqual(cost, { total: "0.2", known: 2, unknown: 0 })
        assert.deepStrictEqual(events, ["created", "completed", "failed", "created", "completed"])
        const stopped = await agent.runs.runAll(tasks, { ...fast, concurrency: 1, stopOnFailure: true })
        assert.instanceOf(stopped.results[2]?.status === "rejected" && stopped.results[2].reason, NotStartedError)
      },
      { log: () => undefined }
    )
  )
})

describe("errors", () => {
  it.live(
    "are the classes of Effect, with their fields",
    withAgent(async (agent, server) => {
      server.script = () => ({ status: 422, json: { detail: [{ loc: ["body", "task"], msg: "is empty", type: "x" }] } })
      const invalid = await rejection(agent.runs.create({ task: "" }))
      assert.instanceOf(invalid, HTTPValidationError)
      assert.instanceOf(invalid, Effectful.HTTPValidationError)
      assert.strictEqual(invalid.detail?.[0]?.msg, "is empty")

      server.script = () => ({ status: 429, headers: { "retry-after": "7" }, json: { detail: "Slow down" } })
      const refused = await rejection(agent.runs.create({ task: "t" }, { idempotencyKey: "order-6" }))
      assert.instanceOf(refused, TooManyRequestsError)
      assert.deepStrictEqual([refused.retryAfter_ms, refused.key], [7000, "order-6"])
      server.script = () => ({ status: 429, headers: { "retry-after": "700" }, json: { detail: "Slow down" } })
      const throttled = await rejection(agent.runs.get("r-1"))
      assert.instanceOf(throttled, TooManyRequestsError)
      assert.strictEqual(throttled.retryAfter_ms, 700_000)

      server.script = () => (response: ServerResponse) => void response.destroy()
      const lost = await rejection(agent.runs.create({ task: "t" }, { idempotencyKey: "order-7" }))
      assert.instanceOf(lost, CreateOutcomeUnknown)
      assert.deepStrictEqual([lost.kind, lost.key, lost.attempts], ["run", "order-7", 1])
      assert.strictEqual(lost.cause, lost.reason)

      server.script = () => ({ json: { status: "running" } })
      const late = await rejection(agent.runs.untilTerminal("r-1", { every: "5 millis", timeout: "20 millis" }))
      assert.instanceOf(late, WaitTimeoutError)
      assert.strictEqual(late.lastStatus, "running")
    })
  )

  it.live(
    "have a stack that leads to the call",
    withAgent(async (agent, server) => {
      server.script = () => ({ status: 403 })
      const error = await rejection(agent.runs.get("r-1"))
      assert.instanceOf(error, TransportError)
      const [first, second] = error.stack?.split("\n") ?? []
      assert.match(first ?? "", /^TransportError: GET http/u)
      assert.include(second, "Runs.test.ts")
      const loop = async () => {
        for await (const _ of agent.runs.watch("r-9")) assert.fail("no status was expected")
      }
      const watched = await rejection(loop())
      assert.include(watched instanceof Error ? watched.stack?.split("\n")[1] : "", "Runs.test.ts")
    })
  )

  it.live(
    "of options name the invalid one",
    withAgent(async (agent) => {
      // what a program without types may pass
      const options: object = { timeout: "30 sec" }
      const error = await rejection(agent.runs.untilTerminal("r-1", options))
      assert.instanceOf(error, TypeError)
      assert.match(error.message, /^timeout must be a length of time, such as "30 seconds"; got/u)
    })
  )
})

describe("an AbortSignal", () => {
  it.live(
    "sends nothing if it's already aborted",
    withAgent(async (agent, server) => {
      const reason = new Error("not any more")
      const signal = AbortSignal.abort(reason)
      assert.strictEqual(await rejection(agent.runs.create({ task: "t" }, { signal })), reason)
      assert.deepStrictEqual(server.requests, [])
    })
  )

  it.live(
    "ends a request in flight at once, with its reason",
    withAgent(async (agent, server) => {
      const arrived = Promise.withResolvers<void>()
      const cut = Promise.withResolvers<void>()
      server.script = () => (response: ServerResponse) => {
        response.on("close", () => cut.resolve())
        arrived.resolve()
      }
      const controller = new AbortController()
      const reading = agent.runs.get("r-1", { signal: controller.signal })
      await arrived.promise
      controller.abort()
      const error = await rejection(reading)
      assert.strictEqual(error, controller.signal.reason)
      assert.strictEqual(error instanceof DOMException && error.name, "AbortError")
      await cut.promise
    })
  )

  it.live(
    "ends a wait and a loop that have just polled, and their polls",
    withAgent(async (agent, server) => {
      server.script = statuses("running")
      let controller = new AbortController()
      for (const wait of [
        (signal: AbortSignal) => agent.runs.untilTerminal("r-1", { every: "1 hour", signal }),
        async (signal: AbortSignal) => {
          for await (const _ of agent.runs.watch("r-1", { every: "1 hour", signal })) controller.abort()
        }
      ]) {
        controller = new AbortController()
        const polled = Promise.withResolvers<void>()
        server.script = () => {
          polled.resolve()
          return { json: { status: "running" } }
        }
        const waiting = wait(controller.signal)
        await polled.promise
        controller.abort()
        assert.strictEqual(await rejection(waiting), controller.signal.reason)
      }
    })
  )

  it.live(
    "ends a loop even if more statuses have come",
    withAgent(async (agent, server) => {
      const thirdPoll = Promise.withResolvers<void>()
      const answer = statuses("queued", "running")
      server.script = (request, count) => {
        if (count === 3) thirdPoll.resolve()
        return answer(request)
      }
      const controller = new AbortController()
      const seen: Array<string> = []
      const loop = async () => {
        for await (const { status } of agent.runs.watch("r-1", { every: 2, signal: controller.signal })) {
          seen.push(status)
          await thirdPoll.promise
          controller.abort()
        }
      }
      assert.strictEqual(await rejection(loop()), controller.signal.reason)
      assert.deepStrictEqual(seen, ["queued"])
    })
  )

  it.live(
    "lets a wait cancel its run",
    withAgent(async (agent, server) => {
      const polled = Promise.withResolvers<void>()
      const cancelled = Promise.withResolvers<string>()
      server.script = (request) => {
        if (request.url.endsWith("/status")) polled.resolve()
        return statuses("running")(request)
      }
      const controller = new AbortController()
      const waiting = agent.runs.createAndWait(
        { task: "t" },
        {
          first: 0,
          every: "1 hour",
          signal: controller.signal,
          cancel: async ({ id }, why) => cancelled.resolve(`${id} ${why}`)
        }
      )
      await polled.promise
      server.script = statuses("cancelled")
      controller.abort()
      assert.strictEqual(await rejection(waiting), controller.signal.reason)
      assert.strictEqual(await cancelled.promise, "r-1 interrupted")
    })
  )
})
