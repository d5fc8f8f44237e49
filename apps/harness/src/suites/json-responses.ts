import { check, scenario, Suite } from "@webagent/scenario"
import * as Operations from "./Operations.ts"

/** A request that is refused, so that nothing is made: an unknown id, or a body without what is required. */
const refused = (operation: Operations.Operation, id: string) =>
  operation.path.includes("{")
    ? Operations.request(operation, id)
    : Operations.request(operation, id, { text: '{"task":', apiKey: null })

export default Suite.make(
  "json-responses",
  Operations.all.map((operation) =>
    scenario(`${operation.label} returns JSON, even for errors`, function* ({ request }) {
      const answer = yield* request(operation.version, refused(operation, yield* Operations.unknownId))
      yield* check.status(answer, "4xx")
      yield* check.match(answer.headers["content-type"], /^application\/(?:\w+\+)?json\b/u, "the content type")
      yield* check.that("the body is a JSON object", typeof answer.body === "object" && answer.body !== null, {
        expected: "a JSON object",
        actual: answer.text
      })
    })
  )
)
