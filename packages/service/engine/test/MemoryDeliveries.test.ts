import { assert, describe, it } from "@effect/vitest"
import type { NewDelivery } from "../src/domain/Webhook.ts"
import * as MemoryDeliveries from "../src/MemoryDeliveries.ts"

const message = (hookId: string, subject: string, rest: Partial<NewDelivery> = {}): NewDelivery => ({
  hookId,
  owner: null,
  messageId: null,
  type: "run.completed",
  subject,
  once: null,
  body: "{}",
  createdAt_ms: 0,
  ...rest
})

const ids = (deliveries: ReadonlyArray<{ readonly id: string }>) => deliveries.map(({ id }) => id)

describe("webhook messages in memory", () => {
  it("have one head per subject, and the next one follows when it's finished", () => {
    const deliveries = MemoryDeliveries.make()
    for (const [id, subject] of [
      ["1", "a"],
      ["2", "b"],
      ["3", "a"]
    ] as const) {
      deliveries.add(message("hook", subject), id, 0, false)
    }
    assert.deepStrictEqual(ids(deliveries.heads("hook")), ["1", "2"])
    const first = deliveries.find("hook", "1") ?? assert.fail()
    deliveries.put({ ...first, attempts: 1, nextAt_ms: 5 })
    assert.deepStrictEqual(ids(deliveries.heads("hook")), ["1", "2"])
    deliveries.put({ ...first, status: "delivered", finishedAt_ms: 7 })
    assert.deepStrictEqual(ids(deliveries.heads("hook")).toSorted(), ["2", "3"])
    assert.deepStrictEqual([deliveries.countWaiting("hook"), deliveries.countFinished()], [2, 1])
    assert.deepStrictEqual(ids(deliveries.page("hook", null, 9)), ["3", "2", "1"])
    assert.deepStrictEqual(ids(deliveries.page("hook", "3", 1)), ["2"])
  })

  it("are deleted with their webhook and when they are pruned, including their texts", () => {
    const deliveries = MemoryDeliveries.make()
    assert.isNotNull(deliveries.add(message("a", "s", { once: "today" }), "1", 3, true))
    assert.isNull(deliveries.add(message("a", "s", { once: "today" }), "2", 3, false))
    assert.isNotNull(deliveries.add(message("b", "s", { once: "today" }), "3", 3, false))
    assert.strictEqual(deliveries.prune(2, 9), 0)
    assert.strictEqual(deliveries.prune(3, 9), 1)
    assert.isNotNull(deliveries.add(message("a", "s", { once: "today" }), "4", 3, false))
    deliveries.removeAll("b")
    assert.deepStrictEqual(
      [deliveries.has("3"), deliveries.countWaiting("b"), deliveries.countWaiting("a")],
      [false, 0, 1]
    )
    assert.deepStrictEqual(deliveries.heads("b"), [])
  })
})
