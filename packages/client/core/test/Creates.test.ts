import { assert, describe, it } from "@effect/vitest"
import { V4Operations } from "@webagent/contract/v4"
import { type Answer, unreachable, ScriptedServer } from "@webagent/scripted-server"
import { hastened, silence } from "@webagent/scripted-server/Haste"

import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as Creates from "../src/Creates.ts"
import {
  ClientConfig,
  type ClientOptions,
  ContractClient,
  Grace,
  IdempotencyKey,
  Ledger,
  LedgerError,
  type LedgerEntry,
  LedgerMemory,
  RetryPolicy,
  TooManyRequestsError,
  Transport
} from "../src/index.ts"
import { layer } from "./client.ts"

const create = Effect.flatMap(ContractClient.make("v4", V4Operations), (api) =>
  api.runs.create({ payload: { task: "t" } })
)

/** Remembers all that was written, and how many requests had arrived by then. */
class Written extends Context.Service<Written, Array<LedgerEntry & { readonly requests: number }>>()("Written") {}

const recording = Effect.gen(function* () {
  const written = yield* Written
  const { requests } = yield* ScriptedServer
  const memory = yield* LedgerMemory.make
  return {
    open: memory.open,
    write: (entry: LedgerEntry) => {
      written.push({ ...entry, requests: requests.length })
      return memory.write(entry)
    }
  } satisfies Ledger.Ledger
})

const setting = (options: Partial<ClientOptions> = {}) =>
  layer(options).pipe(
    Layer.provideMerge(Layer.effect(Ledger.Current, recording)),
    Layer.provideMerge(ScriptedServer.layer),
    Layer.provideMerge(Layer.sync(Written, () => []))
  )

const honoured = { target: { idempotency: "honoured" } } as const
const actingFirst = { target: { refusals: "after-acting" } } as const
const refusing = { target: { refusals: "before-acting" } } as const

const made: Answer = { status: 201, json: { id: "r-1" } }
const cut: Answer = (response) => response.destroy()
const unavailable: Answer = { status: 503, text: "later" }
const throttled: Answer = { status: 429, json: { detail: "slow down" } }

const answering = (...answers: ReadonlyArray<Answer>) =>
  Effect.map(ScriptedServer, (server) => {
    server.script = (_, count) => answers[Math.min(count, answers.length) - 1] ?? {}
    return server
  })

const tags = Effect.map(Written, (written) => written.map((entry) => entry._tag))

const createsFor = (target: ClientConfig["Service"]["target"], write: Ledger.Ledger["write"]) =>
  Creates.make({
    target,
    retrier: RetryPolicy.makeRetrier(RetryPolicy.standard),
    ledger: { write, open: Effect.succeed([]) },
    keys: IdempotencyKey.random,
    grace: Grace.make()
  })

const request = { kind: "run", method: "POST", path: "/runs", origin: "http://a.example", requestId: "1" }

/** The entries of a ledger about a create that is interrupted while it pauses after a 429. */
const interruptedInItsPause = Effect.fnUntraced(function* (target: ClientConfig["Service"]["target"]) {
  const written: Array<LedgerEntry["_tag"]> = []
  const { create } = createsFor(target, (entry) => Effect.sync(() => void written.push(entry._tag)))
  const fiber = yield* Effect.forkChild(
    create({ ...request, idOf: () => undefined }, () =>
      Effect.fail(new TooManyRequestsError("x", Duration.seconds(30)))
    )
  )
  yield* TestClock.adjust("20 seconds")
  yield* Fiber.interrupt(fiber)
  return written
})

describe("a create", () => {
  it.effect("is among the newest 10,000 that are open, and the oldest are forgotten", () =>
    Effect.gen(function* () {
      const { create, open } = createsFor({ idempotency: "honoured", refusals: "after-acting" }, () => Effect.void)
      const createAll = Effect.fnUntraced(function* (from: number, to: number) {
        for (let id = from; id < to; id++)
          yield* create({ ...request, idOf: () => String(id) }, () => Effect.succeed(id))
      })
      yield* createAll(0, 10_500)
      // together, because forgetting each takes longer
      assert.strictEqual(open.size, 10_500)
      yield* createAll(10_500, 11_001)
      assert.deepStrictEqual([...open.keys()].slice(0, 1), ["run 1001"])
      assert.deepStrictEqual([...open.keys()].slice(-1), ["run 11000"])
    })
  )

  it.live("is in the ledger before it's sent, and its id afterwards", () =>
    Effect.gen(function* () {
      const server = yield* answering(made)
      yield* create
      const [opening, opened] = yield* Written
      if (opening?._tag !== "opening" || opened?._tag !== "opened") return assert.fail("not written")
      assert.deepStrictEqual([opening.requests, opened.requests], [0, 1])
      assert.deepStrictEqual([opening.kind, opening.method, opening.path], ["run", "POST", "/api/v4/runs"])
      assert.strictEqual(opened.id, "r-1")
      const { headers } = server.requests[0] ?? {}
      assert.strictEqual(headers?.["idempotency-key"], opening.key)
      assert.strictEqual(headers?.["x-request-id"], opening.requestId)
      assert.match(opening.key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
    }).pipe(Effect.provide(setting()))
  )

  it.live("isn't sent if the ledger can't be written", () => {
    const broken = { write: () => Effect.fail(new LedgerError({ message: "disk full" })), open: Effect.succeed([]) }
    return Effect.gen(function* () {
      const server = yield* answering(made)
      const error = yield* Effect.flip(create)
      assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "InvalidRequest")
      assert.match(error.message, /^POST .*\/runs: not sent, disk full$/u)
      assert.strictEqual(server.requests.length, 0)
    }).pipe(Effect.provide(layer().pipe(Layer.provideMerge(Layer.succeed(Ledger.Current, broken)))))
  })

  it.live.each([
    ["a cut connection", cut, "ConnectionFailed"],
    ["503", unavailable, "UnexpectedStatus"],
    ["408", { status: 408 }, "UnexpectedStatus"],
    ["a redirect to what was made", { status: 303, headers: { location: "/runs/1" } }, "UnexpectedStatus"],
    ["no answer", undefined, "Timeout"]
  ] as ReadonlyArray<readonly [string, Answer | undefined, string]>)(
    "is sent once and has an unknown outcome if its response is lost: %s",
    ([, answer, reason]) =>
      Effect.gen(function* () {
        const silent = silence()
        const server = yield* answering(answer ?? silent.answer)
        const error = yield* Effect.flip(hastened(silent.arrived)(create))
        if (error._tag !== "CreateOutcomeUnknown") return assert.fail(error.message)
        assert.strictEqual(server.requests.length, 1)
        assert.deepStrictEqual([error.kind, error.attempts, error.reason._tag], ["run", 1, reason])
        assert.strictEqual(error.key, server.requests[0]?.headers["idempotency-key"])
        assert.strictEqual(error.requestId, server.requests[0]?.headers["x-request-id"])
        assert.match(error.message, /^POST http.*\/api\/v4\/runs: the run may have been created, and may cost: /u)
        assert.include(error.message, "Look for it at the service before you create another.")
        assert.include(error.message, error.key)
        assert.deepStrictEqual(yield* tags, ["opening", "unknown"])
        const [open] = yield* Effect.flatMap(Ledger.Current, (ledger) => ledger.open)
        assert.deepStrictEqual([open?.state, open?.key, open?.id], ["unknown", error.key, undefined])
      }).pipe(Effect.provide(setting()))
  )

  it.live("is sent again with its key if the service honors keys", () =>
    Effect.gen(function* () {
      const server = yield* answering(cut, unavailable, throttled, made)
      assert.strictEqual((yield* create).id, "r-1")
      assert.strictEqual(server.requests.length, 4)
      assert.strictEqual(new Set(server.requests.map(({ headers }) => headers["idempotency-key"])).size, 1)
      assert.strictEqual(new Set(server.requests.map(({ headers }) => headers["x-request-id"])).size, 1)
      assert.deepStrictEqual(yield* tags, ["opening", "opened"])
    }).pipe(Effect.provide(setting(honoured)))
  )

  it.live("stays unknown if a later attempt is refused, because the first may have been processed", () =>
    Effect.gen(function* () {
      yield* answering(cut, { status: 401 })
      const error = yield* Effect.flip(create)
      assert.strictEqual(error._tag === "CreateOutcomeUnknown" && error.reason._tag, "ConnectionFailed")
      assert.strictEqual(error._tag === "CreateOutcomeUnknown" && error.attempts, 2)
      assert.include(error.message, "Create it again with the same idempotency key")
    }).pipe(Effect.provide(setting(honoured)))
  )

  it.live("stays unknown after a 429 of a service that may act before it refuses", () =>
    Effect.gen(function* () {
      yield* answering(throttled, { status: 401 })
      const error = yield* Effect.flip(create)
      if (error._tag !== "CreateOutcomeUnknown" || error.reason._tag !== "UnexpectedStatus") {
        return assert.fail(error.message)
      }
      assert.deepStrictEqual([error.reason.status, error.attempts], [429, 2])
      assert.deepStrictEqual(yield* tags, ["opening", "unknown"])
    }).pipe(Effect.provide(setting({ target: { ...honoured.target, ...actingFirst.target } })))
  )

  it.live("stays unknown after a response that can't be read", () =>
    Effect.gen(function* () {
      yield* answering((response) => response.writeHead(201).end('{"id": '), { status: 307 })
      const error = yield* Effect.flip(create)
      assert.strictEqual(error._tag === "CreateOutcomeUnknown" && error.reason._tag, "UndecodableAnswer")
      assert.deepStrictEqual(yield* tags, ["opening", "unknown"])
    }).pipe(Effect.provide(setting(honoured)))
  )

  it.live("fails after a 429 with TooManyRequestsError, which keeps its key, and isn't sent again", () =>
    Effect.gen(function* () {
      const server = yield* answering({ ...throttled, headers: { "retry-after": "1" } })
      const error = yield* Effect.flip(create)
      if (error._tag !== "TooManyRequestsError") return assert.fail(error.message)
      assert.deepStrictEqual([error.retryAfter_ms, error.key], [1000, server.requests[0]?.headers["idempotency-key"]])
      assert.match(
        error.message,
        /slow down: try again in 1s, or do less at once\. .* Idempotency key "[-0-9a-f]{36}"\.$/u
      )
      assert.include(JSON.stringify(error), `"key":"${error.key}"`)
      assert.strictEqual(server.requests.length, 1)
      assert.deepStrictEqual(yield* tags, ["opening", "refused"])
    }).pipe(Effect.provide(setting()))
  )

  it.live("has an unknown outcome after a 429 if the service may act before it refuses", () =>
    Effect.gen(function* () {
      const server = yield* answering({ ...throttled, headers: { "retry-after": "1" } })
      const error = yield* Effect.flip(create)
      // the message doesn't say "Try again" as well
      assert.match(
        error.message,
        /status 429, slow down\. Look for it at the service before you create another\. Idem/u
      )
      if (error._tag !== "CreateOutcomeUnknown") return assert.fail(error.message)
      assert.deepStrictEqual([error.reason._tag, error.phase], ["UnexpectedStatus", "answered"])
      assert.strictEqual(server.requests.length, 1)
      assert.deepStrictEqual(yield* tags, ["opening", "unknown"])
    }).pipe(Effect.provide(setting(actingFirst)))
  )

  it.live("is sent again after a 429 if the service refuses before it acts", () =>
    Effect.gen(function* () {
      const server = yield* answering(throttled, throttled, made)
      assert.strictEqual((yield* create).id, "r-1")
      assert.strictEqual(server.requests.length, 3)
      yield* Effect.flip(create.pipe(Effect.andThen(answering(throttled)), Effect.andThen(create)))
      assert.deepStrictEqual((yield* tags).slice(-2), ["opening", "refused"])
    }).pipe(Effect.provide(setting(refusing)))
  )

  it.live.each([401, 404, 409, 413, 418, 422, 302, 307])("has created nothing after a %i", (status) =>
    Effect.gen(function* () {
      const server = yield* answering({ status })
      assert.notStrictEqual((yield* Effect.flip(create))._tag, "CreateOutcomeUnknown")
      assert.strictEqual(server.requests.length, 1)
      assert.deepStrictEqual(yield* tags, ["opening", "refused"])
    }).pipe(Effect.provide(setting()))
  )

  it.live("is sent again if it never left", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(create)
      assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "ConnectionFailed")
      assert.strictEqual(error._tag === "TransportError" && error.attempts, 5)
      assert.deepStrictEqual(yield* tags, ["opening", "refused"])
    }).pipe(Effect.provide(setting({ baseUrl: unreachable })))
  )

  it.live("keeps its id in the ledger if its response can't be decoded", () =>
    Effect.gen(function* () {
      yield* answering({ status: 201, json: { id: 12, cdpUrl: "" } })
      const api = yield* ContractClient.make("v4", V4Operations)
      const error = yield* Effect.flip(api.browsers.create({ payload: {} }))
      assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "UndecodableAnswer")
      assert.match(error.message, /It was done: look before you send it again\. Request id \S+\.$/u)
      const [, opened] = yield* Written
      assert.strictEqual(opened?._tag === "opened" && opened.id, "12")
    }).pipe(Effect.provide(setting()))
  )

  it.live.each([
    ["JSON without an id", { status: 201, json: {} }],
    ["an empty id", { status: 201, json: { id: "" } }],
    ["a page", { status: 200, text: "<html>Welcome</html>" }],
    ["nothing", { status: 204 }],
    ["JSON that was cut", { status: 201, text: '{"id":"r-' }],
    ["a list", { status: 201, json: [] }]
  ] as ReadonlyArray<readonly [string, Answer]>)("may have created something after %s", ([, answer]) =>
    Effect.gen(function* () {
      const server = yield* answering(answer)
      const error = yield* Effect.flip(create)
      if (error._tag !== "CreateOutcomeUnknown") return assert.fail(error.message)
      assert.deepStrictEqual([error.reason._tag, error.phase], ["UndecodableAnswer", "answered"])
      assert.strictEqual(error.key, server.requests[0]?.headers["idempotency-key"])
      assert.include(error.message, `Idempotency key ${JSON.stringify(error.key)}`)
      assert.strictEqual(server.requests.length, 1)
      assert.deepStrictEqual(yield* tags, ["opening", "unknown"])
    }).pipe(Effect.provide(setting()))
  )

  it.live.each([
    ["connect", 5, "refused"],
    ["getaddrinfo", 5, "refused"],
    [undefined, 5, "refused"],
    ["read", 1, "unknown"],
    ["write", 1, "unknown"]
  ] as const)("to a host that became unreachable in %s is sent %i times, and then %s", ([syscall, sent, end]) => {
    let attempts = 0
    const failing = HttpClient.make((request) => {
      attempts++
      const cause = Object.assign(new Error("gone"), { code: "EHOSTUNREACH", syscall })
      return Effect.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
      )
    })
    const written: Array<string> = []
    const ledger = {
      write: ({ _tag }: LedgerEntry) => Effect.sync(() => void written.push(_tag)),
      open: Effect.succeed([])
    }
    return Effect.gen(function* () {
      yield* Effect.flip(create)
      assert.deepStrictEqual([attempts, ...written], [sent, "opening", end])
    }).pipe(
      Effect.provide(Transport.layer),
      Effect.provide(ClientConfig.layer({ baseUrl: "http://a.example", apiKey: "k" })),
      Effect.provide(Layer.succeed(HttpClient.HttpClient, failing)),
      Effect.provideService(Ledger.Current, ledger),
      Effect.provideService(RetryPolicy.Current, { ...RetryPolicy.standard, base: Duration.millis(1) })
    )
  })

  it.live("is named in the log if its id can't be written to the ledger", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const full = {
      write: ({ _tag }: LedgerEntry) =>
        _tag === "opening" ? Effect.void : Effect.fail(new LedgerError({ message: "disk full." })),
      open: Effect.succeed([])
    }
    return Effect.gen(function* () {
      yield* answering(made)
      assert.strictEqual((yield* create).id, "r-1")
      assert.match(lines.join(), /^disk full\. The ledger lacks this entry: \{.*"id":"r-1".*\}$/u)
    }).pipe(
      Effect.provide(layer().pipe(Layer.provideMerge(Layer.succeed(Ledger.Current, full)))),
      Effect.provide(Logger.layer([logger]))
    )
  })

  it.live("has an unknown outcome if it's interrupted in flight, and none between attempts", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const arrived = yield* Deferred.make<void>()
      server.script = () => () => void Deferred.doneUnsafe(arrived, Exit.void)
      const fiber = yield* Effect.forkChild(create)
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* tags, ["opening", "unknown"])
    }).pipe(Effect.provide(setting()))
  )

  it.effect("has created nothing if it's interrupted during a pause", () =>
    Effect.gen(function* () {
      const written = yield* interruptedInItsPause({ idempotency: "unknown", refusals: "before-acting" })
      assert.deepStrictEqual(written, ["opening", "refused"])
    })
  )

  it.effect(
    "has an unknown outcome if it's interrupted during a pause after a 429 of a service that may act first",
    () =>
      Effect.gen(function* () {
        const written = yield* interruptedInItsPause({ idempotency: "honoured", refusals: "after-acting" })
        assert.deepStrictEqual(written, ["opening", "unknown"])
      })
  )

  it.live("sends the caller's key, and refuses one that doesn't fit into a header", () =>
    Effect.gen(function* () {
      const server = yield* answering(made)
      yield* create.pipe(IdempotencyKey.provide("order-7"))
      assert.strictEqual(server.requests[0]?.headers["idempotency-key"], "order-7")
      for (const key of ["", "a b", "é", "x".repeat(256), "a\nb"]) {
        const error = yield* Effect.flip(create.pipe(IdempotencyKey.provide(key)))
        assert.match(error.message, /: not sent, the idempotency key must be 1 to 255 visible ASCII characters; got "/u)
      }
      assert.strictEqual(server.requests.length, 1)
    }).pipe(Effect.provide(setting()))
  )

  it.live("is no longer open once it's closed", () =>
    Effect.gen(function* () {
      yield* answering(made)
      yield* create
      const { open } = yield* Ledger.Current
      assert.deepStrictEqual(
        (yield* open).map(({ id, kind, state }) => [kind, id, state]),
        [["run", "r-1", "opened"]]
      )
      const transport = yield* Transport
      yield* transport.closed("browser", "r-1")
      assert.strictEqual((yield* open).length, 1)
      yield* transport.closed("run", "r-1")
      assert.deepStrictEqual(yield* open, [])
    }).pipe(Effect.provide(setting()))
  )
})

describe("a message for a session", () => {
  it.live("counts as a create of the run that it becomes", () =>
    Effect.gen(function* () {
      yield* answering({ status: 201, json: { id: "m-1", runId: "r-2" } })
      const api = yield* ContractClient.make("v4", V4Operations)
      yield* api.sessions.queue({ params: { session_id: "s" }, payload: { text: "t", interrupt: false } })
      const [opening, opened] = yield* Written
      assert.strictEqual(opening?._tag === "opening" && opening.kind, "run")
      assert.strictEqual(opened?._tag === "opened" && opened.id, "r-2")
    }).pipe(Effect.provide(setting()))
  )

  it.live("isn't mistaken for its run if its response is malformed", () =>
    Effect.gen(function* () {
      const api = yield* ContractClient.make("v4", V4Operations)
      const queue = api.sessions.queue({ params: { session_id: "s" }, payload: { text: "t", interrupt: false } })
      yield* answering({ status: 201, json: { id: "m-1", runId: "" } })
      const nameless = yield* Effect.flip(queue)
      assert.strictEqual(nameless._tag, "CreateOutcomeUnknown")
      yield* answering({ status: 201, json: { id: "m-1", runId: 12 } })
      assert.strictEqual((yield* queue).runId, "12")
    }).pipe(Effect.provide(setting()))
  )
})

describe("a stop", () => {
  it.live("isn't a create: it has no key and isn't in the ledger", () =>
    Effect.gen(function* () {
      const server = yield* answering({ json: {} })
      const api = yield* ContractClient.make("v4", V4Operations)
      yield* api.browsers.update({ params: { browser_id: "b" }, payload: { action: "stop" } })
      assert.isUndefined(server.requests[0]?.headers["idempotency-key"])
      assert.deepStrictEqual(yield* tags, [])
    }).pipe(Effect.provide(setting()), Effect.provideService(RetryPolicy.Current, RetryPolicy.none))
  )
})
