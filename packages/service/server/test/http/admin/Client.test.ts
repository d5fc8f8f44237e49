import { assert, it } from "@effect/vitest"
import { AdminClient, NotFoundError, PromiseClient } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { Server } from "../../../src/Server.ts"
import { ask, layerAdmin } from "./served.ts"

it.live("a promise client starts, lists and cancels runs, and rejects with the operation's error", () =>
  Effect.flatMap(Server, ({ address }) =>
    Effect.promise(async () => {
      const admin = await PromiseClient.make({ baseUrl: `${address}/`, apiKey: "wak_root" })
      const { key, version } = await admin.server.get()
      assert.deepStrictEqual([key.admin, typeof version], [true, "string"])
      const run = await admin.runs.create({ payload: { task: "Find a mug" } })
      const { rows } = await admin.runs.list({ query: { key: run.owner ?? "" } })
      const ids = rows.map(({ id }) => id)
      assert.deepStrictEqual(ids, [run.id])
      const { already, cancelled } = await admin.runs.cancel({ payload: { ids } })
      assert.deepStrictEqual([...already, ...cancelled], [run.id])
      const error: unknown = await admin.runs.get({ params: { run_id: "unknown" } }).catch((error: unknown) => error)
      assert.instanceOf(error, NotFoundError)
    })
  ).pipe(Effect.provide(layerAdmin()))
)

/** Name and message of the error that a promise is rejected with. */
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "no error",
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  )

// programs in plain JavaScript have no types that would refuse these
const untyped = (value: object) => value as never

it.live("clients refuse a misspelled filter before they send a bulk cancel", () =>
  Effect.gen(function* () {
    const { address } = yield* Server
    const options = { baseUrl: address, apiKey: "wak_root" }
    const effect = yield* Effect.provide(AdminClient.make(options), FetchHttpClient.layer)
    const misspelled = untyped({ payload: { filter: { sesionId: "nope" } } })
    const failure = yield* Effect.flip(effect.runs.cancel(misspelled))
    assert.deepInclude(failure, { _tag: "SchemaError" })
    yield* Effect.promise(async () => {
      const admin = await PromiseClient.make(options)
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [
          { payload: { filter: { sesionId: "a" } } },
          `"sesionId" isn't a filter of this operation. Did you mean "session"?`
        ],
        [{ payload: { filter: { owner: "a" } } }, `"owner" isn't a filter of this operation. Did you mean "key"?`],
        [
          { payload: { filter: {} } },
          'filter: The filter is empty. To cancel all open runs, send {"all": true} instead.'
        ],
        [
          { payload: { filter: { status: "runing" } } },
          "filter.status must be one of queued, dispatching, running, completed, failed, cancelled."
        ],
        [{ paylod: { all: true } }, `"paylod" isn't a part of the request. Did you mean "payload"?`]
      ]
      for (const [request, message] of wrong) {
        assert.strictEqual(await errorOf(admin.runs.cancel(untyped(request))), `InvalidRequestError: ${message}`)
      }
      assert.strictEqual(
        await errorOf(admin.runs.list(untyped({ query: { limt: 1 } }))),
        `InvalidRequestError: "limt" isn't a query parameter of this operation. Did you mean "limit"?`
      )
    })
  }).pipe(Effect.provide(layerAdmin()))
)

it.live(
  "a promise client refuses invalid options, respects a signal and a timeout, and explains a missing server",
  () =>
    Effect.flatMap(Server, ({ address }) =>
      Effect.promise(async () => {
        const options = { baseUrl: address, apiKey: "wak_root" }
        const make = (wrong: unknown) => errorOf(PromiseClient.make(wrong as never))
        const prefix = "ClientConfigError:"
        assert.strictEqual(
          await make(undefined),
          `${prefix} The client options must be an object with baseUrl, apiKey, apiKeyHeader, timeout.`
        )
        assert.strictEqual(
          await make({ ...options, timout: 1 }),
          `${prefix} "timout" isn't a client option. Did you mean "timeout"?`
        )
        assert.strictEqual(
          await make({ address, key: "wak_root" }),
          `${prefix} "address" isn't a client option. Use baseUrl, apiKey, apiKeyHeader, timeout.`
        )
        assert.strictEqual(await make({ baseUrl: address }), `${prefix} apiKey must be a string.`)
        assert.strictEqual(
          await make({ apiKey: "wak_root" }),
          `${prefix} baseUrl must be a URL, such as http://127.0.0.1:41873.`
        )
        const admin = await PromiseClient.make(options)
        const get = (call: object) => errorOf(admin.server.get(undefined, untyped(call)))
        assert.include(await get({ timout: 1 }), `Did you mean "timeout"?`)
        assert.include(await get({ timeout: "soon" }), "timeout must be a length of time above zero")
        assert.strictEqual(await get({ timeout: "1 nanos" }), `NoResponseError: No response of ${address} within 1ns.`)
        assert.strictEqual(await get({ signal: AbortSignal.abort(new Error("Stop")) }), "Error: Stop")
        const stop = new AbortController()
        const call = get({ signal: stop.signal })
        stop.abort(new Error("Stop later"))
        assert.strictEqual(await call, "Error: Stop later")
        const nowhere = await PromiseClient.make({ ...options, baseUrl: "http://127.0.0.1:9" })
        assert.include(await errorOf(nowhere.server.get()), "NoResponseError: No server responds at http://127.0.0.1:9")
        const elsewhere = await PromiseClient.make({ ...options, baseUrl: `${address}/elsewhere` })
        assert.include(await errorOf(elsewhere.server.get()), "UnexpectedResponseError: ")
      })
    ).pipe(Effect.provide(layerAdmin()))
)

/** The first value that fits, or undefined at the end of the iteration. */
const first = async <A>(values: AsyncIterable<A>, fits: (value: A) => boolean): Promise<A | undefined> => {
  for await (const value of values) if (fits(value)) return value
  return undefined
}

it.live("a promise client iterates over events until the loop ends, a signal aborts it, or the server refuses", () =>
  Effect.flatMap(Server, ({ address }) =>
    Effect.promise(async () => {
      const admin = await PromiseClient.make({ baseUrl: address, apiKey: "wak_root" })
      const stream = (lastEventId?: string, options?: { readonly signal: AbortSignal }) =>
        admin.events.stream(
          { headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId }, query: {} },
          options
        )
      let created: string | undefined
      const finished = await first(stream(), ({ data, event }) => {
        // the first event says that the stream has begun
        if (event === "ping")
          void admin.runs.create({ payload: { task: "Find a mug" } }).then(({ id }) => (created = id))
        return event === "run" && typeof data === "object" && "status" in data && data.status === "completed"
      })
      assert.deepInclude(finished?.data, { id: created })
      const stop = new AbortController()
      const iteration = errorOf(first(stream(undefined, { signal: stop.signal }), () => false))
      stop.abort(new Error("Stop"))
      assert.strictEqual(await iteration, "Error: Stop")
      assert.strictEqual(
        await errorOf(first(stream("abc"), () => true)),
        "BadCursorError: Last-Event-ID must be the id of an event of this server. Leave it out to start with the next change"
      )
      assert.throws(() => admin.events.stream(untyped({ headrs: {} })), `Did you mean "headers"?`)
    })
  ).pipe(Effect.provide(layerAdmin()))
)

it.live("clients and the server refuse an update of a webhook or a schedule that changes nothing", () =>
  Effect.gen(function* () {
    const { address } = yield* Server
    const nothing = "There is nothing to change: send at least one of "
    for (const [path, fields] of [
      ["/webhooks/w", "url, events, description and active."],
      ["/schedules/s", "name, cron, timeZone, missed, run and active."]
    ] as const) {
      const { body, status } = yield* ask("root", "PATCH", path, {})
      assert.deepStrictEqual(
        [status, body],
        [422, { detail: [{ loc: ["body"], msg: `${nothing}${fields}`, type: "value_error" }] }]
      )
    }
    yield* Effect.promise(async () => {
      const admin = await PromiseClient.make({ baseUrl: address, apiKey: "wak_root" })
      assert.strictEqual(
        await errorOf(admin.webhooks.update({ params: { webhook_id: "w" }, payload: {} })),
        `InvalidRequestError: The request: ${nothing}url, events, description and active.`
      )
    })
  }).pipe(Effect.provide(layerAdmin()))
)
