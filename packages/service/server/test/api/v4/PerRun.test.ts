import { assert, layer } from "@effect/vitest"
import { type Attempt, MemoryStore, makeSecretBox, SecretBox, Store, type Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { poll, send } from "../../http/send.ts"
import { layerOver } from "../../http/served.ts"

const canary = "canary-hunter2"

/** Values that the agents of this file received. */
const opened: Array<string> = []

/** Waits for a person at its cost limit if the run asks for it, and reports the secrets that it has. */
const perform = (turn: Turn.Turn, attempt: Attempt) =>
  Stream.concat(
    Stream.make({ _tag: "Started" } as const),
    Stream.fromEffect(
      Effect.gen(function* () {
        if (turn.task === "wait") return yield* Effect.never
        for (const { value } of yield* attempt.secrets) if (value !== null) opened.push(Redacted.value(value))
        const over =
          turn.pausesAtCost === true
            ? yield* attempt.ask({ reason: "max_cost", question: "More?", choices: null, askedBy: "rule" })
            : null
        return { _tag: "Completed", report: { output: over?.outcome.answer ?? null } } as const
      })
    )
  )

const agent = { models: ["test", "small"], accepts: (model: string) => ["test", "small"].includes(model) }

/** Everything that the server stores. */
const commits: Array<string> = []

const observed = Layer.effect(
  Store,
  Effect.map(Store, (store) => ({
    ...store,
    commit: (step: Parameters<typeof store.commit>[0]) => {
      commits.push(JSON.stringify(step))
      return store.commit(step)
    }
  }))
).pipe(Layer.provide(MemoryStore.layer))

const served = layerOver(observed, {
  perform,
  agent: { ...agent, hasSecret: (name) => name === "shop" }
})

const create = (fields: object = {}, headers: Record<string, string> = {}) =>
  send("POST", "/api/v4/runs", { body: { task: "Sign in", ...fields }, headers })

const until = (id: unknown, fits: (body: Readonly<Record<string, unknown>>) => boolean) =>
  poll(`/api/v4/runs/${String(id)}`, fits)

const answer = (id: unknown, text: string) =>
  send("POST", `/api/v4/runs/${String(id)}/answer`, { body: { questionId: "1", answer: text } })

const inline = (value: unknown = canary) => ({
  alias: "pin",
  source: { type: "inline", value },
  allowedDomains: ["shop.example"]
})

const ofServer = { alias: "user", source: { type: "server", name: "shop" }, allowedDomains: ["*.Shop.example"] }

layer(served, { excludeTestServices: true })("a v4 run's options", (it) => {
  it.effect("secrets reach the agent, but no response, commit or error contains a value", () =>
    Effect.gen(function* () {
      commits.length = 0
      opened.length = 0
      const made = yield* create({ secretBindings: [inline(), ofServer] }, { "idempotency-key": "secrets" })
      assert.strictEqual(made.status, 201)
      assert.deepStrictEqual(made.body["secretBindings"], [
        { alias: "pin", source: { type: "inline" }, allowedDomains: ["shop.example"] },
        { alias: "user", source: { type: "server", name: "shop" }, allowedDomains: ["*.shop.example"] }
      ])
      const done = yield* until(made.body["id"], ({ status }) => status === "completed")
      assert.deepStrictEqual(opened, [canary])
      const again = yield* create({ secretBindings: [inline(), ofServer] }, { "idempotency-key": "secrets" })
      assert.deepStrictEqual([again.status, again.body["id"]], [201, made.body["id"]])
      const other = yield* create({ secretBindings: [inline("another"), ofServer] }, { "idempotency-key": "secrets" })
      assert.strictEqual(other.status, 422)
      const events = yield* send("GET", `/api/v4/runs/${String(made.body["id"])}/events`)
      const session = yield* send("GET", `/api/v4/sessions/${String(made.body["sessionId"])}`)
      for (const body of [made, done, again, other, events, session]) assert.notInclude(JSON.stringify(body), canary)
      assert.isAbove(commits.length, 1)
      for (const commit of commits) assert.notInclude(commit, canary)
      // while the run was open, and not after it
      const withValue = commits.filter((commit) => commit.includes('"sealed":"'))
      assert.isAbove(withValue.length, 0)
      const finished = commits.filter((commit) => commit.includes('"status":"completed"'))
      assert.isAbove(finished.length, 0)
      for (const commit of finished) assert.notInclude(commit, '"sealed":"')
      // the record of the key, which lives for a day
      assert.notMatch(commits.find((commit) => commit.includes('"made"')) ?? "", /"made":.*"sealed":"/u)
    })
  )

  it.effect.each([
    [[{ alias: "a" }], "secretBindings", "Expected"],
    [[inline("abc")], "secretBindings", "Expected"],
    [[{ ...inline(), alias: "no spaces" }], "secretBindings", "Expected"],
    [[{ ...inline(), allowedDomains: [] }], "secretBindings", "Expected"],
    [[{ ...inline(), allowedDomains: ["*"] }], "secretBindings", "Expected"],
    [[{ ...inline(), allowedDomains: ["https://shop.example"] }], "secretBindings", "Expected"],
    [Array.from({ length: 21 }, (_, at) => ({ ...inline(), alias: `a${at}` })), "secretBindings", "at most 20"],
    [[inline(), inline()], "secretBindings", "Two secrets"],
    [[{ ...inline(), source: { type: "onepassword", vault: canary } }], "secretBindings", "1Password"],
    [[{ ...ofServer, source: { type: "server", name: "bank" } }], "secretBindings", "no secret"],
    [[inline("Sign in")], "task", "write <secret:pin>"]
  ] as const)("returns 422 without the value for %j in secretBindings", ([secretBindings, at, message]) =>
    Effect.gen(function* () {
      const { body, status } = yield* create({ secretBindings })
      assert.strictEqual(status, 422, JSON.stringify(body))
      const [issue] = body["detail"] as ReadonlyArray<{ readonly loc: ReadonlyArray<string>; readonly msg: string }>
      assert.strictEqual(issue?.loc.at(-1), at)
      assert.include(issue?.msg, message)
      assert.notInclude(JSON.stringify(body), canary)
    })
  )

  it.effect("lets a run that waits at its cost limit continue with a higher one, and shows it", () =>
    Effect.gen(function* () {
      const { body: made } = yield* create({ maxCostUsd: "0.50", onMaxCost: "pause", handOff: { timeout: 60 } })
      assert.deepInclude(made, { maxCostUsd: "0.50", onMaxCost: "pause" })
      const { body: run } = yield* until(made["id"], (body) => "waitingFor" in body)
      assert.deepInclude(run["waitingFor"], {
        reason: "max_cost",
        askedBy: "rule",
        whenUnanswered: "fail",
        pausesTimeLimit: true
      })
      for (const text of ["0.5", "0.49", "-1", "much", "1e3", ""]) {
        const refused = yield* answer(made["id"], text)
        assert.strictEqual(refused.status, 422, text)
        assert.nestedPropertyVal(
          refused.body,
          "detail[0].msg",
          'Expected an amount in USD above 0.50, such as 1.50, or "end" to end the run'
        )
      }
      const raised = yield* answer(made["id"], "1.25")
      assert.propertyVal(raised.body, "maxCostUsd", "1.25")
      assert.strictEqual((yield* answer(made["id"], "9")).status, 409)
      const { body: done } = yield* until(made["id"], ({ status }) => status === "completed")
      assert.deepInclude(done, { result: "1.25", maxCostUsd: "1.25" })
    })
  )

  it.effect("lets only the agent ask about the cost limit", () =>
    Effect.gen(function* () {
      const { body: made } = yield* create({ task: "wait" })
      yield* until(made["id"], ({ status }) => status === "running")
      const asked = yield* send("POST", `/api/v4/runs/${String(made["id"])}/ask`, {
        body: { question: "More?", reason: "max_cost" }
      })
      assert.strictEqual(asked.status, 422)
      const alone = yield* create({ onMaxCost: "pause" })
      assert.nestedPropertyVal(
        alone.body,
        "detail[0].msg",
        "Only a run with a limit can wait at it: send maxCostUsd, too"
      )
      yield* send("POST", `/api/v4/runs/${String(made["id"])}/cancel`)
    })
  )

  it.effect("returns 422 with the server's models for an unknown model", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* create({ model: "small" })).body["model"], "small")
      for (const [options, at] of [
        [{ model: "large" }, "model"],
        [{ judge: { model: "large" } }, "judge.model"]
      ] as const) {
        const { body, status } = yield* create(options)
        const [issue] = body["detail"] as ReadonlyArray<{ readonly loc: ReadonlyArray<string>; readonly msg: string }>
        assert.deepStrictEqual([status, issue?.loc.slice(1).join(".")], [422, at])
        assert.strictEqual(issue?.msg, 'This server has no model "large": leave model out, or send one of test, small')
      }
    })
  )

  it.effect("returns judge, tags, metadata and browser settings with the run", () =>
    Effect.gen(function* () {
      const options = {
        judge: { context: "Below 100 EUR", model: "small" },
        tags: ["nightly", "shop"],
        metadata: { order: "17" }
      }
      const browserSettings = {
        proxyCountryCode: "de",
        screenWidth: 800,
        screenHeight: 600,
        languages: ["de-DE"],
        timeZone: "Europe/Berlin",
        userAgent: "Robot/1.0"
      }
      const made = yield* create({ ...options, browserSettings, sessionId: null })
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      assert.deepInclude(made.body, options)
      assert.deepInclude((yield* send("GET", `/api/v4/runs/${String(made.body["id"])}`)).body, options)
      assert.strictEqual((yield* create({ judge: false })).body["judge"], false)
      const follow = { task: "next", sessionId: made.body["sessionId"] }
      assert.deepInclude((yield* create({ ...follow, tags: ["b"] })).body, { tags: ["b"] })
      const late = yield* create({ ...follow, browserSettings: { timeZone: "UTC" } })
      assert.strictEqual(late.status, 422)
    })
  )

  it.effect.each([
    [{ judge: { context: 1 } }, "judge"],
    [{ tags: [""] }, "tags"],
    [{ tags: ["a,b"] }, "tags"],
    [{ metadata: { a: 1 } }, "metadata"],
    [{ onMaxCost: "stop" }, "onMaxCost"],
    [{ browserSettings: { timeZone: "Mars/Base" } }, "browserSettings.timeZone"],
    [{ browserSettings: { timeZone: "+02:00" } }, "browserSettings.timeZone"],
    [{ browserSettings: { userAgent: "a\r\nb" } }, "browserSettings.userAgent"],
    [{ browserSettings: { languages: [] } }, "browserSettings.languages"],
    [{ browserSettings: { screenHeight: 4000 } }, "browserSettings.screenHeight"],
    [{ browserSettings: { proxyCountryCode: "deu" } }, "browserSettings.proxyCountryCode"],
    [{ browserSettings: { stealth: true } }, "browserSettings.stealth"]
  ] as const)("returns 422 with the reason for %j", ([options, at]) =>
    Effect.gen(function* () {
      const { body, status } = yield* create(options)
      assert.strictEqual(status, 422, JSON.stringify(body))
      const [issue] = body["detail"] as ReadonlyArray<{ readonly loc: ReadonlyArray<string>; readonly msg: string }>
      assert.strictEqual(issue?.loc.slice(1).join("."), at)
      assert.match(issue?.msg ?? "", /leave|Expected/u)
    })
  )

  it.effect("returns 422 with the option's name for a queued message with an option of runs", () =>
    Effect.gen(function* () {
      const { body } = yield* create({ task: "wait" })
      const queue = (fields: object) =>
        send("POST", `/api/v4/sessions/${String(body["sessionId"])}/queue`, {
          body: { text: "next", interrupt: false, ...fields }
        })
      for (const [name, value] of Object.entries({
        maxCostUsd: 1,
        onMaxCost: "pause",
        secretBindings: [inline()],
        judge: false,
        model: "small",
        modelParams: { thinking: { type: "adaptive" } },
        browserSettings: { timeZone: "UTC" }
      })) {
        const refused = yield* queue({ [name]: value })
        assert.strictEqual(refused.status, 422, name)
        assert.nestedPropertyVal(
          refused.body,
          "detail[0].msg",
          `A queued message can't have this option, but POST /runs with a sessionId can: leave ${name} out`
        )
      }
      const empty = { maxCostUsd: null, secretBindings: [], model: null, browserSettings: null }
      assert.strictEqual((yield* queue(empty)).status, 201)
      assert.strictEqual((yield* send("POST", `/api/v4/runs/${String(body["id"])}/cancel`)).status, 200)
    })
  )
})

layer(layerOver(MemoryStore.layer, { perform }), { excludeTestServices: true })(
  "an agent that can't type secrets",
  (it) => {
    it.effect("refuses secrets", () =>
      Effect.gen(function* () {
        const { body, status } = yield* create({ secretBindings: [inline()] })
        assert.strictEqual(status, 422)
        assert.nestedPropertyVal(body, "detail[0].msg", "This server's agent can't type secrets")
      })
    )
  }
)

layer(
  Layer.provide(layerOver(MemoryStore.layer, { perform, agent: { hasSecret: () => true } }), [
    Layer.succeed(SecretBox, makeSecretBox([], "Set a key"))
  ]),
  { excludeTestServices: true }
)("a server without a key", (it) => {
  it.effect("refuses values, and accepts the server's own secrets", () =>
    Effect.gen(function* () {
      const { body, status } = yield* create({ secretBindings: [inline()] })
      assert.deepStrictEqual([status, (body["detail"] as ReadonlyArray<{ msg: string }>)[0]?.msg], [422, "Set a key"])
      assert.strictEqual((yield* create({ secretBindings: [ofServer] })).status, 201)
    })
  )
})
