import { assert, describe, it } from "@effect/vitest"
import * as CreatedTwice from "../../src/oracles/CreatedTwice.ts"
import { play } from "./rows.ts"

const create = { operation: "v4.createRun", method: "POST", create: "hash", status: 201 } as const
const lost = { ...create, status: null, answered: "none" } as const
const began = () => play(CreatedTwice.make())

describe("CreatedTwice", () => {
  it("reports a create that was repeated after a lost response and made a second run", () => {
    const rows = began()
    const first = rows.request({ ...lost, made: "a" }, false)
    const second = rows.request({ ...create, made: "b" })
    const { count, findings, holds } = rows.verdict()
    assert.deepStrictEqual([holds, count], [false, 1])
    assert.deepStrictEqual([findings[0]?.resource, findings[0]?.seqs], ["b", [first, second]])
    assert.match(
      findings[0]?.sentence ?? "",
      /^v4\.createRun created a and b for one request: the first response was lost/u
    )
  })

  it("reports it even if the row of the lost one comes later, because its caller left late", () => {
    const rows = began()
    rows.wait(10)
    rows.request({ ...create, made: "b" })
    rows.request({ ...lost, answered: "left", made: "a", at_ms: 0, after: 0, duration_ms: 30 }, false)
    assert.strictEqual(rows.verdict().count, 1)
  })

  it("counts each further repeat", () => {
    const rows = began()
    for (const made of ["a", "b", "c"]) rows.request({ ...lost, made }, false)
    assert.strictEqual(rows.verdict().count, 2)
  })

  it("treats equal creates whose responses all arrived as separate intents", () => {
    const rows = began()
    for (const made of ["a", "b", "c"]) rows.request({ ...create, made })
    assert.isTrue(rows.verdict().holds)
  })

  it("ignores a create that is lost after an equal one arrived", () => {
    const rows = began()
    rows.request({ ...create, made: "a" })
    rows.wait(5)
    rows.request({ ...lost, made: "b" }, false)
    assert.isTrue(rows.verdict().holds)
  })

  it("ignores a create that was already in progress when an equal one was lost", () => {
    const rows = began()
    rows.wait(5)
    rows.request({ ...lost, made: "a" }, false)
    rows.request({ ...create, made: "b", at_ms: 0, after: 0, duration_ms: 10 })
    assert.isTrue(rows.verdict().holds)
  })

  it("treats another body or another API key as another intent", () => {
    const rows = began()
    rows.request({ ...lost, made: "a" }, false)
    rows.request({ ...create, create: "other", made: "b" })
    rows.request({ ...create, apiKey: "bbbbbbbb", made: "c" })
    assert.isTrue(rows.verdict().holds)
  })

  it("ignores a create that was lost before it made anything", () => {
    const rows = began()
    rows.request({ ...lost, made: null }, false)
    rows.request({ ...create, made: "b" })
    assert.isTrue(rows.verdict().holds)
  })

  it("allows one resource per Idempotency-Key, whatever arrived", () => {
    const rows = began()
    const keyed = { ...create, idempotencyKey: "k" } as const
    rows.request({ ...keyed, status: null, answered: "none", made: "a" }, false)
    rows.request({ ...keyed, made: "a" })
    rows.request({ ...keyed, operation: "v4.createBrowser", made: "x" })
    rows.request({ ...keyed, apiKey: "bbbbbbbb", made: "y" })
    assert.isTrue(rows.verdict().holds)
    rows.request({ ...keyed, made: "b" })
    const { findings } = rows.verdict()
    assert.match(findings[0]?.sentence ?? "", /created a and b .* same Idempotency-Key\.$/u)
  })
})
