import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { createRequire } from "node:module"
import { harOf } from "@webagent/report/Har"
import { exchangeOf, traceOf } from "../observe/fixture.ts"

const require = createRequire(import.meta.url)
const schemas: Readonly<Record<string, object>> = require("har-schema")
const draft06: object = require("ajv/dist/refs/json-schema-draft-06.json")

const isIsoTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u.test(text)

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  meta: false,
  formats: { "date-time": isIsoTime, uri: (text) => URL.canParse(text), ipv4: true, ipv6: true }
})
ajv.addMetaSchema(draft06)
for (const schema of Object.values(schemas)) ajv.addSchema(schema)

const problems = (har: unknown) => {
  const validate = ajv.getSchema("har.json")
  assert.isFunction(validate)
  return validate?.(har) === true ? [] : validate?.errors
}

const creator = { name: "webagent-harness", version: "0.1.0" }

const trace = traceOf([
  exchangeOf({
    at_ms: 1.25,
    method: "POST",
    url: "http://127.0.0.1:8080/api/v4/runs",
    operation: "v4.createRun",
    resource: null,
    kind: "call",
    status: 201,
    request: {
      headers: { "content-type": "application/json" },
      body: { text: '{"task":"x"}', bytes: 12, cut: false }
    }
  }),
  exchangeOf({ at_ms: 12 }),
  exchangeOf({ at_ms: 20, status: null, failure: "ECONNRESET", headers_ms: null, response: null }),
  exchangeOf({
    at_ms: 40,
    attempt: 2,
    retried: "ECONNRESET",
    response: { headers: { location: "http://elsewhere.test/" }, body: { text: "a", bytes: 2, cut: true } }
  }),
  exchangeOf({ at_ms: 50, failure: "given up", response: { headers: {}, body: null } })
])

describe("HAR", () => {
  it("fits the schema of HAR 1.2, whatever a request's outcome", () => {
    assert.deepStrictEqual(problems(harOf(trace, creator)), [])
    assert.deepStrictEqual(problems(harOf({ ...trace, dropped: { exchanges: 3, spans: 0, journal: 0 } }, creator)), [])
    assert.isNotEmpty(problems({ log: { ...harOf(trace, creator).log, entries: [{}] } }) ?? [])
  })

  it("has times that add up, named query parameters, and additional fields with an underscore", () => {
    const { entries, pages } = harOf(trace, creator).log
    assert.strictEqual(pages[0]?.title, "checkout › buys the red mug, trial 1")
    assert.deepStrictEqual(
      entries.map(({ startedDateTime }) => startedDateTime.slice(17)),
      ["44.251Z", "44.262Z", "44.270Z", "44.290Z", "44.300Z"]
    )
    for (const { time, timings } of entries) assert.strictEqual(time, timings.send + timings.wait + timings.receive)
    assert.deepStrictEqual(entries[1]?.request.queryString, [
      { name: "a", value: "1" },
      { name: "b", value: "é" }
    ])
    assert.deepStrictEqual(entries[0]?.request.postData, { mimeType: "application/json", text: '{"task":"x"}' })
    assert.deepStrictEqual([entries[2]?.response.status, entries[2]?.response._error], [0, "ECONNRESET"])
    assert.deepStrictEqual([entries[3]?._attempt, entries[3]?._retried], [2, "ECONNRESET"])
    assert.deepStrictEqual(entries[3]?.response.content, {
      size: 2,
      mimeType: "",
      text: "a",
      comment: "the first 1 characters"
    })
  })
})
