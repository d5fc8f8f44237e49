import { assert, describe, it } from "@effect/vitest"
import { relative } from "node:path"
import { pathToFileURL } from "node:url"
import * as K6Log from "../src/K6Log.ts"

const here = `${pathToFileURL(process.cwd()).href}/load/flows/queue.ts`

const thrown = `time="2026-11-21T18:11:54Z" level=error msg="TypeError: Cannot read property 'x' of undefined\\n\\tat f (${here}:3:142(2))\\n\\tat default (file:///load/t.js:3:147(18))\\n" executor=shared-iterations hint="script exception" scenario=default source=stacktrace`
const refused =
  'time="2026-11-21T18:11:54Z" level=warning msg="Request Failed" error="Get \\"http://127.0.0.1:9/\\": dial tcp 127.0.0.1:9: connect: connection refused"'

describe("textOf", () => {
  it("returns the thrown error with its line of TypeScript", () =>
    assert.strictEqual(
      K6Log.textOf(thrown),
      `TypeError: Cannot read property 'x' of undefined (${relative("", "load/flows/queue.ts")}:3)`
    ))

  it("returns the reason of a failed request", () =>
    assert.strictEqual(
      K6Log.textOf(refused),
      'Request Failed: Get "http://127.0.0.1:9/": dial tcp 127.0.0.1:9: connect: connection refused'
    ))

  for (const line of [
    'time="2026-11-21T18:11:54Z" level=error msg="thresholds on metrics \'iterations\' have been crossed"',
    'time="2026-11-21T18:11:54Z" level=warning msg="The test run was short, report generation was skipped (not enough data)"',
    'time="2026-11-21T18:11:54Z" level=info msg="level=error"',
    "boom"
  ]) {
    it(`ignores ${line}`, () => assert.isUndefined(K6Log.textOf(line)))
  }
})

describe("make", () => {
  it("treats messages that differ by run or connection as equal", () => {
    const log = K6Log.make()
    for (const [id, port] of [
      ["9f1c", 40_001],
      ["77ab", 40_002]
    ]) {
      const error = `Get \\"http://127.0.0.1:9/api/v4/runs/${id}/status\\": read tcp 127.0.0.1:${port}->127.0.0.1:9: connection reset by peer`
      log.take(`time="x" level=warning msg="Request Failed" error="${error}"`)
    }
    const text =
      'Request Failed: Get "http://127.0.0.1:9/api/v4/runs/…/status": read tcp 127.0.0.1:9: connection reset by peer'
    assert.deepStrictEqual(log.messages(), [{ text, times: 2 }])
  })

  it("counts repeated messages, and shows the first three", () => {
    const log = K6Log.make()
    for (const line of [refused, refused, thrown, "boom"]) log.take(line)
    for (let index = 0; index < 3; index++) log.take(`time=x level=warning msg="other ${index}"`)
    assert.deepStrictEqual(
      log.messages().map(({ times }) => times),
      [2, 1, 1, 1, 1]
    )
    const twice = K6Log.together([...log.messages(), ...log.messages()])
    assert.deepStrictEqual(
      twice.map(({ times }) => times),
      [4, 2, 2, 2, 2]
    )
    const [first, , , last] = K6Log.lines(log.messages())
    assert.match(first ?? "", /^k6 {7}Request Failed: .* refused \(2 times\)$/u)
    assert.strictEqual(last, "k6       2 more messages")
  })
})
