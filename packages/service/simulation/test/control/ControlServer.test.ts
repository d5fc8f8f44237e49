import { ControlClient } from "@webagent/control"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { Server } from "@webagent/server"
import { ControlServer } from "../../src/control/ControlServer.ts"
import { ServiceClock } from "../../src/time/ServiceClock.ts"
import { send, poll } from "../send.ts"
import { dialTo, parse, request } from "../wire.ts"
import { asked, controlKey } from "./asked.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

const served = Layer.orDie(SimulatedService.layer({ turnDuration: "5 millis", control: { key: controlKey } }))

const createRun = (task: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(send("POST", "/api/v4/runs", { body: { task }, headers }), ({ body }) => ({
    id: String(body["id"]),
    sessionId: String(body["sessionId"])
  }))

layer(served, { excludeTestServices: true })("ControlServer", (it) => {
  it.effect("listens on its own port, which the service names on this machine", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const { address: control } = yield* ControlServer
      assert.match(control ?? "", /^http:\/\/127\.0\.0\.1:\d+\/control\/v1$/u)
      assert.notStrictEqual(new URL(control ?? "").origin, address)
      const { body } = yield* send("GET", "/")
      assert.strictEqual(body["control"], control)
      assert.strictEqual((yield* send("GET", "/control/v1/journal")).status, 404)
    })
  )

  it.effect("accepts only the control key, and checks it first", () =>
    Effect.gen(function* () {
      const missing = "Send the control key in the header X-Control-Key."
      const wrong = "The value of X-Control-Key is not the control key of this server."
      for (const key of [null, "", "wak_test", `${controlKey}x`]) {
        const { body, status } = yield* asked("PUT", "/profile", { key, text: "{" })
        assert.deepStrictEqual([status, body], [401, { detail: key === null || key === "" ? missing : wrong }])
      }
      assert.strictEqual((yield* asked("GET", "/profile")).status, 200)
    })
  )

  it.effect("refuses a page whose own host name resolves to this machine", () =>
    Effect.gen(function* () {
      const { address = "" } = yield* ControlServer
      const wire = yield* dialTo("127.0.0.1", Number(new URL(address).port))
      const local = request("GET", "/control/v1/profile", undefined, [`X-Control-Key: ${controlKey}`])
      wire.send(local.replace("Host: 127.0.0.1", "Host: wire"))
      const answer = parse(yield* wire.until((text) => parse(text)?.isWhole === true))
      assert.strictEqual(answer?.status, 403)
      assert.include(answer?.body, String.raw`Host \"wire\" is not allowed`)
    })
  )

  it.effect("returns JSON for unknown paths, with the address of its document", () =>
    Effect.gen(function* () {
      const nothing = yield* asked("GET", "/nothing")
      assert.deepStrictEqual(
        [nothing.status, nothing.body],
        [404, { detail: "Not found. The control API is described at /control/v1/openapi.json." }]
      )
      const wrong = yield* asked("PATCH", "/time")
      assert.deepStrictEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD, PUT"])
      const document = yield* asked("GET", "/openapi.json", { key: null })
      assert.include(Object.keys(document.body["paths"] as object), "/control/v1/time/advance")
    })
  )

  it.effect("returns 422 with one line per wrong field for an invalid request", () =>
    Effect.gen(function* () {
      const refused = (method: string, path: string, body?: unknown) =>
        Effect.map(asked(method, path, body === undefined ? {} : { body }), (answer) => {
          assert.strictEqual(answer.status, 422)
          return String(answer.body["detail"]).split("\n")
        })
      assert.deepStrictEqual(
        yield* refused("PUT", "/faults", [{ fault: { kind: "hang", for: "soon" }, when: { rate: 2, attempt: 1 } }]),
        [
          '[0].fault.for: expected a length of time such as 200ms, 45 seconds or 30m, got "soon"',
          '[0].when.attempt: is not a known field; did you mean "attempts"?',
          "[0].when.rate: expected a number between 0 and 1, got 2"
        ]
      )
      assert.deepStrictEqual(yield* refused("PUT", "/profile", { profile: { outcomes: { completed: -1 } } }), [
        "profile.outcomes.completed: expected a number greater than or equal to 0, got -1"
      ])
      assert.deepStrictEqual(yield* refused("PUT", "/time", { mode: "fast" }), [
        'mode: expected one of real, scaled, manual, got "fast"'
      ])
      assert.deepStrictEqual(yield* refused("POST", "/time/advance"), [
        "by: is missing, expected a length of time such as 200ms, 45 seconds or 30m"
      ])
      assert.deepStrictEqual(yield* refused("GET", "/journal?limit=many"), [
        'query limit: expected a finite number, got "many"'
      ])
      const text = yield* asked("PUT", "/faults", { text: "{" })
      assert.deepStrictEqual([text.status, text.body], [422, { detail: "The body is not JSON." }])
      const unknown = yield* asked("PUT", "/profile", { body: { preset: "flakey" } })
      assert.strictEqual(unknown.status, 404)
      assert.match(String(unknown.body["detail"]), /^Unknown preset "flakey"\. Use one of instant, /u)
    })
  )

  it.effect("has a client with every operation of the API", () =>
    Effect.gen(function* () {
      const { address: control } = yield* ControlServer
      const client = yield* ControlClient.make({ address: control ?? "", key: controlKey })
      const profile = yield* client.behaviour.setProfile({ payload: { preset: "instant" } })
      assert.strictEqual(profile.name, "instant")
      assert.strictEqual((yield* client.behaviour.getProfile()).name, "instant")

      const run = yield* createRun("[simulate duration=1h]")
      const open = yield* client.record.getOpen()
      assert.include(
        open.turns.map(({ id }) => id),
        run.id
      )
      const cancelled = yield* client.operations.cancelRun({ params: { run_id: run.id.toUpperCase() } })
      assert.deepStrictEqual(cancelled, { id: run.id, status: "cancelled" })
      const shared = yield* client.operations.shareSession({ params: { session_id: run.sessionId } })
      assert.deepStrictEqual(shared, { id: run.sessionId })
      const stopped = yield* client.operations.stopSession({ params: { session_id: run.sessionId } })
      assert.deepStrictEqual(stopped, { id: run.sessionId, status: "stopped" })
      const unknown = yield* Effect.flip(client.operations.cancelRun({ params: { run_id: "unknown" } }))
      assert.deepStrictEqual([unknown._tag, unknown.message], ["ControlNotFoundError", "No run with id unknown."])

      const journal = yield* client.record.getJournal({ query: { type: "control" } })
      assert.deepStrictEqual(
        journal.entries.map((entry) => (entry.type === "control" ? [entry.action, entry.detail] : [])),
        [
          ["setProfile", "instant"],
          ["cancelRun", run.id],
          ["shareSession", run.sessionId],
          ["stopSession", run.sessionId],
          ["cancelRun", "unknown"]
        ]
      )
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})

const once = (program: Effect.Effect<void, unknown, ControlServer | Server | ServiceClock>) =>
  Effect.orDie(Effect.provide(program, Layer.fresh(served)))

describe("ControlServer", () => {
  it.live("exists only on request, and the service doesn't mention it otherwise", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* ControlServer).address)
      assert.notProperty((yield* send("GET", "/")).body, "control")
    }).pipe(Effect.provide(SimulatedService.layer()))
  )

  it.live("advances manual time by half an hour on request", () =>
    once(
      Effect.gen(function* () {
        const early = yield* asked("POST", "/time/advance", { body: { by: "1m" } })
        assert.deepStrictEqual(
          [early.status, early.body],
          [409, { detail: "Service time is real. Set it to manual before you advance it." }]
        )
        yield* asked("PUT", "/time", { body: { mode: "manual" } })
        const { id } = yield* createRun("[simulate duration=30m output=found]")
        const status = Effect.map(send("GET", `/api/v4/runs/${id}/status`), ({ body }) => body["status"])
        const before = (yield* asked("GET", "/time")).body
        yield* asked("POST", "/time/advance", { body: { by: "29m" } })
        assert.strictEqual(yield* status, "running")
        const { body } = yield* asked("POST", "/time/advance", { body: { by: "1 minute" } })
        assert.strictEqual(yield* status, "completed")
        assert.strictEqual(Number(body["now_ms"]) - Number(before["now_ms"]), 1_800_000)
        assert.deepStrictEqual(body["time"], { mode: "manual" })
      })
    )
  )

  it.live("resets a service to its initial state: the same ids again, no rows, no findings", () =>
    once(
      Effect.gen(function* () {
        const first = yield* createRun("a")
        yield* poll(`/api/v4/runs/${first.id}/status`, ({ status }) => status === "completed")
        assert.isFalse((yield* asked("GET", "/verdicts")).body["holds"])
        assert.deepStrictEqual((yield* asked("POST", "/reset")).body, { done: true })
        assert.strictEqual((yield* asked("GET", "/journal")).body["written"], 0)
        assert.isTrue((yield* asked("GET", "/verdicts")).body["holds"])
        assert.strictEqual((yield* send("GET", `/api/v4/runs/${first.id}`)).status, 404)
        assert.deepStrictEqual(yield* createRun("a"), first)
        yield* asked("POST", "/reset", { body: { seed: 2 } })
        assert.notStrictEqual((yield* createRun("a")).id, first.id)
      })
    )
  )

  it.live("restores a snapshot with its time, seed and profile, and changes nothing for an invalid one", () =>
    once(
      Effect.gen(function* () {
        yield* asked("PUT", "/time", { body: { mode: "manual" } })
        const run = yield* createRun("[simulate duration=10m output=found]")
        yield* asked("POST", "/time/advance", { body: { by: "4m" } })
        const snapshot = (yield* asked("GET", "/snapshot")).body
        yield* asked("POST", "/time/advance", { body: { by: "1h" } })
        yield* asked("PUT", "/profile", { body: { preset: "flaky" } })
        yield* asked("POST", "/reset", { body: { seed: 5 } })

        const broken = yield* asked("PUT", "/snapshot", { body: { ...snapshot, state: { version: 1 } } })
        assert.strictEqual(broken.status, 422)
        assert.match(String(broken.body["detail"]), /^Invalid snapshot/u)
        assert.notStrictEqual((yield* asked("GET", "/time")).body["now_ms"], snapshot["at_ms"])

        assert.deepStrictEqual((yield* asked("PUT", "/snapshot", { body: snapshot })).body, { done: true })
        assert.deepStrictEqual((yield* asked("GET", "/snapshot")).body, snapshot)
        const status = Effect.map(send("GET", `/api/v4/runs/${run.id}/status`), ({ body }) => body["status"])
        yield* asked("POST", "/time/advance", { body: { by: "359s" } })
        assert.strictEqual(yield* status, "running")
        yield* asked("POST", "/time/advance", { body: { by: "1s" } })
        assert.strictEqual(yield* status, "completed")
      })
    )
  )

  it.live("answers every request to the trap without a key, and records who sent one", () =>
    once(
      Effect.gen(function* () {
        const { address: control } = yield* ControlServer
        const trap = (control ?? "").replace("/control/v1", "/trap/api/v4/runs?x=1")
        const ask = (headers: Readonly<Record<string, string>>) =>
          Effect.promise(() => fetch(trap, { method: "POST", headers, body: "{}" }).then((answer) => answer.text()))
        assert.strictEqual(yield* ask({}), "{}")
        assert.isTrue((yield* asked("GET", "/verdicts")).body["holds"])
        yield* ask({ "x-service-api-key": "wak_test" })
        assert.isFalse((yield* asked("GET", "/verdicts")).body["holds"])
        const { body } = yield* asked("GET", "/journal?operation=trap")
        const entries = body["entries"] as ReadonlyArray<Record<string, unknown>>
        assert.deepStrictEqual(
          entries.map(({ apiKey, method, path }) => [method, path, apiKey]),
          [
            ["POST", "/trap/api/v4/runs?x=1", null],
            ["POST", "/trap/api/v4/runs?x=1", entries[1]?.["apiKey"]]
          ]
        )
        assert.notInclude(JSON.stringify(entries), "wak_test")
        yield* ask({ "user-agent": "x".repeat(5000) })
        const { body: last } = yield* asked("GET", "/journal?operation=trap&after=2")
        assert.isBelow(JSON.stringify(last["entries"]).length, 1000)
      })
    )
  )

  it.live("sets faults while the service runs, and redirects lead to the trap", () =>
    once(
      Effect.gen(function* () {
        yield* asked("PUT", "/faults", {
          body: [{ name: "astray", fault: { kind: "redirect" }, when: { operations: ["v4.getRun"] } }]
        })
        const { body } = yield* asked("GET", "/faults")
        assert.strictEqual(
          JSON.stringify(body),
          '[{"name":"astray","fault":{"kind":"redirect"},"when":{"operations":["v4.getRun"]}}]'
        )
        const { address: control } = yield* ControlServer
        const answer = yield* send("GET", "/api/v4/runs/unknown")
        assert.deepStrictEqual([answer.status, answer.text], [200, "{}"])
        const { findings } = yield* Effect.map(asked("GET", "/verdicts"), ({ body }) =>
          (body["verdicts"] as ReadonlyArray<Record<string, unknown>>).find(
            ({ oracle }) => oracle === "key-sent-elsewhere"
          )
        ).pipe(Effect.map((verdict) => verdict ?? {}))
        assert.match(
          JSON.stringify(findings),
          /GET \/trap\/api\/v4\/runs\/unknown sent an API key to another origin/u,
          control
        )
        // a profile that is chosen brings its own faults, here none
        yield* asked("PUT", "/profile", { body: { preset: "instant" } })
        assert.strictEqual(JSON.stringify((yield* asked("GET", "/faults")).body), "[]")
      })
    )
  )

  it.live("is the only API that responds during an outage", () =>
    once(
      Effect.gen(function* () {
        const { address } = yield* Server
        const refused = Effect.promise(() =>
          fetch(`${address}/health`).then(
            () => "answered",
            (error: { readonly cause?: { readonly code?: string } }) => error.cause?.code
          )
        )
        yield* asked("PUT", "/time", { body: { mode: "manual" } })
        assert.deepStrictEqual((yield* asked("POST", "/outage", { body: { for: "30s" } })).body, { done: true })
        assert.strictEqual(yield* refused, "ECONNREFUSED")
        yield* asked("POST", "/time/advance", { body: { by: "29s" } })
        assert.strictEqual(yield* refused, "ECONNREFUSED")
        yield* asked("POST", "/time/advance", { body: { by: "1s" } })
        yield* Effect.repeat(refused, { until: (answer) => answer === "answered" })
      })
    )
  )

  it.live("accepts no time beyond the range of dates", () =>
    once(
      Effect.gen(function* () {
        const refused = (method: string, path: string, body: unknown) =>
          Effect.map(asked(method, path, { body }), (answer) => [answer.status, answer.body["detail"]])
        const endless = `${"9".repeat(400)}d`
        const expected = "expected a length of time of at most 36500 days, got"
        assert.deepStrictEqual(
          yield* refused("PUT", "/faults", [{ fault: { kind: "clock-skew", by: "200000000 days" } }]),
          [422, `[0].fault.by: ${expected} "200000000 days"`]
        )
        assert.deepStrictEqual((yield* asked("POST", "/outage", { body: { for: endless } })).status, 422)
        assert.deepStrictEqual((yield* asked("PUT", "/time", { body: { mode: "scaled", factor: 1e300 } })).status, 422)
        yield* asked("PUT", "/time", { body: { mode: "manual" } })
        const { body: snapshot } = yield* asked("GET", "/snapshot")
        assert.strictEqual((yield* asked("PUT", "/snapshot", { body: { ...snapshot, at_ms: 1e300 } })).status, 422)
        const late = { ...snapshot, at_ms: Date.UTC(8999, 11, 31) }
        assert.strictEqual((yield* asked("PUT", "/snapshot", { body: late })).status, 200)
        assert.deepStrictEqual(yield* refused("POST", "/time/advance", { by: "2 days" }), [
          409,
          "Service time cannot pass the year 8999. Advance it by less."
        ])
        assert.strictEqual((yield* send("POST", "/api/v4/runs", { body: { task: "mug" } })).status, 201)
        yield* asked("POST", "/time/advance", { body: { by: "1h" } })
        assert.strictEqual((yield* asked("GET", "/journal")).status, 200)
      })
    )
  )

  it.live("ends an outage at a reset or when a snapshot is restored, whatever the time was", () =>
    once(
      Effect.gen(function* () {
        const { address } = yield* Server
        const status = Effect.promise(() => fetch(`${address}/health`).then((answer) => answer.status))
        yield* asked("PUT", "/time", { body: { mode: "manual" } })
        const { body: snapshot } = yield* asked("GET", "/snapshot")
        yield* asked("POST", "/time/advance", { body: { by: "2h" } })
        yield* asked("POST", "/outage", { body: { for: "30s" } })
        yield* asked("PUT", "/snapshot", { body: snapshot })
        assert.strictEqual(yield* status, 200)
        yield* asked("POST", "/outage", { body: { for: "30s" } })
        yield* asked("POST", "/reset")
        assert.strictEqual(yield* status, 200)
        // what is left of that outage closes nothing
        yield* asked("POST", "/time/advance", { body: { by: "1m" } })
        assert.strictEqual(yield* status, 200)
      })
    )
  )

  it.live("doesn't prolong an outage when time is set back", () =>
    once(
      Effect.gen(function* () {
        const { address } = yield* Server
        const time = yield* ServiceClock
        const answered = Effect.promise(() =>
          fetch(`${address}/health`).then(
            ({ ok }) => ok,
            () => false
          )
        )
        yield* time.go({ mode: "manual" })
        yield* asked("POST", "/outage", { body: { for: "30s" } })
        const { now_ms } = yield* time.view
        yield* time.setNow(now_ms - 3_600_000)
        yield* time.advance("30 seconds")
        yield* Effect.repeat(answered, { until: (ok) => ok })
      })
    )
  )

  it.live("keeps time, journal and control of two services in one program separate", () =>
    Effect.gen(function* () {
      type Parts = Context.Context<ControlServer | Server>
      const own = <Id>(tag: Context.Service<Id, Parts>) =>
        Layer.provide(
          Layer.effect(tag, Effect.context<ControlServer | Server>()),
          SimulatedService.layer({ control: { key: controlKey } })
        )
      const One = Context.Service<"One", Parts>("One")
      const Two = Context.Service<"Two", Parts>("Two")
      // built together, as the layers of one program are
      const both = yield* Layer.build(Layer.merge(own(One), own(Two)))
      const one = Context.get(both, One)
      const two = Context.get(both, Two)
      yield* Effect.provide(asked("PUT", "/time", { body: { mode: "manual" } }), one)
      const time = Effect.map(asked("GET", "/time"), ({ body }) => body["time"])
      assert.deepStrictEqual(yield* Effect.provide(time, one), { mode: "manual" })
      assert.deepStrictEqual(yield* Effect.provide(time, two), { mode: "real" })
      const journal = Effect.map(asked("GET", "/journal"), ({ body }) => body["written"])
      assert.strictEqual(yield* Effect.provide(journal, one), 1)
      assert.strictEqual(yield* Effect.provide(journal, two), 0)
      yield* Effect.provide(asked("POST", "/time/advance", { body: { by: "1h" } }), one)
      const finished = yield* Effect.provide(
        Effect.flatMap(createRun("[simulate duration=20ms]"), ({ id }) =>
          poll(`/api/v4/runs/${id}/status`, ({ status }) => status === "completed")
        ),
        two
      )
      assert.strictEqual(finished.status, 200)
    })
  )
})
