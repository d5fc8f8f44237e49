import { HTTPValidationError } from "@webagent/contract"
import { check, type RawAnswer, type RawRequest, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Operations from "./Operations.ts"

const ValidationFailed = Schema.toEncoded(HTTPValidationError)

/** The described 422: it says of at least one thing where and what. */
const explained = Effect.fnUntraced(function* (answer: RawAnswer, field: string | undefined) {
  yield* check.status(answer, 422)
  const { detail = [] } = yield* check.schema(ValidationFailed, answer.body, "an HTTPValidationError")
  yield* check.that("detail says at least one thing", detail.length > 0, { expected: "an entry", actual: answer.text })
  for (const { loc, msg, type } of detail) {
    yield* check.that("every entry has a place, a message and a type", loc.length > 0 && msg !== "" && type !== "", {
      expected: "loc, msg and type that are not empty",
      actual: answer.text
    })
  }
  if (field !== undefined) {
    yield* check.that(
      `an entry is about ${field}`,
      detail.some(({ loc }) => loc.includes(field)),
      {
        expected: `${field} in loc`,
        actual: answer.text
      }
    )
  }
})

const noUuids: ReadonlyArray<readonly [string, string]> = [
  ["a word", "unknown"],
  ["a number", "12345"],
  ["a uuid less a digit", "0198a1f0-0000-7000-8000-00000000000"],
  ["a uuid and a digit more", "0198a1f0-0000-7000-8000-0000000000000"],
  ["a uuid with a letter that is no digit", "0198a1f0-0000-7000-8000-00000000000g"],
  ["a uuid with its hyphens elsewhere", "0198a1f00-000-7000-8000-000000000000"],
  ["a space", "%20"],
  ["letters outside ASCII", "%C3%A6%C3%B8%C3%A5"]
]

/** Bodies that do not fit any operation in which something is required. */
const badBodies = (operation: Operations.Operation): ReadonlyArray<readonly [string, Partial<RawRequest>]> => {
  const fields = Object.entries(operation.body as Readonly<Record<string, unknown>>)
  const with_ = (field: string, value: unknown) => ({ body: { ...Object.fromEntries(fields), [field]: value } })
  return [
    ...fields.flatMap(([field]): ReadonlyArray<readonly [string, Partial<RawRequest>]> => [
      [`no ${field}`, { body: Object.fromEntries(fields.filter(([other]) => other !== field)) }],
      [`${field} null`, with_(field, null)],
      [`${field} a number`, with_(field, 7)],
      [`${field} a list`, with_(field, ["x"])],
      [`${field} an object`, with_(field, { x: 1 })]
    ]),
    ["an empty object", { body: {} }],
    ["null for a body", { body: null }],
    ["a list for a body", { body: [operation.body] }],
    ["a text for a body", { body: "task" }],
    ["JSON that breaks off", { text: '{"task":"x","text":"x"' }],
    ["no JSON at all", { text: "task=x" }]
  ]
}

const unsent = (operation: Operations.Operation, id: string): RawRequest => {
  const { body: _, ...rest } = Operations.request(operation, id)
  return rest
}

export default Suite.make("validation", [
  ...noUuids.map(([what, id]) =>
    scenario(`v2 returns the described 422 for ${what} as session_id`, function* ({ request }) {
      yield* explained(yield* request("v2", { method: "GET", path: `/sessions/${id}` }), "session_id")
    })
  ),
  scenario("the v2 client rejects an id that isn't a UUID without a request", function* ({ v2 }) {
    const error = yield* check.fails(v2.sessions.get("unknown"), "TransportError")
    yield* check.equal(error.reason._tag, "InvalidRequest", "the reason")
  }),
  ...Operations.withRequired.map((operation) =>
    scenario(`${operation.label} rejects invalid bodies`, function* ({ request }) {
      const id = yield* Operations.unknownId
      for (const [what, change] of badBodies(operation)) {
        const answer = yield* request(operation.version, Operations.request(operation, id, change))
        yield* check.status(answer, "4xx", `${operation.label} with ${what}`)
      }
      yield* check.status(yield* request(operation.version, unsent(operation, id)), "4xx", "without a body")
    })
  )
])
