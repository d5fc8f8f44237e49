import { assert, describe, it } from "@effect/vitest"
import type { JournalEntry } from "@webagent/control"
import { JournalRows, markOf } from "../../src/observe/JournalRows.ts"

const stamp = (seq: number) => ({ seq, at_ms: seq, realAt_ms: seq })

const requestOf = (seq: number, part: Partial<Extract<JournalEntry, { type: "request" }>>): JournalEntry => ({
  type: "request",
  ...stamp(seq),
  operation: "v4.createRun",
  resource: null,
  create: "c",
  attempt: 1,
  after: 0,
  method: "POST",
  path: "/api/v4/runs",
  apiKey: null,
  idempotencyKey: null,
  userAgent: null,
  status: 201,
  retryAfter_ms: null,
  answered: "whole",
  made: null,
  fault: null,
  duration_ms: 1,
  ...part
})

const turn = (seq: number, id: string, sessionId: string, to: string): JournalEntry => ({
  type: "move",
  ...stamp(seq),
  of: "turn",
  id,
  sessionId,
  from: null,
  to
})

const [mine, other] = [markOf("ab12", 1), markOf("ab12", 11)]

describe("JournalRows", () => {
  it("returns a trial's requests, the resources that they created, its sessions and its faults", () => {
    const book = new JournalRows()
    const session: JournalEntry = {
      ...stamp(3),
      type: "move",
      of: "session",
      id: "s-1",
      sessionId: null,
      from: null,
      to: "active"
    }
    const fault: JournalEntry = {
      type: "fault",
      ...stamp(1),
      operation: "v4.createRun",
      resource: null,
      create: "c",
      attempt: 1,
      rule: "lost",
      kind: "reset",
      placement: "after-apply"
    }
    book.add([
      fault,
      session,
      turn(4, "r-1", "s-1", "queued"),
      requestOf(5, { userAgent: `webagent/0.1.0 ${mine}`, made: "r-1", fault: "lost" }),
      // the session's next turn, and what others do
      turn(6, "r-2", "s-1", "queued"),
      requestOf(7, { userAgent: other, made: "r-9" }),
      requestOf(8, { userAgent: `${mine}1x`, made: "r-8" }),
      turn(9, "r-9", "s-9", "queued"),
      { ...stamp(10), type: "control", action: "cancelRun", detail: "r-1" },
      { ...stamp(11), type: "control", action: "setFaults", detail: "1 rule" }
    ])
    assert.strictEqual(book.requests(mine), 1)
    assert.deepStrictEqual(
      book.take(mine).map(({ seq }) => seq),
      [1, 3, 4, 5, 6, 10]
    )
    assert.deepStrictEqual(book.take(mine), [])
    assert.deepStrictEqual(
      book.take(other).map(({ seq }) => seq),
      [7, 9]
    )
  })

  it("drops the oldest unread rows", () => {
    const book = new JournalRows()
    for (let run = 0; run < 60_000; run++) book.add([turn(2 * run, `r-${run}`, `s-${run}`, "queued")])
    book.add([requestOf(200_000, { userAgent: mine, made: "r-59999" })])
    book.add([requestOf(200_001, { userAgent: other, made: "r-0" })])
    assert.strictEqual(book.take(mine).length, 2)
    assert.strictEqual(book.take(other).length, 1)
  })
})
