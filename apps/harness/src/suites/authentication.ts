import { apiKeyHeader } from "@webagent/contract/Wire"
import { check, type RawRequest, scenario, Suite } from "@webagent/scenario"
import * as Redacted from "effect/Redacted"
import * as Operations from "./Operations.ts"

const ours = { needs: ["assumptions"] } as const

/** The same length, other characters: a comparison of lengths alone would take it. */
const otherKey = (key: string) => [...key].map((character) => (character === "x" ? "y" : "x")).join("")

/** Each way in which a request has no valid key. */
const withoutKey = (key: string): ReadonlyArray<readonly [string, Partial<RawRequest>]> => [
  ["no key", { apiKey: null }],
  ["an empty key", { apiKey: "" }],
  ["another key of the same length", { apiKey: otherKey(key) }],
  ["the key and one character more", { apiKey: `${key}x` }],
  ["the key less its last character", { apiKey: key.slice(0, -1) }],
  ["the key in the Authorization header", { apiKey: null, headers: { authorization: `Bearer ${key}` } }],
  ["the key in a header of another name", { apiKey: null, headers: { "x-other-api-key": key } }]
]

export default Suite.make("authentication", [
  ...Operations.all.map((operation) =>
    scenario(`${operation.label} rejects requests without a valid key`, function* ({ apiKey, request }) {
      const id = yield* Operations.unknownId
      for (const [what, change] of withoutKey(Redacted.value(apiKey))) {
        const answer = yield* request(operation.version, Operations.request(operation, id, change))
        yield* check.status(answer, "4xx", `${operation.label} with ${what}`)
      }
    })
  ),
  scenario("the name of the key's header is case-insensitive", function* ({ apiKey, request, target }) {
    const id = yield* Operations.unknownId
    for (const name of [target.apiKeyHeader.toLowerCase(), target.apiKeyHeader.toUpperCase()]) {
      const answer = yield* request("v2", {
        method: "GET",
        path: `/sessions/${id}`,
        apiKey: null,
        headers: { [name]: Redacted.value(apiKey) }
      })
      yield* check.status(answer, 404, `an unknown session, read with the key in ${name}`)
    }
  }),
  scenario("responses don't contain a rejected key", function* ({ apiKey, request }) {
    const wrong = otherKey(Redacted.value(apiKey))
    const answer = yield* request("v2", {
      method: "GET",
      path: `/sessions/${yield* Operations.unknownId}`,
      apiKey: wrong
    })
    yield* check.status(answer, "4xx")
    yield* check.that("the response does not contain the key", !answer.text.includes(wrong))
  }),
  ...Operations.all.map((operation) =>
    scenario(`${operation.label} returns 401 without a valid key`, ours, function* ({ apiKey, request }) {
      const id = yield* Operations.unknownId
      for (const [what, change] of withoutKey(Redacted.value(apiKey))) {
        const answer = yield* request(operation.version, Operations.request(operation, id, change))
        yield* check.status(answer, 401, `${operation.label} with ${what}`)
        yield* check.deepEqual(answer.body, { detail: "Invalid API key" }, `the body with ${what}`)
      }
    })
  ),
  scenario("the key is checked before the request", ours, function* ({ request }) {
    const requests: ReadonlyArray<readonly ["v2" | "v3" | "v4", RawRequest]> = [
      ["v2", { method: "GET", path: "/sessions/no-uuid" }],
      ["v3", { method: "POST", path: "/sessions", body: {} }],
      ["v3", { method: "POST", path: "/sessions", text: "{" }],
      ["v4", { method: "POST", path: "/runs", body: {} }],
      ["v4", { method: "POST", path: "/runs", body: { task: 1 } }],
      ["v4", { method: "POST", path: "/runs", text: "no json", headers: { "content-type": "text/plain" } }],
      ["v4", { method: "PATCH", path: "/browsers/unknown", body: { action: "pause" } }],
      ["v4", { method: "POST", path: "/sessions/unknown/queue", body: {} }]
    ]
    for (const [version, raw] of requests) {
      yield* check.status(yield* request(version, { ...raw, apiKey: null }), 401)
    }
  }),
  scenario("our servers accept the key in the described header", ours, function* ({ request, target, apiKey }) {
    yield* check.equal(target.apiKeyHeader.toLowerCase(), apiKeyHeader.toLowerCase(), "the header's name")
    const answer = yield* request("v4", {
      method: "GET",
      path: `/runs/${yield* Operations.unknownId}`,
      apiKey: null,
      headers: { [apiKeyHeader]: Redacted.value(apiKey) }
    })
    yield* check.status(answer, 404)
  })
])
