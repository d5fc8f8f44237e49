import { assert, describe, it } from "vitest"
import { brokenDeliveries, openDeliveries } from "../../src/chaos/Deliveries.ts"
import type { Arrival, Hook } from "../../src/chaos/Receiver.ts"

const hookOf = (fields: Partial<Hook> = {}): Hook => ({
  id: "h",
  url: "/ann/runs",
  owner: "ann",
  types: ["run.waiting", "run.completed"],
  secrets: [],
  deletedAt_ms: null,
  ...fields
})

type Events = Parameters<typeof brokenDeliveries>[2]

/** Events of runs as `id from to`, with `?` for a question. */
const events = (...moves: ReadonlyArray<string>): Events =>
  moves.map((move, index) => {
    const [id = "", from = "", to = "", asks] = move.split(" ")
    const question = asks === undefined ? {} : { question: { id: "1", change: "waiting" } as const }
    const event = { at_ms: 1000 + index, of: "turn", id, sessionId: "s", owner: "ann", from, to, ...question } as const
    return { cursor: index + 1, event }
  })

/** Arrivals as `subject type message`; with `-` at the end, one that failed. */
const arrivals = (hook: Hook, ...all: ReadonlyArray<string>): ReadonlyArray<Arrival> =>
  all.map((text, index) => {
    const [subject = "", type = "", messageId = "", failed] = text.split(" ")
    const order = index * 2
    const acknowledged = failed === undefined ? order + 1 : null
    return { hook, messageId, type, subject, changedAt_ms: 1000, at_ms: 2000, order, acknowledged }
  })

const asked = events("a dispatching running", "a running running ?", "a running completed")

describe("webhook deliveries", () => {
  const hook = hookOf()
  const broken = (...all: ReadonlyArray<string>) => brokenDeliveries([hook], arrivals(hook, ...all), asked).join("\n")

  it("are correct if each message is acknowledged in order, however often it was sent", () => {
    const right = ["a run.waiting m1 -", "a run.waiting m1", "a run.waiting m1", "a run.completed m2"]
    assert.strictEqual(broken(...right), "")
    assert.strictEqual(openDeliveries([hook], arrivals(hook, ...right), asked), 0)
    assert.strictEqual(openDeliveries([hook], arrivals(hook, ...right.slice(0, 1)), asked), 2)
  })

  const cases: Readonly<Record<string, readonly [ReadonlyArray<string>, RegExp]>> = {
    "a message that never came": [
      ["a run.waiting m1"],
      /a at \S+ got run\.waiting in place of run\.waiting, run\.comp/u
    ],
    "a run without a message": [[], /a at \S+ never got run\.waiting, run\.completed/u],
    "a message that was never acknowledged": [
      ["a run.waiting m1", "a run.completed m2 -"],
      /a at \S+ never acknowledged m2/u
    ],
    "a reversed order": [["a run.completed m2", "a run.waiting m1"], /got run\.completed, run\.waiting in place/u],
    "a message that doesn't wait for the previous one": [
      ["a run.waiting m1 -", "a run.completed m2", "a run.waiting m1"],
      /got m2 before m1 was acknowledged/u
    ],
    "two messages for one change": [
      ["a run.waiting m1", "a run.completed m2", "a run.completed m3"],
      /got run\.waiting, run\.completed, run\.completed in place/u
    ],
    "a run of another key": [
      ["a run.waiting m1", "a run.completed m2", "b run.completed m3"],
      /b at \S+ got run\.comp/u
    ]
  }
  for (const [name, [all, sentence]] of Object.entries(cases)) {
    it(`are detected as wrong by ${name}`, () => assert.match(broken(...all), sentence))
  }

  it("of a deleted webhook may stop early, and none comes later", () => {
    const deleted = hookOf({ deletedAt_ms: 2000 })
    const [first] = arrivals(deleted, "a run.waiting m1")
    assert.isDefined(first)
    assert.deepStrictEqual(brokenDeliveries([deleted], [first], asked), [])
    assert.match(
      brokenDeliveries([deleted], [{ ...first, at_ms: 20_000 }], asked).join(),
      /m1 18000 ms after its delete/u
    )
    assert.match(brokenDeliveries([deleted], [{ ...first, changedAt_ms: 2001 }], asked).join(), /about a change after/u)
  })
})
