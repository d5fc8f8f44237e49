import { assert, describe, it } from "@effect/vitest"
import type { Event } from "../../src/domain/Event.ts"
import { waitAfter, webhookEventOf } from "../../src/domain/Webhook.ts"

const event = (fields: Partial<Event>): Event => ({
  at_ms: 0,
  of: "turn",
  id: "r1",
  sessionId: "s1",
  owner: null,
  from: "running",
  to: "running",
  ...fields
})

describe("the webhook of an event", () => {
  for (const [title, fields, expected] of [
    ["a run that completed", { to: "completed" }, "run.completed"],
    ["a run that failed", { to: "failed" }, "run.failed"],
    ["a cancelled run", { to: "cancelled" }, "run.cancelled"],
    ["a run that starts", { to: "running" }, null],
    ["a run that asks a person", { question: { id: "q1", change: "waiting" } }, "run.waiting"],
    ["an answered question", { question: { id: "q1", change: "answered" } }, "run.answered"],
    ["an unanswered question", { question: { id: "q1", change: "unanswered" } }, "run.unanswered"],
    ["a person who takes control", { control: "taken" }, null],
    ["a browser that stopped", { of: "browser", to: "stopped" }, "browser.stopped"],
    ["a browser that starts", { of: "browser", to: "active" }, null],
    ["a failed step", { of: "step", to: "failed" }, null],
    ["a stopped session", { of: "session", to: "stopped" }, null]
  ] as const satisfies ReadonlyArray<readonly [string, Partial<Event>, string | null]>) {
    it(`of ${title} is ${expected ?? "none"}`, () => assert.strictEqual(webhookEventOf(event(fields)), expected))
  }
})

describe("delivery attempts", () => {
  it("are ten within a day, each later than the one before", () => {
    const waits = Array.from({ length: 10 }, (_, index) => waitAfter(index + 1, 1))
    assert.isNull(waits[9])
    const total_ms = waits.reduce<number>((sum, wait_ms) => sum + (wait_ms ?? 0), 0)
    assert.isBelow(total_ms, 26 * 3_600_000)
    assert.isAbove(total_ms, 22 * 3_600_000)
    for (let index = 1; index < 9; index++) assert.isAbove(waits[index] ?? 0, waits[index - 1] ?? 0)
  })
})
