import { SessionNotFoundError } from "@webagent/contract"
import { check, scenario, Suite } from "@webagent/scenario"
import * as Schema from "effect/Schema"
import * as Operations from "./Operations.ts"

const oddIds = ["unknown", "0", "null", "%20", "%F0%9F%90%99", "a".repeat(300)]

const NotFound = Schema.toEncoded(SessionNotFoundError)

export default Suite.make("not-found", [
  ...Operations.onId.map((operation) =>
    scenario(`${operation.label} rejects an unknown id`, function* ({ request }) {
      for (let count = 0; count < 3; count++) {
        const answer = yield* request(operation.version, Operations.request(operation, yield* Operations.unknownId))
        yield* check.status(answer, "4xx")
      }
    })
  ),
  scenario("v2 returns the described 404 for an unknown session", function* ({ request }) {
    const answer = yield* request("v2", { method: "GET", path: `/sessions/${yield* Operations.unknownId}` })
    yield* check.status(answer, 404)
    const { detail } = yield* check.schema(NotFound, answer.body, "a SessionNotFoundError")
    yield* check.that("detail, if it is there, says something", detail !== "")
  }),
  scenario("the v2 client fails with SessionNotFoundError", function* ({ v2 }) {
    const error = yield* check.fails(v2.sessions.get(yield* Operations.unknownId), "SessionNotFoundError")
    yield* check.that("detail says something", error.detail !== "")
  }),
  scenario("an invalid id is rejected and does no harm", function* ({ request }) {
    for (const operation of Operations.onId) {
      for (const id of oddIds) {
        yield* check.status(yield* request(operation.version, Operations.request(operation, id)), "4xx")
      }
    }
  })
])
