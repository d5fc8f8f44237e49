import { assert, layer } from "@effect/vitest"
import { StepCall, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { call, carriedOut, done, ended, numberOf, Running, script, shown } from "./running.ts"

type Script = Parameters<typeof script>[1]

const indexOf = (now: Running["Service"], pattern: RegExp): number => Number(pattern.exec(shown(now))?.[1])

const open = (name: string): Script => {
  return (now) => call("navigate", { url: `${now.site.origin}/replay-${name}` })
}

const click = (name: string): Script => {
  return (now) => call("click", { index: numberOf(now, name) })
}

const clickFirst = (pattern: RegExp): Script => {
  return (now) => call("click", { index: indexOf(now, pattern) })
}

/** Records a run on the page as it is first, and repeats it without a model on the page as it's later. */
const repeated = Effect.fnUntraced(function* (later: string, ...steps: ReadonlyArray<Script>) {
  const running = yield* Running
  running.site.variant = ""
  running.site.saw()
  script(running, ...steps)
  const { turn } = yield* carriedOut("do it")
  assert.strictEqual(turn.status, "completed", String(turn.error))
  const recorded = running.site.saw()
  running.site.variant = later
  script(running)
  const again = yield* carriedOut("do it", { replay: StepCall.replayOf(turn.id, false) })
  assert.lengthOf(running.model.requests, 0)
  return { recorded, turn: again.turn, saw: running.site.saw() }
})

const refuses = (later: string, reason: RegExp, ...steps: ReadonlyArray<Script>) =>
  Effect.gen(function* () {
    const { recorded, saw, turn } = yield* repeated(later, ...steps)
    assert.deepInclude(turn, { status: "failed", failure: "not_replayable", cost: "0" })
    assert.match(String(turn.error), reason)
    assert.deepStrictEqual(saw, [], `recorded: ${recorded.join()}`)
  })

const noSuch = /or several that can't be told apart/u

layer(Running.layer(), { excludeTestServices: true })("a replay without a model", (it) => {
  it.effect("waits for the next step of a slow page whose button has the same name", () =>
    Effect.gen(function* () {
      const { recorded, saw, turn } = yield* repeated(
        "slow",
        open("wizard"),
        click("Confirm"),
        click("Confirm"),
        done("Order paid")
      )
      assert.strictEqual(turn.error, null)
      assert.deepStrictEqual(
        [recorded, saw],
        [
          ["pay", "newsletter"],
          ["pay", "newsletter"]
        ]
      )
    })
  )

  it.effect("doesn't press a button by its place among buttons without names", () =>
    refuses(
      "new",
      /Nothing distinguished its element|can't be told apart/u,
      open("icons"),
      clickFirst(/\[(\d+) button/u),
      done("ok done")
    )
  )

  it.effect("doesn't click a point of the screen", () =>
    refuses(
      "moved",
      /clicked a point of the screen/u,
      open("canvas"),
      call("clickAt", { x: 100, y: 150 }),
      done("ok done")
    )
  )

  it.effect("doesn't press the only button of another item", () =>
    refuses("next", noSuch, open("inbox"), click("Delete"), done("Message deleted"))
  )

  it.effect("doesn't press the same button under another heading", () =>
    refuses("other", /isn't the page of the recorded step/u, open("detail"), click("Delete"), done("Message deleted"))
  )

  it.effect("doesn't type into a frame of another origin", () =>
    refuses(
      "ad",
      noSuch,
      open("frame"),
      (now) => call("type", { index: numberOf(now, "Card number"), text: "4111 1111" }),
      done("Thanks page")
    )
  )

  it.effect("distinguishes rows whose first 200 characters are the same", () =>
    Effect.gen(function* () {
      const { recorded, saw, turn } = yield* repeated(
        "new",
        open("long"),
        clickFirst(/\[(\d+) button "Cancel"/u),
        done("Order canceled")
      )
      assert.strictEqual(turn.error, null)
      assert.deepStrictEqual(saw, recorded)
      assert.deepInclude(turn.replay, { healed: 1 })
    })
  )

  it.effect("doesn't press keys in another field", () =>
    refuses("other", /The focus isn't on textbox "First"/u, open("keys"), call("press", { keys: "x" }), done("ok"))
  )

  it.effect("doesn't bring a tab to the front by its number", () =>
    refuses(
      "",
      /used a tab by its number/u,
      open("keys"),
      call("tab", { do: "open" }),
      call("tab", { do: "front", number: 1 }),
      done("ok")
    )
  )

  it.effect("doesn't return a computed result", () =>
    refuses("new", /The recorded result has "45", which no page showed/u, open("sum"), done("45"))
  )

  it.effect("doesn't return a yes or no", () =>
    refuses("new", /The recorded result has "no", which no page showed/u, open("sum"), done("no"))
  )

  it.effect("reports a missing word of the result after a refusal that names it", () =>
    Effect.gen(function* () {
      const running = yield* Running
      running.site.variant = ""
      script(running, open("sum"), done("25"))
      const { turn } = yield* carriedOut("do it")
      running.site.variant = "new"
      script(running, call("resume", { step: 2 }), done("90"))
      const again = yield* carriedOut("do it", { replay: StepCall.replayOf(turn.id, true) })
      assert.deepInclude(again.turn, { status: "completed", output: "90" })
    })
  )

  it.effect("doesn't repeat steps that followed a person's response", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const handOff = { timeout_ms: 60_000, whenUnanswered: "skip", pausesLimits: true } as const
      running.site.variant = ""
      running.site.saw()
      script(
        running,
        open("code"),
        call("askPerson", { question: "Which code?" }),
        (now) => call("type", { index: numberOf(now, "Code"), text: "1111" }),
        click("Send"),
        done("Code sent")
      )
      const { engine } = running
      const { turn } = yield* Effect.orDie(
        engine.createSession({ task: "Send", modelParams: null, thinkingLevel: null, handOff })
      )
      const waiting = Effect.map(Effect.orDie(engine.turn(turn.id)), Turn.waitingFor)
      yield* Effect.repeat(Effect.delay(waiting, "5 millis"), { until: (question) => question !== null })
      yield* Effect.orDie(engine.answer(turn.id, { questionId: "1", answer: "1111", by: "ann" }))
      const first = yield* ended(running, turn.id)
      assert.deepStrictEqual(running.site.saw(), ["code 1111"])
      script(running)
      const again = yield* carriedOut("Send", { handOff, replay: StepCall.replayOf(first.id, false) })
      assert.deepInclude(again.turn, { status: "failed", failure: "not_replayable" })
      assert.include(again.turn.error, "It asked a person, whose response may be another one now.")
      assert.deepStrictEqual(running.site.saw(), [])
    })
  )

  it.effect("costs 0 if it's canceled", () =>
    Effect.gen(function* () {
      const running = yield* Running
      running.site.variant = ""
      script(running, open("code"), call("wait", { seconds: 3 }), done("Code"))
      const { turn } = yield* carriedOut("do it")
      script(running)
      const { engine } = running
      const replay = StepCall.replayOf(turn.id, false)
      const again = yield* Effect.orDie(
        engine.createSession({ task: "do it", modelParams: null, thinkingLevel: null, replay })
      )
      const now = Effect.delay(Effect.orDie(engine.turn(again.turn.id)), "20 millis")
      yield* Effect.repeat(now, { until: ({ steps }) => steps === 2 })
      yield* Effect.orDie(engine.cancelTurn(again.turn.id))
      // the cost is stored once the agent has stopped
      const last = yield* Effect.repeat(now, { until: ({ cost }) => cost !== null }).pipe(
        Effect.timeout("10 seconds"),
        Effect.orDie
      )
      assert.deepInclude(last, { status: "cancelled", cost: "0" })
    })
  )
})
