import { assert, describe, it } from "@effect/vitest"
import { recordingStart, stepAt, textOf, timelineOf } from "../../src/features/run/timeline.ts"
import { makeWorld } from "../server/World.ts"

const world = makeWorld(10)
const run = [...world.runs.values()].find(({ status }) => status === "completed")
if (run === undefined) throw new Error("The world has no completed run")
const steps = world.stepsOf(run)
const start_ms = Date.parse(run.startedAt ?? "")

describe("a run's timeline", () => {
  it("spans from its start to its end, with steps one after the other", () => {
    const { from_ms, steps: bars, to_ms } = timelineOf(run, steps, world.callsOf(run))
    assert.deepStrictEqual([from_ms, to_ms], [start_ms, Date.parse(run.finishedAt ?? "")])
    for (const [index, { left }] of bars.entries()) {
      const before = bars[index - 1]
      assert.closeTo(left, before === undefined ? 0 : before.left + before.width, 1e-9)
    }
    assert.isAtMost((bars.at(-1)?.left ?? 2) + (bars.at(-1)?.width ?? 2), 1)
  })

  it("has a length even if everything happened at once, and extends a running step to its end", () => {
    const [first] = steps
    if (first === undefined) throw new Error("The run has no step")
    const open = { ...run, finishedAt: null }
    const now = { ...first, durationMs: null }
    const { from_ms, steps: bars, to_ms } = timelineOf(open, [now], [])
    assert.strictEqual(to_ms - from_ms, 1000)
    assert.deepInclude(bars[0], { left: 0, width: 1, state: "running" })
    assert.deepInclude(timelineOf(open, [], []), { steps: [], calls: [] })
    // it grows while nothing else happens
    assert.strictEqual(timelineOf(open, [now], [], start_ms + 9000).to_ms, start_ms + 9000)
    assert.strictEqual(timelineOf(run, steps, [], start_ms + 1e9).to_ms, Date.parse(run.finishedAt ?? ""))
  })

  it("doesn't repeat a step's tool in its text", () => {
    const text = (tool: string | null, summary: string, title: string | null = null) => textOf({ tool, summary, title })
    assert.strictEqual(text("type", 'type searchbox "Search"'), 'searchbox "Search"')
    assert.strictEqual(text("navigate", "navigate"), "")
    assert.strictEqual(text("type", "typeset the page"), "typeset the page")
    assert.strictEqual(text(null, "Looks at the page"), "Looks at the page")
    assert.strictEqual(text("type", "type it", "Search for a mug"), "Search for a mug")
    assert.strictEqual(text("click", "Opens it", 'click link "Mug"'), 'link "Mug"')
  })

  it("marks a step that failed", () => {
    const states = timelineOf(
      run,
      steps.map((step) => (step.number === 2 ? { ...step, failure: "no such button" } : step)),
      []
    ).steps.map(({ state }) => state)
    assert.deepStrictEqual(states.slice(0, 3), ["done", "failed", "done"])
  })

  it("finds the step at a time, the first one before it started, and none without steps", () => {
    const [first, second] = steps
    assert.strictEqual(stepAt(steps, start_ms - 5000), first)
    assert.strictEqual(stepAt(steps, Date.parse(second?.startedAt ?? "")), second)
    assert.strictEqual(stepAt(steps, Number.MAX_SAFE_INTEGER), steps.at(-1))
    assert.isUndefined(stepAt([], 0))
  })
})

describe("a recording's start", () => {
  const browser = { startedAt: "2026-11-28T09:00:00Z", finishedAt: "2026-11-28T09:01:00Z" }
  const started_ms = Date.parse(browser.startedAt)

  it("is its length before the browser's end", () => {
    assert.strictEqual(recordingStart(browser, 58_000), started_ms + 2000)
  })

  it("is the browser's start if its length is unknown, or a limit ended it", () => {
    assert.strictEqual(recordingStart(browser, Number.NaN), started_ms)
    assert.strictEqual(recordingStart(browser, Number.POSITIVE_INFINITY), started_ms)
    assert.strictEqual(recordingStart(browser, 10_000), started_ms)
    assert.strictEqual(recordingStart({ ...browser, finishedAt: null }, 10_000), started_ms)
  })
})
