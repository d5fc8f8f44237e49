import { assert, describe, it } from "@effect/vitest"
import { relative } from "node:path"
import { pathToFileURL } from "node:url"
import * as Complaints from "../../src/load/Complaints.ts"

const here = `${pathToFileURL(process.cwd()).href}/load/flows/queue.ts`

const thrown = `time="2026-11-21T18:11:54Z" level=error msg="TypeError: Cannot read property 'x' of undefined\\n\\tat f (${here}:3:142(2))\\n\\tat default (file:///load/t.js:3:147(18))\\n" executor=shared-iterations hint="script exception" scenario=default source=stacktrace`
const refused =
  'time="2026-11-21T18:11:54Z" level=warning msg="Request Failed" error="Get \\"http://127.0.0.1:9/\\": dial tcp 127.0.0.1:9: connect: connection refused"'

describe("textOf", () => {
  it("says what was thrown, and at which line of the TypeScript", () =>
    assert.strictEqual(
      Complaints.textOf(thrown),
      `TypeError: Cannot read property 'x' of undefined (${relative("", "load/flows/queue.ts")}:3)`
    ))

  it("says why a request failed", () =>
    assert.strictEqual(
      Complaints.textOf(refused),
      'Request Failed: Get "http://127.0.0.1:9/": dial tcp 127.0.0.1:9: connect: connection refused'
    ))

  for (const line of [
    'time="2026-11-21T18:11:54Z" level=error msg="thresholds on metrics \'iterations\' have been crossed"',
    'time="2026-11-21T18:11:54Z" level=warning msg="The test run was short, report generation was skipped (not enough data)"',
    'time="2026-11-21T18:11:54Z" level=info msg="level=error"',
    "boom"
  ]) {
    it(`has nothing to say of ${line}`, () => assert.isUndefined(Complaints.textOf(line)))
  }
})

describe("make", () => {
  it("takes the same of another run, and over another connection, for the same", () => {
    const complaints = Complaints.make()
    for (const [id, port] of [
      ["9f1c", 40_001],
      ["77ab", 40_002]
    ]) {
      const error = `Get \\"http://127.0.0.1:9/api/v4/runs/${id}/status\\": read tcp 127.0.0.1:${port}->127.0.0.1:9: connection reset by peer`
      complaints.take(`time="x" level=warning msg="Request Failed" error="${error}"`)
    }
    const text =
      'Request Failed: Get "http://127.0.0.1:9/api/v4/runs/…/status": read tcp 127.0.0.1:9: connection reset by peer'
    assert.deepStrictEqual(complaints.all(), [{ text, times: 2 }])
  })

  it("counts what comes again, and shows no more than a person reads", () => {
    const complaints = Complaints.make()
    for (const line of [refused, refused, thrown, "boom"]) complaints.take(line)
    for (let index = 0; index < 3; index++) complaints.take(`time=x level=warning msg="other ${index}"`)
    assert.deepStrictEqual(
      complaints.all().map(({ times }) => times),
      [2, 1, 1, 1, 1]
    )
    const twice = Complaints.together([...complaints.all(), ...complaints.all()])
    assert.deepStrictEqual(
      twice.map(({ times }) => times),
      [4, 2, 2, 2, 2]
    )
    const [first, , , last] = Complaints.lines(complaints.all())
    assert.match(first ?? "", /^k6 {7}Request Failed: .* refused, 2 times$/u)
    assert.strictEqual(last, "k6       and 2 more")
  })
})
