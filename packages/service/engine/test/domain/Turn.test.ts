import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Turn from "../../src/domain/Turn.ts"
import { turn } from "./records.ts"

const events = {
  Dispatched: { _tag: "Dispatched" },
  Started: { _tag: "Started" },
  Completed: { _tag: "Completed", report: { output: "a mug", cost: "0.01" } },
  Failed: { _tag: "Failed", error: "no mug" },
  Cancelled: { _tag: "Cancelled" }
} as const satisfies { readonly [Tag in Turn.TurnEvent["_tag"]]: Turn.TurnEvent & { readonly _tag: Tag } }

const tags = Object.keys(events) as ReadonlyArray<keyof typeof events>

/** Every move that there is; all others are refused. */
const allowed: Readonly<Record<Turn.TurnStatus, Partial<Record<keyof typeof events, Turn.TurnStatus>>>> = {
  queued: { Dispatched: "dispatching", Failed: "failed", Cancelled: "cancelled" },
  dispatching: { Started: "running", Failed: "failed", Cancelled: "cancelled" },
  running: { Completed: "completed", Failed: "failed", Cancelled: "cancelled" },
  completed: {},
  failed: {},
  cancelled: {}
}

describe("Turn", () => {
  it.each([
    ["Find a red mug", "Find a red mug"],
    ["\n  Find a red mug \r\nand buy it", "Find a red mug"],
    [" \n ", null],
    ["x".repeat(81), `${"x".repeat(79)}…`],
    ["😀".repeat(80), "😀".repeat(80)],
    ["😀".repeat(81), `${"😀".repeat(79)}…`]
  ])("the title of a turn with the task %j is the beginning of its first line", (task, title) => {
    assert.strictEqual(Turn.titleOf({ task, title: null }), title)
    assert.strictEqual(Turn.titleOf({ task, title: "Mug" }), "Mug")
  })

  it("a turn's times are in order, whatever the clocks of its nodes say", () => {
    const moved = (["Dispatched", "Started", "Completed"] as const).reduce(
      (known, tag, index) => Result.getOrThrow(Turn.move(known, events[tag], [7, 3, 2][index] ?? 0)),
      { ...turn, createdAt_ms: 5 }
    )
    const { createdAt_ms, dispatchedAt_ms, finishedAt_ms, startedAt_ms } = moved
    assert.deepStrictEqual([createdAt_ms, dispatchedAt_ms, startedAt_ms, finishedAt_ms], [5, 7, 7, 7])
  })

  for (const from of Turn.turnStatuses) {
    for (const tag of tags) {
      const to = allowed[from][tag]
      it(`${from} + ${tag} ${to === undefined ? "is refused" : `-> ${to}`}`, () => {
        const moved = Turn.move({ ...turn, status: from }, events[tag], 5)
        if (to === undefined) {
          assert.deepStrictEqual(moved, Result.fail({ _tag: "InvalidTransition", from, event: tag }))
        } else {
          assert.strictEqual(Result.getOrThrow(moved).status, to)
        }
      })
    }
  }

  it("exactly completed, failed and cancelled are terminal", () => {
    assert.deepStrictEqual(Turn.turnStatuses.filter(Turn.isTerminal), ["completed", "failed", "cancelled"])
    assert.isFalse(Turn.isTerminal("paused"))
  })

  it.prop(
    "any sequence of changes keeps times in order and a terminal turn unchanged",
    [Schema.Array(Schema.Literals(tags))],
    ([happened]) => {
      let current = turn
      happened.forEach((tag, index) => {
        const before = current
        current = Result.getOrElse(Turn.move(before, events[tag], index + 1), () => before)
        if (Turn.isTerminal(before.status)) assert.strictEqual(current, before)
      })
      assert.strictEqual(current.finishedAt_ms !== null, Turn.isTerminal(current.status))
      assert.isTrue((current.startedAt_ms ?? 0) <= (current.finishedAt_ms ?? Infinity))
      assert.strictEqual(current.error !== null, current.status === "failed")
      assert.strictEqual(current.output !== null, current.status === "completed")
    },
    { arbitrary: { seed: 1 } }
  )
})
