import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { call, carriedOut, done, ended, followedUp, numberOf, Running, script, shown, told } from "./running.ts"

/** Starts a run, and stops its browser once its model has given these answers and is asked again. */
const stoppedAfter = Effect.fnUntraced(function* (...answers: ReadonlyArray<ReturnType<typeof call>>) {
  const running = yield* Running
  const askedAgain = Promise.withResolvers<void>()
  script(running, ...answers, () => {
    askedAgain.resolve()
    return new Promise(() => undefined)
  })
  const made = yield* Effect.orDie(
    running.engine.createSession({ task: "One", modelParams: null, thinkingLevel: null })
  )
  yield* Effect.promise(() => askedAgain.promise)
  const { session } = yield* Effect.orDie(running.engine.session(made.session.id))
  yield* Effect.orDie(running.engine.stopBrowser(session.browserId ?? ""))
  return made
})

layer(Running.layer(), { excludeTestServices: true })("a session", (it) => {
  it.effect("runs a follow-up in the same browser, with the earlier conversation", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("navigate", { url: `${running.site.origin}/plain` }), done("4711"))
      const { session } = yield* carriedOut("What is the code?")
      script(running, (now) => done(/URL: \S+\/plain/u.test(shown(now))))
      const second = yield* followedUp(session.id, "And where are you?")
      assert.strictEqual(second.output, true)
      const said = running.model.requests[0]?.messages.map(({ text }) => text).join("\n")
      assert.include(said, "Task: What is the code?")
      assert.include(said, "Task: And where are you?")
    })
  )

  it.effect("downloads a file and uploads it, even in a follow-up", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { origin } = running.site
      const upload = (now: Running["Service"]) =>
        call("upload", { index: Number(/\[(\d+) file/u.exec(shown(now))?.[1]), names: ["report.csv"] })
      script(
        running,
        call("navigate", { url: `${origin}/download` }),
        (now) => call("click", { index: numberOf(now, "Get the report") }),
        // whenever it is complete
        ...Array.from(
          { length: 40 },
          (_, at) => (now: Running["Service"]) =>
            shown(now).includes('Downloaded "report.csv"') ? done() : call("wait", { seconds: 0.1 + at / 100 })
        )
      )
      const { session, turn } = yield* carriedOut("Get the report")
      assert.strictEqual(turn.status, "completed", String(turn.error))
      script(running, call("navigate", { url: `${origin}/upload` }), upload, (now) =>
        done(/report\.csv 8/u.test(shown(now)))
      )
      assert.strictEqual((yield* followedUp(session.id, "Upload it")).output, true)
    })
  )

  it.effect("knows the conversation of a turn that ran on another node", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("find", { text: "nothing of the kind" }), done("none"))
      const { session, turn } = yield* carriedOut("Look for it")
      assert.include(JSON.stringify(turn.checkpoint), "nothing of the kind")
      // as another node leaves it
      const other = {
        ...turn,
        id: "elsewhere",
        seq: 2,
        task: "Elsewhere",
        checkpoint: { notes: "- The gate is 7.", plan: "gone", said: "result: The code is 4711." }
      }
      const { session: known } = Option.getOrThrow(yield* running.store.sessionState(session.id))
      const next = { ...known, revision: known.revision + 1, turnCount: 2 }
      yield* Effect.orDie(running.store.commit({ session: next, turns: [other], events: [] }))
      script(running, done("4711"))
      yield* followedUp(session.id, "What is the code?")
      const said = told(running)
      for (const part of [
        "Earlier task: Look for it",
        "nothing of the kind",
        "Earlier task: Elsewhere",
        "code is 4711."
      ]) {
        assert.include(said, part)
      }
      assert.notInclude(said, "Task: Look for it\n")
      assert.match(shown(running), /^Your notes:\n- The gate is 7\.\n/u)
    })
  )

  it.effect("summarizes old steps and keeps the task word for word", () =>
    Effect.gen(function* () {
      const running = yield* Running
      let summaries = 0
      script(running, (_, { text, tools }) => {
        if (tools.length === 0) {
          summaries += 1
          return { text: "SUMMARY: read the cards" }
        }
        const count = running.model.requests.length
        if (count === 1) return call("navigate", { url: `${running.site.origin}/cards` })
        return summaries === 0 ? call("read", { offset: count }) : done(text.includes("Card 1"))
      })
      const { turn } = yield* carriedOut("Read every card, twice")
      assert.deepInclude(turn, { status: "completed", output: true })
      assert.strictEqual(summaries, 1)
      assert.include(told(running), "SUMMARY: read the cards\n\nTask: Read every card, twice")
      const lengths = running.model.requests.map(({ body }) => JSON.stringify(body).length)
      assert.isBelow(lengths.at(-1) ?? 0, Math.max(...lengths) - 15_000)
    })
  )

  it.effect("learns that its browser is gone, continues in a new one, and stopping the session frees that", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { engine, site, store } = running
      // the step waits for the text of the page to be read
      const { session, turn } = yield* stoppedAfter(
        call("navigate", { url: `${site.origin}/plain` }),
        call("extract", { what: "the code" })
      )
      const lost = yield* ended(running, turn.id)
      assert.deepInclude(lost, {
        status: "failed",
        error: "The browser is gone. Send a follow-up to continue in a new browser."
      })
      const steps = yield* store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map((step) => step.ended?.failure),
        [null, "The browser is gone."]
      )
      script(running, (now) => done(/URL: (\S+)/u.exec(shown(now))?.[1]))
      assert.strictEqual((yield* followedUp(session.id, "Two")).output, "about:blank")
      assert.include(told(running), "The browser of the earlier tasks is gone")
      const { session: now } = yield* Effect.orDie(engine.session(session.id))
      yield* Effect.orDie(engine.stopSession(session.id))
      const browserOf = Effect.orDie(Effect.map(store.browser(now.browserId ?? ""), Option.getOrThrow))
      const stopped = yield* Effect.repeat(Effect.delay(browserOf, "5 millis"), {
        until: ({ status }) => status === "stopped"
      })
      assert.strictEqual(stopped.stopReason, "session_stopped")
    })
  )

  it.effect("fails its run as soon as its browser stops, even if the model hasn't responded", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const abandoned = running.model.abandoned
      const { turn } = yield* stoppedAfter(call("navigate", { url: `${running.site.origin}/plain` }))
      assert.deepInclude(yield* ended(running, turn.id), {
        status: "failed",
        failure: "browser_lost",
        error: "The browser is gone. Send a follow-up to continue in a new browser."
      })
      yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => running.model.abandoned === abandoned })
      assert.lengthOf(running.model.requests, 2)
    })
  )
})
