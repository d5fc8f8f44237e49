import { assert, describe, it } from "@effect/vitest"
import { Ledger, LedgerMemory, Metrics, RetryPolicy } from "@webagent/core"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import type { ServerResponse } from "node:http"
import { Browsers } from "../src/index.ts"
import { layer } from "./client.ts"
import * as virtual from "./virtual.ts"
import { elapse, json, warned } from "./virtual.ts"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"

const browser = { id: "b-1", cdpUrl: "ws://127.0.0.1:9/cdp", later: 1 }
const received = { id: "b-1", cdpUrl: "ws://127.0.0.1:9/cdp", raw: { later: 1 } }

/** A service that creates browsers; stops answer one after the other, the last for ever. */
const service = (...stops: ReadonlyArray<Answer>) =>
  Effect.map(ScriptedServer, (server) => {
    let stopped = 0
    server.script = ({ method }) =>
      method === "POST" ? { status: 201, json: browser } : (stops[Math.min(stopped++, stops.length - 1)] ?? {})
    return { server, sent: () => server.requests.map(({ method, url }) => `${method} ${url.replace("/api/v4", "")}`) }
  })

const create = "POST /browsers"
const stop = "PATCH /browsers/b-1"

describe("Browsers.create and Browsers.stop", () => {
  it.live.each([200, 201, 202])("accept %i", (status) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status, json: browser })
      const browsers = yield* Browsers
      assert.deepStrictEqual(yield* browsers.create(), received)
      assert.deepStrictEqual(yield* browsers.create({ proxyCountryCode: "no" }, { extraBody: { later: 1 } }), received)
      assert.deepStrictEqual(yield* browsers.stop("b-1"), received)
      assert.deepStrictEqual(
        server.requests.map(({ body, method }) => [method, JSON.parse(body)]),
        [
          ["POST", {}],
          ["POST", { proxyCountryCode: "no", later: 1 }],
          ["PATCH", { action: "stop" }]
        ]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live.each<readonly [string, object]>([
    ["null", {}],
    ["true", {}],
    ['"stopped"', {}],
    ["[]", {}],
    ['{"status":7}', { raw: { status: 7 } }]
  ])("stop accepts %s as well", ([text, stopped]) =>
    Effect.gen(function* () {
      const { sent } = yield* service({ text })
      const browsers = yield* Browsers
      assert.deepStrictEqual(yield* browsers.stop("b-1"), stopped)
      yield* Effect.scoped(browsers.acquire())
      assert.deepStrictEqual(sent(), [stop, create, stop])
      assert.deepStrictEqual(yield* Effect.flatMap(Ledger.Current, (ledger) => ledger.open), [])
    }).pipe(Effect.provide(layer().pipe(Layer.provideMerge(LedgerMemory.layer))))
  )

  it.live.each([200, 202, 204])("stop accepts %i without a body", (status) =>
    Effect.gen(function* () {
      yield* service({ status })
      const browsers = yield* Browsers
      assert.deepStrictEqual(yield* browsers.stop("b-1"), {})
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop is retried, and create isn't", () =>
    Effect.gen(function* () {
      const { sent, server } = yield* service({ status: 503 }, (response) => response.destroy(), { json: browser })
      const browsers = yield* Browsers
      yield* browsers.stop("b-1")
      assert.deepStrictEqual(sent(), [stop, stop, stop])
      assert.strictEqual(new Set(server.requests.map(({ headers }) => headers["x-request-id"])).size, 1)
      server.script = () => ({ status: 503 })
      yield* Effect.flip(browsers.create())
      assert.strictEqual(server.requests.length, 4)
    }).pipe(Effect.provide(layer()))
  )

  it.live("fail with BrowserNotFoundError after a 404", () =>
    Effect.gen(function* () {
      yield* service({ status: 404, json: { detail: "No browser b-1" } })
      const browsers = yield* Browsers
      const error = yield* Effect.flip(browsers.stop("b-1"))
      assert.strictEqual(error._tag, "BrowserNotFoundError")
      assert.include(error.message, "/api/v4/browsers/b-1: status 404, No browser b-1. Check the id")
    }).pipe(Effect.provide(layer()))
  )
})

describe("Browsers.use and Browsers.acquire", () => {
  it.live("stop the browser after success", () =>
    Effect.gen(function* () {
      const { sent } = yield* service({ json: browser })
      const browsers = yield* Browsers
      const url = yield* browsers.use({ proxyCountryCode: "no" }, (browser) => Effect.succeed(browser.cdpUrl))
      assert.strictEqual(url, browser.cdpUrl)
      assert.deepStrictEqual(sent(), [create, stop])
      yield* Effect.scoped(browsers.acquire())
      assert.deepStrictEqual(sent(), [create, stop, create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop the browser after a failure or a defect, and fail with it", () =>
    Effect.gen(function* () {
      const { sent } = yield* service({ json: browser })
      const browsers = yield* Browsers
      assert.strictEqual(yield* Effect.flip(browsers.use({}, () => Effect.fail("no mug"))), "no mug")
      assert.deepStrictEqual(yield* Effect.exit(browsers.use({}, () => Effect.die("bug"))), Exit.die("bug"))
      assert.deepStrictEqual(sent(), [create, stop, create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop the browser when interrupted", () =>
    Effect.gen(function* () {
      const { sent } = yield* service({ json: browser })
      const browsers = yield* Browsers
      const inside = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        browsers.use({}, () => Effect.andThen(Deferred.succeed(inside, undefined), Effect.never))
      )
      yield* Deferred.await(inside)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(sent(), [create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop a browser whose creation was in flight when interrupted", () =>
    Effect.gen(function* () {
      const { sent, server } = yield* service({ json: browser })
      const arrived = yield* Deferred.make<ServerResponse>()
      const { script } = server
      server.script = (request, count) =>
        request.method === "POST"
          ? (response) => void Deferred.doneUnsafe(arrived, Exit.succeed(response))
          : script(request, count)
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(Effect.scoped(Effect.andThen(browsers.acquire(), Effect.never)))
      const response = yield* Deferred.await(arrived)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      response.writeHead(201).end(JSON.stringify(browser))
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual(sent(), [create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop a browser whose response can't be decoded, and fail", () =>
    Effect.gen(function* () {
      const { sent, server } = yield* service({ json: browser })
      const { script } = server
      server.script = (request, count) => (request.method === "POST" ? { json: { id: "b-1" } } : script(request, count))
      const browsers = yield* Browsers
      const error = yield* Effect.flip(browsers.use({}, () => Effect.void))
      assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "UndecodableAnswer")
      assert.deepStrictEqual(sent(), [create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("retry a stop for longer than a read", () =>
    Effect.gen(function* () {
      const { sent } = yield* service(...Array.from({ length: 4 }, () => ({ status: 502 })), { json: browser })
      const browsers = yield* Browsers
      yield* browsers.use({}, () => Effect.void)
      assert.deepStrictEqual(sent(), [create, stop, stop, stop, stop, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("retry a stop after a redirect, which isn't followed", () =>
    Effect.gen(function* () {
      const { sent } = yield* service({ status: 302, headers: { location: "/elsewhere" } }, { json: browser })
      const browsers = yield* Browsers
      yield* browsers.use({}, () => Effect.void)
      assert.deepStrictEqual(sent(), [create, stop, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop a browser that the service does not find at first", () =>
    Effect.gen(function* () {
      const { sent } = yield* service({ status: 404, json: {} }, { json: browser })
      const browsers = yield* Browsers
      yield* browsers.use({}, () => Effect.void)
      assert.deepStrictEqual(sent(), [create, stop, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("warn about a browser that can't be stopped", () => {
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      yield* service({ status: 403 })
      const browsers = yield* Browsers
      assert.strictEqual(yield* browsers.use({}, () => Effect.succeed("kept")), "kept")
      assert.deepStrictEqual(warnings, ["Warn Browser b-1 could not be stopped: it may continue and cost money"])
    }).pipe(Effect.provide(layer()), Effect.provide(layerLogger))
  })
})

/** The client of a service that answers in no time, and when it was asked to stop. */
const answering = (answer: (method: string) => Effect.Effect<Response>) => {
  const stoppedAt: Array<number> = []
  const { layer: layerAnswering } = virtual.answering((method) =>
    Effect.gen(function* () {
      if (method === "PATCH") stoppedAt.push(yield* Clock.currentTimeMillis)
      return yield* answer(method)
    })
  )
  return { layerAnswering, stoppedAt }
}

describe("Browsers over time", () => {
  const lost = (method: string) => (method === "POST" ? json(201, browser) : json(404, {}))

  it.effect("use tries for five seconds to stop a browser that is not found, then warns", () => {
    const { layerAnswering, stoppedAt } = answering(lost)
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(browsers.use({}, () => Effect.succeed("kept")))
      yield* TestClock.adjust("4900 millis")
      assert.deepStrictEqual(warnings, [])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(fiber), "kept")
      assert.deepStrictEqual(stoppedAt, [0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000])
      assert.deepStrictEqual(warnings, ["Warn Browser b-1 could not be stopped: it may continue and cost money"])
    }).pipe(Effect.provide(layerAnswering), Effect.provide(layerLogger))
  })

  it.effect("use warns at once if a browser isn't found later", () => {
    const { layerAnswering, stoppedAt } = answering(lost)
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(browsers.use({}, () => Effect.sleep("1 minute")))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual([stoppedAt, warnings.length], [[60_000], 1])
    }).pipe(Effect.provide(layerAnswering), Effect.provide(layerLogger))
  })

  it.effect("use retries a 404 of a browser whose create couldn't be decoded", () => {
    const { layerAnswering, stoppedAt } = answering((method) =>
      method === "POST" ? json(201, { id: "b-1" }) : stoppedAt.length < 3 ? json(404, {}) : json(200, browser)
    )
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(Effect.flip(browsers.use({}, () => Effect.void)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "TransportError")
      assert.deepStrictEqual([stoppedAt, warnings], [[0, 500, 1000], []])
    }).pipe(Effect.provide(layerAnswering), Effect.provide(layerLogger))
  })

  it.effect("use retries a stop after a minute, however long the service asks to wait", () => {
    const busy = new Response("{}", { status: 429, headers: { "retry-after": "31536000" } })
    const { layerAnswering, stoppedAt } = answering((method) =>
      method === "POST" ? json(201, browser) : stoppedAt.length < 2 ? Effect.succeed(busy) : json(200, browser)
    )
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(browsers.use({}, () => Effect.void))
      yield* TestClock.adjust("90 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual([stoppedAt, warnings], [[0, 60_000], []])
    }).pipe(Effect.provide(layerAnswering), Effect.provide(layerLogger))
  })

  it.effect("use warns after two minutes without a response", () => {
    const { layerAnswering } = answering((method) => (method === "POST" ? json(201, browser) : Effect.never))
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(browsers.use({}, () => Effect.void))
      yield* TestClock.adjust("119 seconds")
      assert.deepStrictEqual(warnings, [])
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.strictEqual(warnings.length, 1)
    }).pipe(Effect.provide(layerAnswering), Effect.provide(layerLogger))
  })

  it.effect("use stops the browser even if the service is down for a minute", () => {
    const { layerAnswering, stoppedAt } = answering((method) =>
      method === "POST"
        ? json(201, browser)
        : Effect.flatMap(Clock.currentTimeMillis, (now) => json(now < 60_000 ? 503 : 200, browser))
    )
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(browsers.use({}, () => Effect.void))
      yield* elapse("75 seconds")
      yield* Fiber.join(fiber)
      assert.isAtLeast(stoppedAt.at(-1) ?? 0, 60_000)
      assert.deepStrictEqual(warnings, [])
    }).pipe(Effect.provide(layerAnswering), Effect.provide(layerLogger))
  })

  it.effect("stop retries a 404 for five seconds after the create", () => {
    const { layerAnswering, stoppedAt } = answering(lost)
    return Effect.gen(function* () {
      const browsers = yield* Browsers
      const { id } = yield* browsers.create()
      const fiber = yield* Effect.forkChild(Effect.flip(browsers.stop(id)))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "BrowserNotFoundError")
      assert.strictEqual(stoppedAt.at(-1), 5000)
    }).pipe(Effect.provide(layerAnswering))
  })

  it.effect("use tries to stop the browser regardless of its caller's timeout", () => {
    const { layerAnswering, stoppedAt } = answering((method) =>
      method === "POST" ? json(201, browser) : json(stoppedAt.length < 5 ? 503 : 200, browser)
    )
    return Effect.gen(function* () {
      const browsers = yield* Browsers
      const use = browsers.use({}, () => Effect.sleep("2 seconds")).pipe(RetryPolicy.within("1 second"))
      const fiber = yield* Effect.forkChild(use)
      yield* elapse("10 seconds")
      yield* Fiber.join(fiber)
      assert.lengthOf(stoppedAt, 5)
    }).pipe(Effect.provide(layerAnswering))
  })

  it.effect("use stops the browser at its timeout", () => {
    const { layerAnswering, stoppedAt } = answering((method) => json(method === "POST" ? 201 : 200, browser))
    return Effect.gen(function* () {
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(
        Effect.timeoutOption(
          browsers.use({}, () => Effect.never),
          "1 minute"
        )
      )
      yield* elapse("1 minute")
      assert.isTrue(Option.isNone(yield* Fiber.join(fiber)))
      assert.deepStrictEqual(stoppedAt, [60_000])
    }).pipe(Effect.provide(layerAnswering))
  })
})

describe("the records of a browser", () => {
  const open = Effect.gen(function* () {
    const ledger = yield* Ledger.Current
    const items = (yield* ledger.open).map(({ id, kind, key, state }) => [kind, id, key, state])
    return { items, count: (yield* Metric.value(Metrics.browsersOpen)).value }
  })

  it.live("count it as open in the ledger and the metric until the service has stopped it", () =>
    Effect.gen(function* () {
      const { server } = yield* service({ status: 403 }, { json: browser })
      const browsers = yield* Browsers
      const during = yield* browsers.use({}, () => open, { idempotencyKey: "b-key" })
      const expected = { items: [["browser", "b-1", "b-key", "opened"]], count: 1 }
      assert.deepStrictEqual(during, expected)
      assert.strictEqual(server.requests[0]?.headers["idempotency-key"], "b-key")
      // the stop was refused: it may still run
      assert.deepStrictEqual(yield* open, expected)
      yield* browsers.stop("b-1")
      assert.deepStrictEqual(yield* open, { items: [], count: 0 })
    }).pipe(
      Effect.provide(layer().pipe(Layer.provideMerge(LedgerMemory.layer))),
      Effect.provide(warned().layerLogger),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )

  it.live("show no open browser after use", () =>
    Effect.gen(function* () {
      yield* service({ status: 503 }, { json: browser })
      const browsers = yield* Browsers
      yield* browsers.use({}, () => Effect.void)
      assert.deepStrictEqual(yield* open, { items: [], count: 0 })
    }).pipe(
      Effect.provide(layer().pipe(Layer.provideMerge(LedgerMemory.layer))),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )

  it.live("keep a create whose response is lost open in the ledger, and its key in the error", () =>
    Effect.gen(function* () {
      const { sent, server } = yield* service()
      server.script = () => (response) => response.destroy()
      const browsers = yield* Browsers
      const error = yield* Effect.flip(browsers.use({}, () => Effect.void, { idempotencyKey: "b-key" }))
      assert.strictEqual(error._tag === "CreateOutcomeUnknown" && error.key, "b-key")
      assert.deepStrictEqual((yield* open).items, [["browser", undefined, "b-key", "unknown"]])
      assert.deepStrictEqual(sent(), [create])
    }).pipe(Effect.provide(layer().pipe(Layer.provideMerge(LedgerMemory.layer))))
  )
})

describe("an interrupted client", () => {
  it.effect.each([
    ["continue", "Warn These may continue and cost money: browser b-1", [create]],
    ["cancel", "Warn Canceled: browser b-1", [create, stop]]
  ] as const)("with onInterrupt: %s accounts for a browser that it created", ([onInterrupt, warning, requests]) => {
    const { layerLogger, warnings } = warned()
    const client = virtual.answering(() => json(201, browser), { onInterrupt })
    return Effect.gen(function* () {
      const program = Browsers.use((browsers) => Effect.andThen(browsers.create(), Effect.never))
      const fiber = yield* Effect.forkChild(program.pipe(Effect.provide(client.layer), Effect.provide(layerLogger)))
      yield* elapse("1 second")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(warnings, [warning])
      assert.deepStrictEqual(client.requests(), [...requests])
    })
  })
})
