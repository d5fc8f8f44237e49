import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { LoggedEvent } from "../../../src/run/events/EventLog.ts"
import * as Resumption from "../../../src/run/events/Resumption.ts"
import type { RunEvent } from "@webagent/report/RunEvent"
import { run, suiteOf } from "../stage.ts"

const eventsOfARun = Effect.map(
  run(
    [
      suiteOf(
        "shop",
        ["a", "b", "c"].map((name) => [name, Effect.void] as const)
      )
    ],
    { concurrency: 1 }
  ),
  ({ events }) => events
)

const logged = (events: ReadonlyArray<RunEvent>, from_ms: number): ReadonlyArray<LoggedEvent> =>
  events.map((event, index) => ({ at: DateTime.makeUnsafe(from_ms + index * 100), event }))

describe("Resumption", () => {
  it.effect("keeps finished trials, wherever the run was killed", () =>
    Effect.gen(function* () {
      const events = yield* eventsOfARun
      for (let length = 1; length < events.length; length++) {
        const kept = events.slice(0, length)
        const resumption = Resumption.of(logged(kept, 0))
        assert.strictEqual(resumption?.done.size, kept.filter(({ _tag }) => _tag === "TrialFinished").length)
        assert.strictEqual(resumption?.worked_ms, (length - 1) * 100)
      }
      assert.isUndefined(Resumption.of(logged(events, 0)))
      assert.isUndefined(Resumption.of([]))
    })
  )

  it.effect("excludes the time between a kill and a resumption, and uses the last header", () =>
    Effect.gen(function* () {
      const events = yield* eventsOfARun
      const [first] = events
      if (first?._tag !== "RunStarted") return assert.fail("a run begins with its header")
      const header = { ...first.header, resumed: [{ at: "2026-11-21T09:20:00.000Z", kept: 1, after_ms: 400 }] }
      const again: ReadonlyArray<RunEvent> = [{ _tag: "RunStarted", header }, ...events.slice(5, 7)]
      const resumption = Resumption.of([...logged(events.slice(0, 5), 0), ...logged(again, 60_000)])
      assert.strictEqual(resumption?.worked_ms, 600)
      assert.strictEqual(resumption?.header, header)
    })
  )

  it.effect("knows which trials were running at the kill from the last process", () =>
    Effect.gen(function* () {
      const events = yield* eventsOfARun
      const [first] = events
      if (first === undefined) return assert.fail("a run has events")
      // up to the beginning of the second trial
      const begun = events.findIndex((event) => event._tag === "TrialStarted" && event.scenario === "b")
      const killed = logged(events.slice(0, begun + 1), 1000)
      assert.deepStrictEqual(Resumption.of(killed)?.interrupted, [{ suite: "shop", scenario: "b" }])
      assert.deepStrictEqual(Resumption.of([...killed, ...logged([first], 60_000)])?.interrupted, [])
    })
  )

  it.effect("keeps the cost of a trial that a limit had stopped", () =>
    Effect.gen(function* () {
      const events = (yield* eventsOfARun).slice(0, -1).map((event): RunEvent => {
        if (event._tag !== "TrialFinished") return event
        const change = {
          a: { trace: "traces/1.json" },
          b: { verdict: "skipped", cost_usd: "0.02" },
          c: { verdict: "skipped" }
        } as const
        const named: Readonly<Record<string, Partial<typeof event.trial>>> = change
        return { ...event, trial: { ...event.trial, ...named[event.scenario] } }
      })
      const resumption = Resumption.of(logged(events, 0))
      assert.deepStrictEqual(resumption?.lost_usd, ["0.02"])
      assert.strictEqual(resumption?.done.size, 1)
      assert.deepStrictEqual(resumption?.interrupted, [])
    })
  )

  it.effect("doesn't treat a manually stopped trial as finished", () =>
    Effect.gen(function* () {
      const events = (yield* eventsOfARun).flatMap((event): ReadonlyArray<RunEvent> => {
        if (event._tag === "RunFinished") return []
        return event._tag === "TrialFinished" ? [{ ...event, trial: { ...event.trial, verdict: "skipped" } }] : [event]
      })
      assert.strictEqual(Resumption.of(logged(events, 0))?.done.size, 0)
    })
  )
})
