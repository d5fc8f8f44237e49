import { check, scenario, Suite } from "@webagent/scenario"
import * as Operations from "./Operations.ts"

const reads = Operations.all.filter(({ method }) => method === "GET")

export default Suite.make("versions", [
  ...(["v2", "v3", "v4"] as const).map((version) =>
    scenario(`${version} responds at its own base address with the same key`, function* ({ request, target }) {
      yield* check.match(target.baseUrls[version], new RegExp(`/api/${version}$`, "u"), "its base address")
      for (const operation of reads.filter((read) => read.version === version)) {
        const answer = yield* request(version, Operations.request(operation, yield* Operations.unknownId))
        yield* check.status(answer, "4xx", `${operation.label} of an unknown id`)
        yield* check.that("the key is taken", ![401, 403].includes(answer.status), {
          expected: "a response about the id",
          actual: `HTTP ${answer.status} ${answer.text}`
        })
      }
    })
  ),
  ...reads.map((operation) =>
    scenario(`${operation.label} returns the same response when repeated`, function* ({ request }) {
      const raw = Operations.request(operation, yield* Operations.unknownId)
      const first = yield* request(operation.version, raw)
      const second = yield* request(operation.version, raw)
      yield* check.equal(second.status, first.status, "the status")
      yield* check.deepEqual(second.body, first.body, "the body")
    })
  )
])
