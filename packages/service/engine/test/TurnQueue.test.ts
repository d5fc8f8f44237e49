import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as TurnQueue from "../src/TurnQueue.ts"

const Step = Schema.Literals(["append", "interrupt", "settle"])

/** Does what the engine does, and returns the order in which turns went to work. */
const run = (steps: ReadonlyArray<typeof Step.Type>) => {
  let queue = TurnQueue.empty
  const worked: Array<string> = []
  const advance = () => {
    const started = TurnQueue.start(queue)
    if (started.running !== null && started.running !== queue.running) worked.push(started.running)
    queue = started
  }
  const drain = () => {
    if (queue.running !== null) queue = TurnQueue.remove(queue, queue.running)
    advance()
  }
  steps.forEach((step, index) => {
    if (step === "settle") return drain()
    const id = `${step}-${index}`
    queue = step === "append" ? TurnQueue.append(queue, id) : TurnQueue.prepend(queue, id)
    // an interrupted turn is let go of by the agent at once
    if (step === "interrupt" && queue.running !== null) queue = TurnQueue.remove(queue, queue.running)
    advance()
  })
  const before = queue
  while (!TurnQueue.isEmpty(queue)) drain()
  return { before, worked }
}

describe("TurnQueue", () => {
  it.prop("every turn works exactly once", [Schema.Array(Step)], ([steps]) => {
    const { worked } = run(steps)
    assert.strictEqual(worked.length, steps.filter((step) => step !== "settle").length)
    assert.strictEqual(new Set(worked).size, worked.length)
  })

  it.prop("messages that do not interrupt keep their order among themselves", [Schema.Array(Step)], ([steps]) => {
    const appended = run(steps)
      .worked.filter((id) => id.startsWith("append"))
      .map((id) => Number(id.split("-")[1]))
    assert.deepStrictEqual(
      appended,
      appended.toSorted((a, b) => a - b)
    )
  })

  it.prop("an interrupt works before everything that waits", [Schema.Array(Step)], ([steps]) => {
    const { before, worked } = run([...steps, "interrupt"])
    assert.strictEqual(before.running, `interrupt-${steps.length}`)
    assert.deepStrictEqual(worked.slice(worked.indexOf(`interrupt-${steps.length}`) + 1), [...before.waiting])
  })

  it.prop("something works whenever something waits", [Schema.Array(Step)], ([steps]) => {
    const { before } = run(steps)
    assert.isTrue(before.waiting.length === 0 || before.running !== null)
  })

  it("starts nothing while a turn is at work, and does not start from nothing", () => {
    const busy = TurnQueue.start(TurnQueue.append(TurnQueue.empty, "a"))
    assert.deepStrictEqual(TurnQueue.start(TurnQueue.append(busy, "b")), { running: "a", waiting: ["b"] })
    assert.strictEqual(TurnQueue.start(TurnQueue.empty), TurnQueue.empty)
  })

  it("a turn that is removed while it waits never works", () => {
    const queue = TurnQueue.append(TurnQueue.append(TurnQueue.empty, "a"), "b")
    assert.deepStrictEqual(TurnQueue.remove(queue, "a"), { running: null, waiting: ["b"] })
  })
})
