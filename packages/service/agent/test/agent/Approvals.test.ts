import { assert, describe, it, layer } from "@effect/vitest"
import { Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Approvals from "../../src/agent/Approvals.ts"
import { detailsOf, summaryOf } from "../../src/agent/StepSummary.ts"
import * as Secrets from "../../src/page/Secrets.ts"
import { change } from "../support/site.ts"
import { call, carriedOut, done, ended, numberOf, Running, script, shown, told } from "./running.ts"

const address = "https://shop.example/cart"
const click = {
  tool: "click",
  params: { index: 3 },
  address,
  element: { role: "button", name: "Pay now", url: address }
}

const decided = (
  rules: ReadonlyArray<Approvals.ApprovalRule>,
  action: Parameters<typeof Approvals.decide>[1] = click
) => {
  const verdict = Effect.runSync(Approvals.decide(rules, action))
  return typeof verdict === "object" ? "ask" : verdict === undefined ? "approve" : "refuse"
}

describe("Approvals", () => {
  it("match by tool, domain and text, and the first match applies", () => {
    for (const [rule, verdict] of [
      [{}, "ask"],
      [{ tools: ["click"] }, "ask"],
      [{ tools: ["type"] }, "approve"],
      [{ domains: ["shop.example"] }, "ask"],
      [{ domains: ["*.shop.example"] }, "approve"],
      [{ text: ["PAY", "buy"] }, "ask"],
      [{ text: ["buy"] }, "approve"],
      [{ text: ["ＰＡＹ"] }, "ask"],
      [{ tools: ["click"], domains: ["shop.example"], text: ["buy"] }, "approve"]
    ] as const) {
      assert.strictEqual(decided([{ ...rule, decision: "ask" }]), verdict, JSON.stringify(rule))
    }
    assert.strictEqual(decided([{ text: ["pay"], decision: "approve" }, { decision: "refuse" }]), "approve")
    assert.strictEqual(decided([{ text: ["buy"], decision: "approve" }, { decision: "refuse" }]), "refuse")
  })

  it("take a check of a button, a text for no field and a drag within an element for clicks", () => {
    const asking = [{ tools: ["click"], decision: "ask" }] as const
    for (const [tool, role, field, params] of [
      ["check", "button", "checkbox", { index: 3, checked: true }],
      ["type", "clickable", "textbox", { index: 3, text: "a" }],
      ["drag", "button", undefined, { from: 3, to: 3 }]
    ] as const) {
      const act = (to: string) => decided(asking, { ...click, tool, params, element: { ...click.element, role: to } })
      assert.strictEqual(act(role), "ask", tool)
      if (field !== undefined) assert.strictEqual(act(field), "approve", tool)
    }
    const drag = (params: object) => decided(asking, { ...click, tool: "drag", params: { from: 3, to: 4, ...params } })
    assert.deepStrictEqual([drag({}), drag({ fromDx: 9 }), drag({ dy: 9 })], ["approve", "ask", "ask"])
  })

  it("take an upload to a button for a click, too", () => {
    const upload = { ...click, tool: "upload", params: { index: 3, names: ["cv.pdf"] } }
    const toField = { ...upload, element: { ...click.element, role: "file" } }
    const asking = [{ tools: ["click"], decision: "ask" }] as const
    assert.deepStrictEqual([decided(asking, upload), decided(asking, toField)], ["ask", "approve"])
    const approving = [{ tools: ["upload"], decision: "approve" }, { decision: "refuse" }] as const
    assert.deepStrictEqual([decided(approving, upload), decided(approving, toField)], ["refuse", "approve"])
  })

  it("with a text match actions that may affect any element, and typed text", () => {
    const rules = [{ text: ["pay"], decision: "ask" }] as const
    const press = { ...click, tool: "press", params: { keys: "Enter" }, element: undefined }
    assert.strictEqual(decided(rules, press), "ask")
    const type = { ...click, tool: "type", element: { ...click.element, role: "textbox", name: "Note" } }
    assert.strictEqual(decided(rules, { ...type, params: { index: 3, text: "Hello" } }), "approve")
    assert.strictEqual(decided(rules, { ...type, params: { index: 3, text: "Please pay" } }), "ask")
    assert.strictEqual(decided(rules, { ...type, params: { index: 3, text: "Hello", submit: true } }), "ask")
    assert.strictEqual(decided(rules, { ...click, element: { ...click.element, name: "" } }), "ask")
  })

  it("with a text approve only actions that show it", () => {
    const rules = [{ text: ["search", "note"], decision: "approve" }, { decision: "refuse" }] as const
    const search = { ...click, element: { ...click.element, name: "Search" } }
    assert.strictEqual(decided(rules, search), "approve")
    assert.strictEqual(decided(rules, { ...click, element: { ...click.element, name: "" } }), "refuse")
    assert.strictEqual(
      decided(rules, { ...click, tool: "press", params: { keys: "Enter" }, element: undefined }),
      "refuse"
    )
    const type = { ...click, tool: "type", element: { ...click.element, role: "textbox", name: "Note" } }
    assert.strictEqual(decided(rules, { ...type, params: { index: 3, text: "Hello" } }), "approve")
    assert.strictEqual(decided(rules, { ...type, params: { index: 3, text: "Hello", submit: true } }), "refuse")
  })

  it("ask without showing a typed password", () => {
    const type = { ...click, tool: "type", element: { ...click.element, role: "password", name: "Password" } }
    assert.deepStrictEqual(
      Effect.runSync(Approvals.decide([{ decision: "ask" }], { ...type, params: { index: 3, text: "hunter2" } })),
      { ask: `May the agent do this at ${address}: type password "Password"?` }
    )
    const shown = [{ ...type.element, number: 3 }]
    const call = { id: "1", name: "type", params: { index: 3, text: "hunter2" } }
    assert.strictEqual(
      summaryOf([call], "", shown, (text) => text),
      'type password "Password"'
    )
  })

  it("match texts whatever invisible characters a page puts into them", () => {
    const named = (name: string) => ({ ...click, element: { ...click.element, name } })
    for (const name of ["P\u200day", "\u2066Pay\u2069", "Ｐａｙ"]) {
      assert.strictEqual(decided([{ text: ["pay"], decision: "ask" }], named(name)), "ask", name)
    }
  })

  it("and steps show no part of a secret where a name or an address is cut", () => {
    const { redact } = Secrets.make([{ name: "pin", value: Redacted.make("hunter2"), domains: [] }])
    const name = `${"n".repeat(144)} hunter2 on`
    const url = `${address}?${"q".repeat(168)}hunter2`
    const element = { role: "button", name, url }
    const call = { id: "1", name: "click", params: { index: 3 } }
    const { ask } = Effect.runSync(Approvals.decide([{ decision: "ask" }], { ...click, element })) as { ask: string }
    const shown = [{ ...element, number: 3 }]
    for (const text of [ask, summaryOf([call], "", shown, redact), JSON.stringify(detailsOf([call], shown, redact))]) {
      assert.notInclude(redact(text), "hunt")
      assert.include(redact(text), "<secret:pin>")
    }
  })

  it("match a frame's host, and approve only if the page's host matches as well", () => {
    const framed = { ...click, element: { ...click.element, url: "https://bank.example/" } }
    assert.strictEqual(decided([{ domains: ["bank.example"], decision: "ask" }], framed), "ask")
    assert.strictEqual(decided([{ domains: ["shop.example"], decision: "ask" }], framed), "ask")
    const approving = { domains: ["shop.example"], decision: "approve" } as const
    assert.strictEqual(decided([approving, { decision: "refuse" }], framed), "refuse")
    assert.strictEqual(decided([approving, { decision: "refuse" }]), "approve")
    const press = { ...click, tool: "press", element: undefined, frames: ["https://bank.example/"] }
    assert.strictEqual(decided([{ domains: ["bank.example"], decision: "refuse" }], press), "refuse")
    assert.strictEqual(decided([approving, { decision: "refuse" }], press), "refuse")
  })

  it("match both ends of a drag", () => {
    const element = { role: "listitem", name: "Card", url: address }
    const onto = { role: "button", name: "Delete account", url: "https://bank.example/" }
    const drag = { tool: "drag", params: { from: 3, to: 5 }, address, element, onto }
    const ask = "May the agent do this at"
    for (const rule of [{ text: ["delete"] }, { text: ["card"] }, { domains: ["bank.example"] }]) {
      assert.strictEqual(decided([{ ...rule, decision: "refuse" }], drag), "refuse")
      assert.strictEqual(decided([{ ...rule, decision: "approve" }, { decision: "refuse" }], drag), "refuse")
    }
    assert.strictEqual(
      decided([{ text: ["card", "delete"], decision: "approve" }, { decision: "refuse" }], drag),
      "approve"
    )
    // it may end on another element
    const byPixels = { ...drag, onto: element, params: { ...drag.params, dx: 100 } }
    assert.strictEqual(decided([{ text: ["delete"], decision: "refuse" }], byPixels), "refuse")
    assert.deepStrictEqual(Effect.runSync(Approvals.decide([{ decision: "ask" }], drag)), {
      ask: `${ask} ${address} and ${onto.url}: drag listitem "Card" onto button "Delete account" from 3 to 5?`
    })
    const frames = ["https://ads.example/"]
    assert.deepStrictEqual(Effect.runSync(Approvals.decide([{ decision: "ask" }], { ...byPixels, frames })), {
      ask: `${ask} ${address} or ${frames[0]}: drag listitem "Card" onto listitem "Card" from 3 to 5 dx 100?`
    })
  })

  it("ask about a dialog with its text", () => {
    const dialog = { tool: "dialog", params: { accept: true }, address, dialog: "Delete all?" }
    assert.deepStrictEqual(Effect.runSync(Approvals.decide([{ decision: "ask" }], dialog)), {
      ask: `May the agent do this at ${address}: dialog accept true "Delete all?"?`
    })
    const long = Effect.runSync(
      Approvals.decide([{ decision: "ask" }], {
        ...dialog,
        dialog: "\u0001".repeat(400),
        params: { text: "x".repeat(600) }
      })
    )
    assert.include(JSON.stringify(long), String.raw`dialog text \"xxx`)
    assert.include(JSON.stringify(long), String.raw` \"\\u0001`)
  })
})

layer(
  Running.layer({
    approvals: [
      { tools: ["click"], domains: ["127.0.0.1"], text: ["press same"], decision: "ask" },
      { tools: ["type"], decision: "refuse" }
    ]
  }),
  { excludeTestServices: true }
)("a run with rules", (it) => {
  it.effect("waits for a person, and skips refused actions", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { engine, site } = running
      let heard = ""
      script(
        running,
        call("navigate", { url: `${site.origin}/inner` }),
        (now) => call("type", { index: numberOf(now, "Inside"), text: "x" }),
        (now) => call("click", { index: numberOf(now, "Press same") }),
        (now) => {
          heard = told(now)
          return done()
        }
      )
      const { turn } = yield* Effect.orDie(
        engine.createSession({ task: "Press it", modelParams: null, thinkingLevel: null })
      )
      const question = yield* Effect.repeat(
        Effect.delay(Effect.map(Effect.orDie(engine.turn(turn.id)), Turn.waitingFor), "5 millis"),
        { until: (waitingFor) => waitingFor !== null }
      )
      assert.deepInclude(question, {
        reason: "approval",
        askedBy: "rule",
        question: `May the agent do this at ${site.origin}/inner: click button "Press same"?`
      })
      assert.strictEqual(Number(question?.until_ms) - Number(question?.askedAt_ms), 600_000)
      yield* engine.answer(turn.id, { questionId: question?.id ?? "", answer: "Approve", by: "ann" })
      assert.propertyVal(yield* ended(running, turn.id), "status", "completed")
      assert.include(heard, "It was not approved: a rule of this server forbids it")
      assert.include(heard, "same pressed")
    })
  )
})

layer(Running.layer({ approvals: [{ domains: ["localhost"], decision: "refuse" }] }), { excludeTestServices: true })(
  "a rule about a frame's host",
  (it) => {
    it.effect("applies to numbers of earlier looks, to points and to keys", () =>
      Effect.gen(function* () {
        const running = yield* Running
        const { site } = running
        site.saw()
        const outcomes: Array<string> = []
        let number = 0
        const steps = [
          (now: Running["Service"]) => call("click", { index: (number = numberOf(now, "Pay cross")) }),
          () => call("clickAt", { x: 30, y: 20 }),
          () => call("press", { keys: "Tab Enter" }),
          () => call("press", { keys: "Tab" }),
          () => call("press", { keys: "Enter" }),
          () => call("scroll", { direction: "bottom" }),
          () => call("click", { index: number }),
          () => done()
        ]
        script(
          running,
          call("navigate", { url: `${site.origin}/frame-refused` }),
          ...steps.map((step) => (now: Running["Service"]) => {
            outcomes.push(told(now))
            return step(now)
          })
        )
        const { turn } = yield* carriedOut("Pay")
        assert.strictEqual(turn.status, "completed")
        assert.deepStrictEqual(site.saw(), [])
        for (const at of [1, 2, 3, 5, 7]) assert.include(outcomes[at], "It was not approved", String(at))
      })
    )
  }
)

layer(Running.layer({ approvals: [{ text: ["pay", "delete", "buy"], decision: "refuse" }] }), {
  excludeTestServices: true
})("a rule about texts", (it) => {
  it.effect("reads the elements themselves, not the text of the page", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { site } = running
      site.saw()
      const outcomes: Array<string> = []
      const click = (now: Parameters<typeof told>[0], pattern: RegExp) => {
        outcomes.push(told(now))
        return call("click", { index: Number(pattern.exec(shown(now))?.[1]) })
      }
      script(
        running,
        call("navigate", { url: `${site.origin}/forged-numbers` }),
        (now) => click(now, /\[(\d+) button "Pay now"/u),
        (now) => click(now, /\[(\d+) button "\[Admin\]/u),
        (now) => click(now, /\[(\d+) clickable\]/u),
        (now) => {
          outcomes.push(told(now))
          return done()
        }
      )
      const { turn } = yield* carriedOut("Buy it")
      assert.strictEqual(turn.status, "completed")
      assert.deepStrictEqual(site.saw(), [])
      assert.lengthOf(outcomes, 4)
      for (const outcome of outcomes.slice(1)) {
        assert.include(outcome, "It was not approved: a rule of this server forbids it")
      }
    })
  )
})

layer(
  Running.layer({
    approvals: [{ domains: ["127.0.0.1"], decision: "approve" }, { decision: "refuse" }]
  }),
  { excludeTestServices: true }
)("a rule about the page's host", (it) => {
  it.effect("applies to frames that have no address of their own", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { site } = running
      site.saw()
      script(
        running,
        call("navigate", { url: `${site.origin}/in-frame` }),
        (now) => call("type", { index: numberOf(now, "Card"), text: "42" }),
        done()
      )
      const { turn } = yield* carriedOut("Pay")
      assert.deepStrictEqual([turn.status, site.saw().at(-1)], ["completed", "card 42"])
    })
  )
})

let isApproved: Effect.Effect<void> = Effect.void

layer(Running.layer({ approve: () => Effect.as(isApproved, undefined) }), { excludeTestServices: true })(
  "an approved action",
  (it) => {
    /** Opens the page, and has it change while this call is approved. */
    const approved = Effect.fnUntraced(function* (
      variant: string,
      act: (running: Running["Service"]) => ReturnType<typeof call>,
      page = "approval-moves"
    ) {
      const running = yield* Running
      const { site } = running
      site.variant = variant
      const saw = Array.from(site.saw().slice(0, 0))
      isApproved = Effect.gen(function* () {
        change()
        while (!saw.includes("changed")) {
          yield* Effect.sleep("5 millis")
          saw.push(...site.saw())
        }
      })
      let result = ""
      script(running, call("navigate", { url: `${site.origin}/${page}` }), act, (now) => {
        result = told(now)
        return done()
      })
      const { turn } = yield* carriedOut("Confirm")
      assert.strictEqual(turn.status, "completed")
      saw.push(...site.saw())
      return { result, saw: saw.filter((what) => what !== "changed") }
    })

    const confirm = (now: Running["Service"]) => call("click", { index: numberOf(now, "Confirm") })

    it.effect("reaches its element even if the page moves or redraws it, or a clock ticks next to it", () =>
      Effect.gen(function* () {
        for (const variant of ["moved", "ticked", "redrawn"]) {
          const { result, saw } = yield* approved(variant, confirm)
          assert.deepStrictEqual([variant, saw], [variant, ["paid"]], result)
        }
      })
    )

    it.effect("isn't taken on another element", () =>
      Effect.gen(function* () {
        for (const variant of ["replaced", "reused", "renamed", "removed"]) {
          const { result, saw } = yield* approved(variant, confirm)
          assert.deepStrictEqual([variant, saw], [variant, []])
          assert.include(
            result,
            'It was approved for button "Confirm" in "Pay 99 USD to Ann Confirm". The page has changed meanwhile, so nothing was done.'
          )
        }
      })
    )

    it.effect("with keys or at a point isn't taken if something else is there", () =>
      Effect.gen(function* () {
        const keys = yield* approved("focused", () => call("press", { keys: "Enter" }))
        assert.include(keys.result, 'It was approved for button "Confirm"')
        const point = yield* approved("replaced", () => call("clickAt", { x: 175, y: 90 }))
        assert.include(point.result, "It was approved for ")
        assert.deepStrictEqual([...keys.saw, ...point.saw], [])
      })
    )
  }
)
