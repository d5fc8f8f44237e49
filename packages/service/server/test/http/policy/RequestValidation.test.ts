import { HTTPValidationError } from "@webagent/contract"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { send, type Question, raw } from "../send.ts"
import { layerTest } from "../served.ts"

const decode = Schema.decodeUnknownSync(HTTPValidationError)

/** Requests that do not fit, and `loc` and `type` of every entry of the answer. */
const refused: ReadonlyArray<readonly [string, string, string, Question, ReadonlyArray<readonly [string, string]>]> = [
  ["a session_id that isn't a UUID", "GET", "/api/v2/sessions/unknown", {}, [["path.session_id", "uuid_parsing"]]],
  ["a body without fields", "POST", "/api/v4/runs", { body: {} }, [["body.task", "missing"]]],
  ["a field of another type", "POST", "/api/v4/runs", { body: { task: 7 } }, [["body.task", "string_type"]]],
  ["null", "POST", "/api/v3/sessions", { body: { task: null } }, [["body.task", "string_type"]]],
  [
    "several mistakes at once",
    "POST",
    "/api/v4/runs",
    { body: { modelParams: [] } },
    [
      ["body.task", "missing"],
      ["body.modelParams", "dict_type"]
    ]
  ],
  [
    "every field missing",
    "POST",
    "/api/v4/sessions/x/queue",
    { body: {} },
    [
      ["body.text", "missing"],
      ["body.interrupt", "missing"]
    ]
  ],
  [
    "a text in place of a boolean",
    "POST",
    "/api/v4/sessions/x/queue",
    { body: { text: "x", interrupt: "no" } },
    [["body.interrupt", "bool_type"]]
  ],
  [
    "an invalid country code",
    "POST",
    "/api/v4/browsers",
    { body: { proxyCountryCode: "nor" } },
    [["body.proxyCountryCode", "string_pattern_mismatch"]]
  ],
  ["another action", "PATCH", "/api/v4/browsers/x", { body: { action: "pause" } }, [["body.action", "literal_error"]]],
  [
    "a NUL in a profile's name",
    "POST",
    "/api/v4/profiles",
    { body: { name: "a\u0000" } },
    [["body.name", "string_pattern_mismatch"]]
  ],
  ["a list as the body", "POST", "/api/v4/runs", { body: [] }, [["body", "model_attributes_type"]]],
  ["null as the body", "POST", "/api/v4/browsers", { body: null }, [["body", "model_attributes_type"]]],
  ["truncated JSON", "POST", "/api/v4/runs", { text: '{"task":' }, [["body", "json_invalid"]]],
  ["no body", "POST", "/api/v4/runs", {}, [["body", "missing"]]],
  ["no body for a PATCH", "PATCH", "/api/v4/browsers/x", {}, [["body", "missing"]]],
  [
    "another content type",
    "POST",
    "/api/v4/runs",
    { body: { task: "x" }, headers: { "content-type": "text/plain" } },
    [["body", "model_attributes_type"]]
  ],
  [
    "a form",
    "POST",
    "/api/v4/browsers",
    { text: "proxyCountryCode=no", headers: { "content-type": "application/x-www-form-urlencoded" } },
    [["body", "model_attributes_type"]]
  ],
  [
    "an unterminated text, as fast as it can be read",
    "POST",
    "/api/v4/runs",
    { text: String.raw`{"task":"${String.raw`\"`.repeat(5e5)}` },
    [["body", "json_invalid"]]
  ],
  [
    "a compressed body",
    "POST",
    "/api/v4/runs",
    { body: { task: "x" }, headers: { "content-encoding": "gzip" } },
    [["body", "body_error"]]
  ],
  [
    "JSON that is nested too deep to be quoted",
    "POST",
    "/api/v4/runs",
    { text: `{"task":"x","modelParams":{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}}` },
    [["body", "json_invalid"]]
  ]
]

const task = { task: "x" }

/** Bodies with misspelt fields, and the field that was meant. */
const misspelt: ReadonlyArray<readonly [string, object, string, string]> = [
  ["/api/v4/runs", { ...task, maxCostUSD: 1 }, "body.maxCostUSD", "maxCostUsd"],
  ["/api/v4/runs", { ...task, max_cost_usd: 1 }, "body.max_cost_usd", "maxCostUsd"],
  ["/api/v4/runs", { ...task, maxCost: 1 }, "body.maxCost", "maxCostUsd"],
  ["/api/v4/runs", { ...task, queueTimout: 1 }, "body.queueTimout", "queueTimeout"],
  ["/api/v4/runs", { ...task, handOff: { time_out: 5 } }, "body.handOff.time_out", "timeout"],
  ["/api/v4/runs", { ...task, judge: { contxt: "c" } }, "body.judge.contxt", "context"],
  [
    "/api/v4/runs",
    { ...task, secretBindings: [{ alias: "a", alowedDomains: [] }] },
    "body.secretBindings.0.alowedDomains",
    "allowedDomains"
  ],
  ["/api/v4/sessions/x/queue", { text: "x", interupt: true }, "body.interupt", "interrupt"],
  ["/api/v4/browsers", { enableRecordng: true }, "body.enableRecordng", "enableRecording"],
  ["/api/v4/runs/x/ask", { question: "x", choises: ["a", "b"] }, "body.choises", "choices"],
  ["/api/v4/profiles", { user_id: "u" }, "body.user_id", "userId"],
  ["/api/v3/sessions", { ...task, maxCostUds: 1 }, "body.maxCostUds", "maxCostUsd"],
  ["/api/v3/browsers", { proxyCountrycode: "no" }, "body.proxyCountrycode", "proxyCountryCode"],
  ["/api/v2/tasks", { ...task, structured_output: "{}" }, "body.structured_output", "structuredOutput"],
  ["/api/v2/tasks", { ...task, sessionSettings: { profileID: "p" } }, "body.sessionSettings.profileID", "profileId"],
  ["/api/v2/sessions", { keepalive: false }, "body.keepalive", "keepAlive"]
]

/** Fields that clients published for other services send, in any version. */
const published =
  "agentmail allowResizing allowedDomains attachedFileIds autoHeal browserScreenHeight browserScreenWidth browserSettings cacheScript codeMode customProxy enableRecording enableScheduledTasks flashMode highlightElements interrupt judge judgeGroundTruth judgeLlm keepAlive llm maxCostUsd maxSteps metadata model modelParams opVaultId outputSchema pdfRendererEnabled persistMemory profileId proxyCountryCode secretBindings secrets sensitiveData sessionId sessionSettings skillIds skills solveCaptchas startUrl structuredOutput systemPromptExtension task text thinking thinkingLevel timeout useOwnKey userId vision workspaceId"

const creates = [
  "/api/v4/runs",
  "/api/v4/browsers",
  "/api/v4/sessions/x/queue",
  "/api/v3/sessions",
  "/api/v3/browsers",
  "/api/v2/tasks",
  "/api/v2/sessions",
  "/api/v2/browsers"
]

/** Requests that look odd and are fine. */
const accepted: ReadonlyArray<readonly [string, string, Question]> = [
  ["no body if no field is required", "/api/v4/browsers", {}],
  [
    "an empty form, as sent by curl -d ''",
    "/api/v4/browsers",
    { text: "", headers: { "content-type": "application/x-www-form-urlencoded" } }
  ],
  [
    "a charset",
    "/api/v4/runs",
    { body: { task: "x" }, headers: { "content-type": "Application/JSON ; charset=utf-8" } }
  ],
  ["undescribed fields", "/api/v3/sessions", { body: { task: "x", colour: "red", result: 7, id: null } }],
  ["a misspelled field with null, which has no effect", "/api/v4/runs", { body: { ...task, maxCostUSD: null } }],
  ["a misspelled field next to the correct one", "/api/v4/runs", { body: { ...task, max_cost_usd: 1, maxCostUsd: 1 } }],
  [
    "other services' fields whose names begin like the operation's",
    "/api/v4/runs",
    { body: { ...task, session: "s", workspace: "w" } }
  ],
  ["other services' profile and language", "/api/v4/browsers", { body: { profile: "p", language: "en" } }],
  ["a field with a very long name", "/api/v4/runs", { body: { ...task, ["z".repeat(300_000)]: 1 } }],
  ["a short field similar to the operation's", "/api/v4/runs", { body: { ...task, mode: "fast" } }],
  ["a field named __proto__", "/api/v4/runs", { text: '{"task":"x","__proto__":{"a":1},"constructor":1}' }],
  ["an empty task", "/api/v4/runs", { body: { task: "" } }],
  [
    "deep nesting within the limit",
    "/api/v4/runs",
    { text: `{"task":"x","modelParams":{"a":${"[".repeat(150)}${"]".repeat(150)}}}` }
  ],
  ["brackets within a text", "/api/v4/runs", { body: { task: '[{"\\'.repeat(1000) } }],
  ["unpaired surrogates and NUL", "/api/v4/runs", { text: '{"task":"\\ud800 \\u0000"}' }]
]

layer(layerTest, { excludeTestServices: true })("RequestValidation", (it) => {
  for (const [what, method, path, question, expected] of refused) {
    it.effect(`returns 422 for ${what}`, () =>
      Effect.gen(function* () {
        const answer = yield* send(method, path, question)
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        const { detail = [] } = decode(answer.body)
        assert.deepStrictEqual(
          detail.map(({ loc, type }) => [loc.join("."), type]),
          expected.map(([loc, type]) => [loc, type])
        )
        assert.isTrue(detail.every(({ msg }) => msg !== ""))
      })
    )
  }

  for (const [path, body, loc, known] of misspelt) {
    it.effect(`POST ${path} returns 422 for ${loc} and names ${known}`, () =>
      Effect.gen(function* () {
        const answer = yield* send("POST", path, { body })
        assert.strictEqual(answer.status, 422)
        const { detail = [] } = decode(answer.body)
        assert.deepStrictEqual(
          detail.map((issue) => [issue.loc.join("."), issue.type]),
          [[loc, "extra_forbidden"]]
        )
        const name = loc.slice(loc.lastIndexOf(".") + 1)
        assert.strictEqual(detail[0]?.msg, `"${name}" isn't a field of this operation. Did you mean "${known}"?`)
      })
    )
  }

  it.effect("POST /api/v4/runs checks the first 100 unknown fields", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 101 }, (_, index) => `max${"_".repeat(index + 1)}costUsd`)
      const body = { ...task, ...Object.fromEntries(names.map((name) => [name, 1])) }
      const { detail = [] } = decode((yield* send("POST", "/api/v4/runs", { body })).body)
      assert.deepStrictEqual(
        detail.map(({ loc }) => loc.at(-1)),
        names.slice(0, 100)
      )
    })
  )

  it.effect.each(creates)("POST %s doesn't mistake a field of published clients for a misspelled one", (path) =>
    Effect.gen(function* () {
      const body = Object.fromEntries(published.split(" ").map((name) => [name, "1"]))
      const { detail = [] } = decode((yield* send("POST", path, { body })).body)
      // their values don't fit, but all of them were read as what they are
      assert.notInclude(JSON.stringify(detail), "extra_forbidden")
    })
  )

  it.effect("returns 422 for a text that isn't UTF-8 instead of running another task", () =>
    Effect.gen(function* () {
      const head = "Host: x\r\nX-Service-API-Key: wak_test\r\nConnection: close\r\nContent-Length: 12\r\n"
      const answer = yield* raw(`POST /api/v4/runs HTTP/1.1\r\n${head}\r\n{"task":"`, Buffer.from([0xe9]), '"}')
      assert.match(answer, /^HTTP\/1\.1 422 [^]*"The body is not UTF-8","type":"json_invalid"/u)
    })
  )

  for (const [what, path, question] of accepted) {
    it.effect(`accepts ${what}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* send("POST", path, question)).status, 201)
      })
    )
  }
})
