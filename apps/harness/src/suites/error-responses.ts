import { HTTPValidationError } from "@webagent/contract"
import { check, type RawRequest, scenario, Suite } from "@webagent/scenario"
import * as Schema from "effect/Schema"
import * as Operations from "./Operations.ts"

const ours = { needs: ["assumptions"] } as const

const ValidationFailed = Schema.toEncoded(HTTPValidationError)

const missing: Readonly<Record<string, string>> = {
  session_id: "Session not found",
  run_id: "Run not found",
  browser_id: "Browser not found"
}

/** Invalid bodies, each with the location of the error that our servers report. */
const wrong: ReadonlyArray<readonly [string, "v3" | "v4", RawRequest, ReadonlyArray<string>, string?]> = [
  ["v3 without a task", "v3", { method: "POST", path: "/sessions", body: {} }, ["body", "task"], "missing"],
  [
    "v3 with a null task",
    "v3",
    { method: "POST", path: "/sessions", body: { task: null } },
    ["body", "task"],
    "string_type"
  ],
  [
    "v3 with a number as thinkingLevel",
    "v3",
    { method: "POST", path: "/sessions", body: { task: "x", thinkingLevel: 3 } },
    ["body", "thinkingLevel"]
  ],
  ["v3 with a list as body", "v3", { method: "POST", path: "/sessions", body: [] }, ["body"]],
  ["v4 without a task", "v4", { method: "POST", path: "/runs", body: {} }, ["body", "task"], "missing"],
  [
    "v4 with a number as task",
    "v4",
    { method: "POST", path: "/runs", body: { task: 7 } },
    ["body", "task"],
    "string_type"
  ],
  [
    "v4 with a list as modelParams",
    "v4",
    { method: "POST", path: "/runs", body: { task: "x", modelParams: [1] } },
    ["body", "modelParams"]
  ],
  [
    "v4 without a text",
    "v4",
    { method: "POST", path: "/sessions/x/queue", body: { interrupt: false } },
    ["body", "text"],
    "missing"
  ],
  [
    "v4 without interrupt",
    "v4",
    { method: "POST", path: "/sessions/x/queue", body: { text: "x" } },
    ["body", "interrupt"],
    "missing"
  ],
  [
    "v4 with a text as interrupt",
    "v4",
    { method: "POST", path: "/sessions/x/queue", body: { text: "x", interrupt: "yes" } },
    ["body", "interrupt"],
    "bool_type"
  ],
  [
    "v4 with a country of three letters",
    "v4",
    { method: "POST", path: "/browsers", body: { proxyCountryCode: "nor" } },
    ["body", "proxyCountryCode"]
  ],
  [
    "v4 with a number as country",
    "v4",
    { method: "POST", path: "/browsers", body: { proxyCountryCode: 47 } },
    ["body", "proxyCountryCode"]
  ],
  [
    "v4 with an unknown action",
    "v4",
    { method: "PATCH", path: "/browsers/x", body: { action: "pause" } },
    ["body", "action"]
  ],
  ["v4 with truncated JSON", "v4", { method: "POST", path: "/runs", text: '{"task":' }, ["body"]],
  ["v4 with text that is not JSON", "v4", { method: "POST", path: "/runs", text: "task=x" }, ["body"]],
  [
    "v4 with another content type",
    "v4",
    { method: "POST", path: "/runs", text: '{"task":"x"}', headers: { "content-type": "text/plain" } },
    ["body"]
  ],
  ["v4 without a body", "v4", { method: "POST", path: "/runs" }, ["body"]]
]

export default Suite.make("error-responses", [
  ...Operations.onId.map((operation) =>
    scenario(`${operation.label} returns 404 for an unknown id`, ours, function* ({ request }) {
      const detail = missing[/\{(\w+)\}/u.exec(operation.path)?.[1] ?? ""]
      for (const id of [
        yield* Operations.unknownId,
        ...(operation.version === "v2" ? [] : ["unknown", "%20", "%E2%82%AC"])
      ]) {
        const answer = yield* request(operation.version, Operations.request(operation, id))
        yield* check.status(answer, 404)
        yield* check.deepEqual(answer.body, { detail }, "the body")
      }
    })
  ),
  ...wrong.map(([what, version, raw, loc, type]) =>
    scenario(`a request to ${what} returns 422`, ours, function* ({ request }) {
      const answer = yield* request(version, raw)
      yield* check.status(answer, 422)
      const { detail = [] } = yield* check.schema(ValidationFailed, answer.body, "an HTTPValidationError")
      yield* check.that(
        "an entry has the place and the type",
        detail.some((entry) => entry.loc.join(".") === loc.join(".") && (type === undefined || entry.type === type)),
        { expected: `loc ${JSON.stringify(loc)}${type === undefined ? "" : ` of type ${type}`}`, actual: answer.text }
      )
    })
  ),
  scenario("a 422 lists all errors in the body", ours, function* ({ request }) {
    const answer = yield* request("v4", { method: "POST", path: "/sessions/x/queue", body: { text: 1, interrupt: 2 } })
    yield* check.status(answer, 422)
    const { detail = [] } = yield* check.schema(ValidationFailed, answer.body)
    yield* check.deepEqual(detail.map(({ loc }) => loc.join(".")).toSorted(), ["body.interrupt", "body.text"], "where")
  }),
  scenario("a 422 of v2 locates the session_id", ours, function* ({ request }) {
    const answer = yield* request("v2", { method: "GET", path: "/sessions/unknown" })
    const { detail = [] } = yield* check.schema(ValidationFailed, answer.body)
    yield* check.deepEqual(
      detail.map(({ loc }) => loc),
      [["path", "session_id"]],
      "where"
    )
  }),
  scenario("an undescribed endpoint returns 404", ours, function* ({ request }) {
    for (const [version, path] of [
      ["v2", "/runs"],
      ["v3", "/runs"],
      ["v4", "/nothing"],
      ["v4", "/"]
    ] as const) {
      const answer = yield* request(version, { method: "GET", path })
      yield* check.status(answer, 404)
      yield* check.deepEqual(answer.body, { detail: "Not Found" }, "the body")
    }
  }),
  scenario("another method on a described path returns 405 with Allow", ours, function* ({ request }) {
    for (const [version, method, path, allow] of [
      ["v2", "POST", "/sessions/x", "GET"],
      ["v3", "DELETE", "/sessions", "POST"],
      ["v4", "DELETE", "/runs", "POST"],
      ["v4", "DELETE", "/browsers/x", "PATCH"],
      ["v4", "DELETE", "/sessions/x/queue", "POST"]
    ] as const) {
      const answer = yield* request(version, { method, path })
      yield* check.status(answer, 405)
      yield* check.match(answer.headers["allow"], new RegExp(`\\b${allow}\\b`, "u"), "Allow")
      yield* check.schema(Schema.Struct({ detail: Schema.String }), answer.body, "the body")
    }
  }),
  scenario("a body above one mebibyte returns 413", ours, function* ({ request }) {
    const answer = yield* request("v4", { method: "POST", path: "/runs", body: { task: "x".repeat(1_100_000) } })
    yield* check.status(answer, 413)
    yield* check.schema(Schema.Struct({ detail: Schema.String }), answer.body, "the body")
  })
])
