import { assert, layer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { call, carriedOut, done, followedUp, numberOf, Running, script, shown, told } from "./running.ts"

const secret = "canary & hunter2"

const bound = (site: { readonly origin: string }, more: object = {}) => ({
  alias: "pin",
  domains: [new URL(site.origin).host],
  source: { type: "inline" as const, value: Redacted.make(secret) },
  ...more
})

const typed = (text: string) => (running: Running["Service"]) =>
  call("type", { index: numberOf(running, "User"), text })

/** All texts that a model received. */
const received = ({ model }: Running["Service"]) => JSON.stringify(model.requests.map(({ body }) => body))

const verdict = {
  reasoning: "Fits.",
  verdict: true,
  failure_reason: null,
  impossible_task: false,
  reached_captcha: false
}

layer(
  Running.layer((site) => ({
    secrets: [
      {
        name: "shop",
        value: Redacted.make("server-canary"),
        domains: [new URL(site.origin).host, new URL(site.other).host]
      }
    ]
  })),
  { excludeTestServices: true }
)("a run's options", (it) => {
  it.effect("include a secret, which is typed only on its sites and shown to neither the model nor a step", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { site } = running
      script(
        running,
        call("navigate", { url: `${site.origin}/keeps` }),
        typed("<secret:pin>"),
        call("navigate", { url: `${site.other}/login` }),
        typed("<secret:pin>"),
        (now) => done(shown(now))
      )
      const { session, turn } = yield* carriedOut("Sign in", { secrets: [bound(site)] })
      assert.strictEqual(turn.status, "completed")
      assert.include(received(running), "Secrets that you can type: <secret:shop>, <secret:pin>")
      const steps = yield* running.store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ ended }) => ended?.failure ?? null),
        [null, null, null, `The secret "pin" may not be typed on ${site.other}.`, null]
      )
      assert.isTrue(running.model.requests.some(({ text }) => text.includes('"User" = "<secret:pin>"')))
      for (const text of [received(running), JSON.stringify([turn, steps])]) assert.notInclude(text, "hunter2")

      // the site still has it: a later run of the session can't type it, and doesn't see it either
      script(
        running,
        call("navigate", { url: `${site.origin}/keeps` }),
        call("type", { index: 1, text: "<secret:pin>" }),
        (now) => done(shown(now))
      )
      const next = yield* followedUp(session.id, "What does it say?")
      assert.notInclude(received(running), "hunter2")
      assert.notInclude(JSON.stringify(next), "hunter2")
      assert.include(running.model.requests.at(-1)?.text, "It has <secret:pin>")
      const own = running.model.requests[0]?.messages
        .map(({ text }) => text)
        .findLast((text) => text.includes("What does it say?"))
      assert.include(own, "Secrets that you can type: <secret:shop>")
      assert.notInclude(own, "<secret:shop>, <secret:pin>")
    })
  )

  it.effect("include a server's secret under another name, limited to the server's sites", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { site } = running
      const source = { type: "server" as const, name: "shop" }
      script(
        running,
        call("navigate", { url: `${site.other}/login` }),
        typed("<secret:user>"),
        call("navigate", { url: `${site.origin}/login` }),
        typed("<secret:user>"),
        done()
      )
      const user = { alias: "user", source, domains: [new URL(site.origin).host, "elsewhere.example"] }
      const { turn } = yield* carriedOut("Sign in", { secrets: [user] })
      const steps = yield* running.store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ ended }) => ended?.failure ?? null),
        [null, `The secret "user" may not be typed on ${site.other}.`, null, null, null]
      )
      for (const text of [received(running), JSON.stringify([turn, steps])]) assert.notInclude(text, "server-canary")
      const gone = yield* carriedOut("Sign in", { secrets: [{ ...user, source: { ...source, name: "bank" } }] })
      assert.deepInclude(gone.turn, { status: "failed", error: 'This server has no secret "bank". Create a new run.' })
    })
  )

  it.effect("include a server's secret under its own name, which later runs of the session can type", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { site } = running
      const source = { type: "server" as const, name: "shop" }
      script(running, done())
      const { session } = yield* carriedOut("Wait", {
        secrets: [{ alias: "shop", source, domains: [new URL(site.origin).host] }]
      })
      script(running, call("navigate", { url: `${site.origin}/login` }), typed("<secret:shop>"), done())
      const next = yield* followedUp(session.id, "Sign in")
      const steps = yield* running.store.stepsOf(next.id)
      assert.deepStrictEqual(
        steps.map(({ ended }) => ended?.failure ?? null),
        [null, null, null]
      )
    })
  )

  it.effect("turn the judge on or off whatever the server's setting, and pass it instructions", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, (_, { schema }) => (schema === undefined ? done("4711") : { text: JSON.stringify(verdict) }))
      const judge = { isOn: true, context: "A code has 4 digits", model: null }
      const judged = yield* carriedOut("What is the code?", { judge })
      assert.deepInclude(judged.turn.judgement, { verdict: true, reasoning: "Fits." })
      assert.include(told(running), "The caller says about the right result: A code has 4 digits")
      const unjudged = yield* carriedOut("What is the code?", { judge: { ...judge, isOn: false } })
      assert.isNull(unjudged.turn.judgement)
    })
  )

  it.effect("include settings of the browser", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const script_ = `[innerWidth,innerHeight,Intl.DateTimeFormat().resolvedOptions().timeZone,navigator.language,navigator.userAgent].join("|")`
      script(running, call("navigate", { url: `${running.site.origin}/says?${encodeURIComponent(script_)}` }), (now) =>
        done(/seen (.*?) end/u.exec(shown(now))?.[1] ?? shown(now))
      )
      const { turn } = yield* carriedOut("Look", {
        browser: {
          screen: { width: 801, height: 602 },
          timeZone: "Asia/Tokyo",
          languages: ["de-DE", "de"],
          userAgent: "Robot/1.0"
        }
      })
      assert.strictEqual(turn.output, "801|602|Asia/Tokyo|de-DE|Robot/1.0")
    })
  )
})

/** Time that passes for the agent in addition to the machine's. */
let skipped_ms = 0
const machine = Clock.Clock.defaultValue()
const clock: Clock.Clock = Object.assign(Object.create(machine) as Clock.Clock, {
  currentTimeMillisUnsafe: () => machine.currentTimeMillisUnsafe() + skipped_ms,
  currentTimeMillis: Effect.sync(() => machine.currentTimeMillisUnsafe() + skipped_ms)
})

layer(Layer.provide(Running.layer(), Layer.succeed(Clock.Clock, clock)), { excludeTestServices: true })(
  "a secret of an earlier run",
  (it) => {
    it.effect("isn't shown to the model while its browser runs, even after the conversation is forgotten", () =>
      Effect.gen(function* () {
        const running = yield* Running
        const { site } = running
        script(running, call("navigate", { url: `${site.origin}/keeps` }), typed("<secret:pin>"), done())
        const { session } = yield* carriedOut("Sign in", { secrets: [bound(site)] })
        skipped_ms = 2 * 3_600_000
        script(running, call("navigate", { url: `${site.origin}/keeps` }), (now) => done(shown(now)))
        const next = yield* followedUp(session.id, "What does it say?")
        assert.strictEqual(next.status, "completed")
        assert.include(shown(running), "It has <secret:pin>")
        for (const text of [received(running), JSON.stringify(next)]) assert.notInclude(text, "hunter2")
      })
    )
  }
)
