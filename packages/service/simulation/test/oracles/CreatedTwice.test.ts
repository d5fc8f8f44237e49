import { assert, describe, it } from "@effect/vitest"
import * as CreatedTwice from "../../src/oracles/CreatedTwice.ts"
import { play } from "./rows.ts"

const create = { operation: "v4.createRun", method: "POST", create: "hash", status: 201 } as const
const lost = { ...create, status: null, answered: "none" } as const
const began = () => play(CreatedTwice.make())

describe("CreatedTwice", () => {
  it("a create repeated after its answer was lost made a second one", () => {
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

  it("also when the row of the lost one comes later, since its caller was long in leaving", () => {
    const rows = began()
    rows.wait(10)
    rows.request({ ...create, made: "b" })
    rows.request({ ...lost, answered: "left", made: "a", at_ms: 0, after: 0, duration_ms: 30 }, false)
    assert.strictEqual(rows.verdict().count, 1)
  })

  it("each further repeat is one more", () => {
    const rows = began()
    for (const made of ["a", "b", "c"]) rows.request({ ...lost, made }, false)
    assert.strictEqual(rows.verdict().count, 2)
  })

  it("equal creates whose answers all arrived are several intents", () => {
    const rows = began()
    for (const made of ["a", "b", "c"]) rows.request({ ...create, made })
    assert.isTrue(rows.verdict().holds)
  })

  it("a create that is lost after an equal one arrived is nothing yet", () => {
    const rows = began()
    rows.request({ ...create, made: "a" })
    rows.wait(5)
    rows.request({ ...lost, made: "b" }, false)
    assert.isTrue(rows.verdict().holds)
  })

  it("one that was already on its way when an equal one was lost is no repeat", () => {
    const rows = began()
    rows.wait(5)
    rows.request({ ...lost, made: "a" }, false)
    rows.request({ ...create, made: "b", at_ms: 0, after: 0, duration_ms: 10 })
    assert.isTrue(rows.verdict().holds)
  })

  it("another body or another API key is another intent", () => {
    const rows = began()
    rows.request({ ...lost, made: "a" }, false)
    rows.request({ ...create, create: "other", made: "b" })
    rows.request({ ...create, apiKey: "bbbbbbbb", made: "c" })
    assert.isTrue(rows.verdict().holds)
  })

  it("a create that was lost before anything was made is nothing", () => {
    const rows = began()
    rows.request({ ...lost, made: null }, false)
    rows.request({ ...create, made: "b" })
    assert.isTrue(rows.verdict().holds)
  })

  it("one Idempotency-Key stands for one resource, whatever arrived", () => {
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
