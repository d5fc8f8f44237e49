import { assert, describe, it } from "@effect/vitest"
import * as Points from "../src/Points.ts"
import * as FailedRequests from "../src/FailedRequests.ts"

const pointsOf = (failed: Readonly<Record<string, number>>) => {
  const points = Points.make()
  points.take("metric_name,timestamp,metric_value,name,scenario,status,expected_response")
  for (const [status, times] of Object.entries(failed)) {
    for (const name of ["v4.getRun", "v4.createRun"]) {
      for (let index = 0; index < times; index++) {
        points.take(`http_req_failed,170000000000${index % 10},${status === "200" ? 0 : 1},${name},smoke,${status},`)
      }
    }
  }
  return points
}

describe("FailedRequests", () => {
  it("counts by status over all operations, the most frequent first", () => {
    const failed = FailedRequests.of(pointsOf({ "200": 9, "401": 1, "503": 600, "0": 2, "429": 1 }))
    assert.deepStrictEqual(
      failed.map(({ requests, status }) => [status, requests]),
      [
        ["503", 1200],
        ["0", 4],
        ["401", 2],
        ["429", 2]
      ]
    )
    assert.strictEqual(FailedRequests.text(failed), "503 (1,200), no response (4), 401 (2), others")
  })

  it("is undefined if no request failed", () => {
    assert.deepStrictEqual(FailedRequests.of(pointsOf({ "200": 3 })), [])
    assert.isUndefined(FailedRequests.text([]))
  })
})
