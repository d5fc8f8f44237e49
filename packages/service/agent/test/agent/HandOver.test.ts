import { assert, layer } from "@effect/vitest"
import { Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { call, done, ended, numberOf, Running, script, told } from "./running.ts"

const handOff = { timeout_ms: 60_000, whenUnanswered: "skip", pausesLimits: true } as const

const start = Effect.fnUntraced(function* (task: string, more: object = { handOff }) {
  const { engine } = yield* Running
  return yield* Effect.orDie(engine.createSession({ task, modelParams: null, thinkingLevel: null, ...more }))
})

/** Lets the model open a page, ask a person and finish. Returns the text that the model got after the question. */
const asking = (
  running: Running["Service"],
  path: string,
  question: Readonly<Record<string, unknown>>,
  finish: ReturnType<typeof done>
) => {
  let heard = ""
  script(running, call("navigate", { url: `${running.site.origin}${path}` }), call("askPerson", question), (now) => {
    heard = told(now)
    return finish
  })
  return () => heard
}

/** Waits until a turn asks a person. */
const waiting = (id: string) =>
  Effect.flatMap(Running, ({ engine }) =>
    Effect.repeat(Effect.delay(Effect.map(Effect.orDie(engine.turn(id)), Turn.waitingFor), "5 millis"), {
      until: (question) => question !== null
    })
  )

const answer = (id: string, text: string) =>
  Effect.flatMap(Running, ({ engine }) => engine.answer(id, { questionId: "1", answer: text, by: "ann" }))

layer(Running.layer(), { excludeTestServices: true })("a run that may ask a person", (it) => {
  it.effect("asks with a tool, waits, and its model gets the answer", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const heard = asking(running, "/plain", { question: "Which code?", choices: ["4711", "4712"] }, done("4711"))
      const { turn } = yield* start("What is the code?")
      assert.deepInclude(yield* waiting(turn.id), { reason: "question", question: "Which code?", askedBy: "agent" })
      assert.lengthOf(running.model.requests, 2)
      yield* answer(turn.id, "4711")
      assert.deepInclude(yield* ended(running, turn.id), { status: "completed", output: "4711", steps: 3 })
      assert.include(heard(), "A person answered: 4711")
    })
  )

  for (const [whenUnanswered, advice] of [
    ["skip", "Leave this part of the task out"],
    ["continue", "Go on as you think best"]
  ] as const)
    it.effect(`gets no answer in time, and its model reads what "${whenUnanswered}" means`, () =>
      Effect.gen(function* () {
        const running = yield* Running
        const heard = asking(running, "/plain", { question: "Which code?" }, done())
        const { turn } = yield* start("What is the code?", {
          handOff: { ...handOff, timeout_ms: 100, whenUnanswered }
        })
        assert.propertyVal(yield* ended(running, turn.id), "status", "completed")
        assert.include(heard(), `No person answered in time. ${advice}`)
      })
    )

  it.effect("learns which page is open after a person used its browser", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const heard = asking(running, "/login", { question: "Please sign in", reason: "sign_in" }, done())
      const { session, turn } = yield* start("Sign in")
      yield* waiting(turn.id)
      const { browserId } = (yield* running.engine.session(session.id)).session
      yield* running.engine.takeControl(browserId ?? "", "ann", 60_000)
      yield* running.engine.releaseControl(browserId ?? "", "ann")
      assert.propertyVal(yield* ended(running, turn.id), "status", "completed")
      assert.include(heard(), "A person has used the browser and given it back.")
      assert.include(heard(), `The tab in front is still at ${running.site.origin}/login`)
    })
  )

  it.effect("waits in the middle of a step while a person drives, and skips the rest of the step", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { engine, model, site } = running
      const taken = Promise.withResolvers<void>()
      let heard = ""
      script(
        running,
        {
          calls: [
            { name: "extract", input: { what: "the code" } },
            { name: "navigate", input: { url: `${site.origin}/login` } }
          ]
        },
        async () => {
          await taken.promise
          return { text: "4711" }
        },
        (now) => {
          heard = told(now)
          return done()
        }
      )
      const { session, turn } = yield* start("Look")
      yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => model.requests.length < 2 })
      const { browserId } = (yield* engine.session(session.id)).session
      yield* engine.takeControl(browserId ?? "", "ann", 600_000)
      taken.resolve()
      yield* Effect.repeat(Effect.delay(Effect.orDie(engine.turn(turn.id)), "5 millis"), {
        until: ({ modelCalls }) => modelCalls === 2
      })
      // the rest of the call needs no browser
      yield* Effect.sleep("100 millis")
      yield* engine.releaseControl(browserId ?? "", "ann")
      assert.propertyVal(yield* ended(running, turn.id), "status", "completed")
      assert.include(heard, "Not done: a person used the browser meanwhile.")
    })
  )

  it.effect("looks again before it acts if a person drove the browser while the model was responding", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { engine, model, site } = running
      const driven = Promise.withResolvers<void>()
      let heard = ""
      script(
        running,
        call("navigate", { url: `${site.origin}/plain` }),
        async () => {
          await driven.promise
          return call("navigate", { url: `${site.origin}/login` })
        },
        (now) => {
          heard = told(now)
          return done()
        }
      )
      const { session, turn } = yield* start("Look")
      yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => model.requests.length < 2 })
      const { browserId } = (yield* engine.session(session.id)).session
      yield* engine.takeControl(browserId ?? "", "ann", 600_000)
      yield* engine.releaseControl(browserId ?? "", "ann")
      driven.resolve()
      assert.deepInclude(yield* ended(running, turn.id), { status: "completed", steps: 3 })
      assert.include(heard, "Not done: a person used the browser meanwhile.")
      assert.include(heard, `${site.origin}/plain`)
    })
  )

  it.effect("fails as soon as its browser stops, even if no person has answered", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("askPerson", { question: "Please sign in", reason: "sign_in" }))
      const { session, turn } = yield* start("Sign in")
      yield* waiting(turn.id)
      const { browserId } = (yield* running.engine.session(session.id)).session
      yield* running.engine.stopBrowser(browserId ?? "")
      assert.deepInclude(yield* ended(running, turn.id), { status: "failed", failure: "browser_lost" })
      assert.strictEqual((yield* Effect.flip(answer(turn.id, "Done")))._tag, "NotWaiting")
    })
  )

  it.effect("isn't offered the tool without a hand-off, and a request can still ask between its steps", () =>
    Effect.gen(function* () {
      const running = yield* Running
      let heard = ""
      script(running, call("wait", { seconds: 1 }), (now) => {
        heard = told(now)
        return done()
      })
      const { turn } = yield* start("Wait", {})
      yield* Effect.repeat(Effect.delay(Effect.orDie(running.engine.turn(turn.id)), "5 millis"), {
        until: ({ steps }) => steps === 1
      })
      yield* running.engine.ask(turn.id, { reason: "question", question: "Right shop?", choices: null })
      yield* Effect.sleep("1500 millis")
      assert.lengthOf(running.model.requests, 1)
      yield* answer(turn.id, "Yes, go on")
      assert.propertyVal(yield* ended(running, turn.id), "status", "completed")
      assert.include(heard, "A person was asked: Right shop?\nA person answered: Yes, go on")
      assert.notInclude(JSON.stringify(running.model.requests[0]), "askPerson")
    })
  )
})

layer(
  Running.layer({ approve: ({ tool }) => Effect.succeed(tool === "click" ? { ask: "May it click?" } : undefined) }),
  {
    excludeTestServices: true
  }
)("a run whose clicks need an approval", (it) => {
  for (const verdict of ["Approve", "Refuse"]) {
    it.effect(`follows the answer ${verdict}`, () =>
      Effect.gen(function* () {
        const running = yield* Running
        let heard = ""
        script(
          running,
          call("navigate", { url: `${running.site.origin}/frames` }),
          (now) => call("click", { index: numberOf(now, "Press same") }),
          (now) => {
            heard = told(now)
            return done()
          }
        )
        const { turn } = yield* start("Press it")
        assert.deepInclude(yield* waiting(turn.id), { reason: "approval", askedBy: "rule" })
        yield* answer(turn.id, verdict)
        assert.propertyVal(yield* ended(running, turn.id), "status", "completed")
        if (verdict === "Approve") assert.notInclude(heard, "It was not approved")
        else assert.include(heard, "It was not approved: a person refused it")
      })
    )
  }

  it.effect("looks again before it acts if the person who approved the action also drove the browser", () =>
    Effect.gen(function* () {
      const running = yield* Running
      let heard = ""
      script(
        running,
        call("navigate", { url: `${running.site.origin}/frames` }),
        (now) => call("click", { index: numberOf(now, "Press same") }),
        (now) => {
          heard = told(now)
          return done()
        }
      )
      const { session, turn } = yield* start("Press it")
      yield* waiting(turn.id)
      const { browserId } = (yield* running.engine.session(session.id)).session
      yield* running.engine.takeControl(browserId ?? "", "ann", 60_000)
      yield* answer(turn.id, "Approve")
      yield* running.engine.releaseControl(browserId ?? "", "ann")
      assert.propertyVal(yield* ended(running, turn.id), "status", "completed")
      assert.include(heard, "It was not approved: a person used the browser meanwhile.")
    })
  )

  it.effect("doesn't act without an approval, even if it continues by itself otherwise", () =>
    Effect.gen(function* () {
      const running = yield* Running
      let heard = ""
      script(
        running,
        call("navigate", { url: `${running.site.origin}/frames` }),
        (now) => call("click", { index: numberOf(now, "Press same") }),
        (now) => {
          heard = told(now)
          return done()
        }
      )
      const { turn } = yield* start("Press it", {
        handOff: { ...handOff, timeout_ms: 100, whenUnanswered: "continue" }
      })
      assert.propertyVal(yield* ended(running, turn.id), "status", "completed")
      assert.include(heard, "It was not approved: no person approved it in time")
    })
  )
})
