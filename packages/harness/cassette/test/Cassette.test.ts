import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Exchange, exchangeLine, headerLine, parse } from "../src/Cassette.ts"

const header = { cassette: 1, startedAt: "2026-11-22T21:00:00.000Z", target: "https://service.test" } as const

const read = (at_ms: number): Exchange => ({
  at_ms,
  took_ms: 3,
  method: "GET",
  path: "/api/v4/runs/a",
  status: 200,
  headers: { "content-type": "application/json" },
  got: { json: { id: "a" } }
})

const whole = headerLine(header) + exchangeLine(read(20)) + exchangeLine(read(10))

describe("Cassette", () => {
  it("reads back what was written, in the order of the requests", () => {
    assert.deepStrictEqual(parse(whole, "a.ndjson"), Result.succeed({ ...header, exchanges: [read(10), read(20)] }))
  })

  it("omits a last line whose writer was killed", () => {
    const cut = parse(whole.slice(0, -20), "a.ndjson")
    assert.deepStrictEqual(cut, Result.succeed({ ...header, exchanges: [read(20)] }))
  })

  it("names the line that doesn't belong to a cassette", () => {
    const bad = parse(`${headerLine(header)}{"at_ms":"soon"}\n${exchangeLine(read(10))}`, "a.ndjson")
    assert.isTrue(Result.isFailure(bad) && bad.failure.startsWith("a.ndjson line 2: "))
    assert.isTrue(Result.isFailure(bad) && !bad.failure.includes("\n"))
  })

  it("says that a file of another kind is not a cassette", () => {
    for (const text of ["", "# README\n", '{"version":1}\n']) {
      const other = parse(text, "README.md")
      assert.isTrue(Result.isFailure(other) && other.failure.startsWith("README.md is not a cassette."))
    }
  })
})
