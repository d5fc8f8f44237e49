import { Browser, QueuedMessage, QueueMessage, Run, RunCreate, RunStatusView, SessionInfo } from "@webagent/contract/v4"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Conversion from "../../../src/api/v4/Conversion.ts"
import { Turn } from "@webagent/engine"
import { browser, links, seenLinks, session, turn } from "../records.ts"

const survivesTheWire = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: S["Type"]) =>
  assert.deepStrictEqual(
    Schema.decodeUnknownSync(schema)(JSON.parse(JSON.stringify(Schema.encodeSync(schema)(value)))),
    value
  )

/** A browser that this server makes: which texts are countries is not described. */
const AcceptedBrowser = Schema.Struct({
  proxyCountryCode: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Za-z]{2}$/u)))
})

describe("v4 Conversion", () => {
  it.each(["", "nor", "n1", "gb-eng"])("refuses a browser create for the country %j", (proxyCountryCode) => {
    const error = Effect.runSync(Effect.flip(Conversion.browserToDomain({ proxyCountryCode })))
    assert.strictEqual(error.message, "body.proxyCountryCode: Expected a two-letter country code")
  })

  it("accepts BCP 47 language tags in their canonical spelling", () => {
    const read = (languages: unknown) => Conversion.browserToDomain({ languages } as object)
    assert.deepStrictEqual(Effect.runSync(read(["de-de", "DE", "zh-hant-tw"])).languages, ["de-DE", "de", "zh-Hant-TW"])
    assert.isUndefined(Effect.runSync(read(null)).languages)
    const wrong = [
      "de",
      [],
      ["de_DE"],
      ["en-US@posix"],
      ["de,en"],
      ["*"],
      [""],
      [1],
      Array.from({ length: 11 }, () => "de")
    ]
    for (const one of wrong) {
      const { message } = Effect.runSync(Effect.flip(read(one)))
      assert.match(message, /^body\.languages: Expected a list of 1 to 10 BCP 47 language tags/u, JSON.stringify(one))
    }
  })

  it("accepts host names as allowedDomains, spelled as a browser spells them", () => {
    const domains = (allowedDomains: unknown) => Conversion.browserToDomain({ allowedDomains } as object)
    const { allowedDomains } = Effect.runSync(domains(["Example.com.", "*.BÜCHER.example", "10.1"]))
    assert.deepStrictEqual(allowedDomains, ["example.com", "*.xn--bcher-kva.example", "10.0.0.1"])
    assert.isUndefined(Effect.runSync(domains(null)).allowedDomains)
    for (const wrong of ["example.com", [3], ["http://a.example"], ["a:80"], ["a/b"], ["*"], ["a*.b"], [""]]) {
      assert.match(Effect.runSync(Effect.flip(domains(wrong))).message, /^body\.allowedDomains: Expected a list /u)
    }
  })

  it("shows a browser's domains, and its usage once it's stopped", () => {
    const view = Conversion.browserFromDomain(
      { ...browser, allowedDomains: ["a.example"], languages: ["de"], bytes: 1_250_000 },
      links()
    )
    const own: object = view
    assert.deepInclude(own, { proxyUsedMb: "1.25", allowedDomains: ["a.example"], languages: ["de"] })
    const plain = Conversion.browserFromDomain(browser, links())
    assert.doesNotHaveAnyKeys(plain, ["allowedDomains", "languages"])
    assert.strictEqual(plain.proxyUsedMb, "0")
  })

  it("accepts true and false for enableRecording of browsers and runs", () => {
    for (const create of [
      (own: object) => Effect.map(Conversion.browserToDomain(own), ({ recording }) => recording),
      (own: object) => Effect.map(Conversion.toDomain({ task: "one", ...own }), ({ recording }) => recording)
    ]) {
      const answers = [true, false, null].map((enableRecording) => Effect.runSync(create({ enableRecording })))
      assert.deepStrictEqual(answers, [true, undefined, undefined])
      for (const enableRecording of ["yes", 1, []]) {
        const refused = Effect.flip(create({ enableRecording }))
        assert.strictEqual(Effect.runSync(refused).message, "body.enableRecording: Expected true or false")
      }
    }
  })

  it("accepts an object as the outputSchema of creates and messages", () => {
    const outputSchema = { type: "object", required: ["price"] }
    const run = { task: "one", outputSchema }
    const message = { text: "two", interrupt: false, outputSchema }
    assert.deepStrictEqual(Effect.runSync(Conversion.toDomain(run)).outputSchema, outputSchema)
    assert.deepStrictEqual(
      Effect.runSync(Conversion.messageToDomain("s", message, undefined)).outputSchema,
      outputSchema
    )
    for (const wrong of ["text", 3, ["array"]]) {
      const body = { task: "one", outputSchema: wrong }
      const refused = Effect.flip(Conversion.toDomain(body))
      assert.strictEqual(Effect.runSync(refused).message, "body.outputSchema: Expected a JSON Schema: an object")
    }
  })

  it("refuses an invalid JSON Schema as outputSchema, with its first problem", () => {
    const type = "string, number, integer, boolean, object, array or null, or a list of them"
    const names = "an object with a schema for each name"
    for (const [outputSchema, problem] of [
      [{ type: "strng" }, `type has to be ${type}`],
      [{ type: [] }, `type has to be ${type}`],
      [{ properties: { price: { type: "money" } } }, `properties.price.type has to be ${type}`],
      [{ properties: { price: "number" } }, "properties.price has to be a schema, which is an object"],
      [{ properties: [] }, `properties has to be ${names}`],
      [{ required: "price" }, "required has to be a list of property names"],
      [{ items: 3 }, "items has to be a schema, which is an object"],
      [{ anyOf: { type: "string" } }, "anyOf has to be a list of schemas"],
      [{ allOf: [{ minimum: "5" }] }, "allOf.0.minimum has to be a number"],
      [{ $defs: { Mug: { maxLength: -1 } } }, "$defs.Mug.maxLength has to be a whole number of at least 0"]
    ] as const) {
      const body = { task: "one", outputSchema }
      const refused = Effect.runSync(Effect.flip(Conversion.toDomain(body)))
      assert.strictEqual(refused.message, `body.outputSchema: This isn't a JSON Schema: ${problem}`)
    }
    let nested: object = {}
    for (let depth = 0; depth < 2000; depth++) nested = { items: nested }
    const deep = { task: "one", outputSchema: nested }
    const refused = Effect.runSync(Effect.flip(Conversion.toDomain(deep)))
    assert.include(refused.message, "it's nested more than 100 times")
    for (const outputSchema of [
      { type: ["string", "null"], enum: ["a", null], description: "A letter", "x-order": 3, default: [1] },
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        items: [{ type: "integer" }, true],
        additionalItems: false
      },
      { properties: { type: { type: "string" }, items: { $ref: "#/$defs/Mug" } }, $defs: { Mug: {} } }
    ]) {
      const body = { task: "one", outputSchema }
      assert.deepStrictEqual(Effect.runSync(Conversion.toDomain(body)).outputSchema, outputSchema)
    }
  })

  it.prop(
    "returns each option of a create in the run",
    [RunCreate],
    ([body]) => {
      const { modelParams, task } = Effect.runSync(Conversion.toDomain(body))
      const run = Conversion.fromDomain({ ...turn, modelParams, task })
      assert.strictEqual(run.task, body.task)
      assert.deepStrictEqual(run.modelParams, body.modelParams ?? null)
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "returns each option of a message in the queued message",
    [QueueMessage],
    ([body]) => {
      const message = Effect.runSync(Conversion.messageToDomain(turn.sessionId, body, undefined))
      const queued = Conversion.messageFromDomain({ ...turn, seq: 2, ahead: message.interrupt, task: message.text })
      assert.strictEqual(queued.id, 2)
      assert.strictEqual(queued.text, body.text)
      assert.strictEqual(queued.mode, body.interrupt ? "interrupt" : "queue")
      assert.deepStrictEqual([queued.sessionId, queued.runId, queued.status], [turn.sessionId, turn.id, "pending"])
      survivesTheWire(QueuedMessage, queued)
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "returns each option of a browser create in the browser",
    [AcceptedBrowser],
    ([body]) => {
      const { proxyCountryCode } = Effect.runSync(Conversion.browserToDomain(body))
      const view = Conversion.browserFromDomain({ ...browser, proxyCountryCode }, links())
      assert.strictEqual(view.proxyCountryCode, body.proxyCountryCode ?? null)
      survivesTheWire(Browser, view)
    },
    { arbitrary: { seed: 1 } }
  )

  for (const status of Turn.turnStatuses) {
    it(`shows a ${status} turn as a ${status} run, in full and as a status`, () => {
      const ended = { ...turn, status, output: { price: 9.5 }, cost: "0.01", startedAt_ms: 1, finishedAt_ms: 2 }
      survivesTheWire(Run, Conversion.fromDomain(ended))
      assert.strictEqual(Conversion.fromDomain(ended).status, status)
      assert.deepStrictEqual(Conversion.statusFromDomain(ended), { status })
      survivesTheWire(RunStatusView, Conversion.statusFromDomain(ended))
    })
  }

  it("shows every field of a run, with null for missing values", () => {
    assert.deepStrictEqual(Conversion.fromDomain(turn), {
      id: turn.id,
      sessionId: turn.sessionId,
      status: "queued",
      task: "Find a red mug",
      modelParams: null,
      result: null,
      error: null,
      createdAt: "1970-01-01T00:00:00.000Z",
      startedAt: null,
      finishedAt: null,
      updatedAt: "1970-01-01T00:00:00.000Z",
      cost: null,
      totalCostUsd: null,
      totalInputTokens: 0,
      totalOutputTokens: 0,
      model: turn.model,
      contextLimit: null,
      title: "Find a red mug",
      workspaceId: null,
      attachedFileIds: null,
      judgement: null
    })
  })

  it("shows a run's cost under both names, its tokens and its judgment", () => {
    const judgement = { verdict: false, reasoning: "r", failureReason: "f", reachedCaptcha: true }
    const ended = {
      ...turn,
      cost: "0.42",
      tokens: { input: 7, output: 8 },
      judgement,
      startedAt_ms: 5,
      finishedAt_ms: 9
    }
    const run = Conversion.fromDomain(ended)
    assert.deepInclude(run, {
      cost: "0.42",
      totalCostUsd: "0.42",
      totalInputTokens: 7,
      totalOutputTokens: 8,
      updatedAt: "1970-01-01T00:00:00.009Z",
      judgement: { verdict: false, reasoning: "r", failure_reason: "f", impossible_task: null, reached_captcha: true }
    })
    survivesTheWire(Run, run)
  })

  it("shows a message as pending until a node takes its run, and as consumed once the run starts", () => {
    const at = (changes: Partial<Turn.Turn>) => Conversion.messageFromDomain({ ...turn, ...changes }).status
    assert.strictEqual(at({}), "pending")
    assert.strictEqual(at({ status: "dispatching" }), "dispatching")
    for (const status of ["running", "completed", "failed", "cancelled"] as const) {
      assert.strictEqual(at({ status, startedAt_ms: 1 }), "consumed")
    }
    for (const status of ["failed", "cancelled"] as const) assert.strictEqual(at({ status }), status)
  })

  it("shows the latest run of a session", () => {
    const info = Conversion.sessionFromDomain(session, { ...turn, status: "running", startedAt_ms: 3 })
    assert.deepInclude(info, { sessionId: session.id, latestRunId: turn.id, task: turn.task, status: "running" })
    assert.strictEqual(info.updatedAt, "1970-01-01T00:00:00.003Z")
    survivesTheWire(SessionInfo, info)
  })

  it("shows a link to a browser's live view while it runs, and to its recording afterwards", () => {
    const of = (status: "active" | "stopped") =>
      Conversion.browserFromDomain({ ...browser, recording: true, status }, seenLinks)
    assert.include(of("active"), { liveUrl: `see ${browser.id}`, recordingUrl: null })
    assert.propertyVal(of("active"), "controlUrl", `take over ${browser.id}`)
    assert.include(of("stopped"), { liveUrl: null, recordingUrl: `watch ${browser.id}` })
    for (const recording of [true, false]) {
      assert.propertyVal(
        Conversion.browserFromDomain({ ...browser, recording }, seenLinks),
        "recordingAvailable",
        recording
      )
    }
    assert.notProperty(of("stopped"), "controlUrl")
  })

  it("links a browser's cdpUrl to its path as a WebSocket", () => {
    const at = (origin: string) => Conversion.browserFromDomain(browser, links(origin)).cdpUrl
    assert.strictEqual(at("http://127.0.0.1:8080"), `ws://127.0.0.1:8080/api/v4/browsers/${browser.id}/cdp?token=t`)
    assert.strictEqual(at("https://agent.example"), `wss://agent.example/api/v4/browsers/${browser.id}/cdp?token=t`)
  })
})
