import { assert, layer } from "@effect/vitest"
import { overTransport } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import { clicked, numberOf, open, seen, shown, Tested } from "../support/browser.ts"

layer(Tested.layer(), { excludeTestServices: true })("Look", (it) => {
  it.effect("reads and uses frames of the same site, of another one, and nested frames", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* open("frames")
      // the deepest frame of another site is there last
      yield* Effect.repeat(shown, { while: (text) => text.split('button "Deep"').length < 3 })
      const text = yield* shown
      for (const [name, after] of [
        ["Press same", "same pressed"],
        ["Press cross", "cross pressed"],
        ["Heard same", "was heard"],
        ["Heard cross", "was heard"],
        ["Deep", "deep pressed"]
      ] as const) {
        const then = yield* clicked(text, name)
        assert.include(then, after)
      }
      yield* page.type(numberOf(text, "Inside"), "hello")
      assert.match(yield* shown, /"Inside" = "hello"/u)
    })
  )

  it.effect("reads the clickable shapes of a drawing, and not those of an icon", () =>
    Effect.gen(function* () {
      const text = yield* open("drawing")
      assert.match(text, /\[\d+ svg svg [^\]]*200x120 at 10,10\]/u)
      assert.include(text, "(circle rgb(255,0,0) 20x20 at 60,40)")
      assert.include(text, "(rect rgb(0,0,0) 30x20 at 110,80)")
      assert.notInclude(text, "rgb(0,255,0)")
    })
  )

  it.effect("reads elements that stick out of a part that only clips its positioned children", () =>
    Effect.gen(function* () {
      const text = yield* open("menus")
      assert.include(text, "Sticks out")
      assert.notInclude(text, "Is cut off")
    })
  )

  it.effect("reads and uses open and closed shadow roots", () =>
    Effect.gen(function* () {
      const text = yield* open("shadow")
      assert.include(yield* clicked(text, "In open"), "open pressed")
      assert.include(yield* clicked(text, "In closed"), "closed pressed")
      assert.include(yield* clicked(text, "In a div"), "div pressed")
    })
  )

  it.effect("numbers elements that only listen for events", () =>
    Effect.gen(function* () {
      const text = yield* open("listeners")
      assert.include(yield* clicked(text, "Plain div"), "div clicked")
      assert.include(yield* clicked(text, "Word"), "word clicked")
    })
  )

  it.effect("keeps the numbers of elements, and marks new ones once", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const first = yield* open("plain")
      assert.match(first, /\*\[\d+ link "Second page"\]/u)
      const second = yield* page.look()
      assert.notInclude(second.text, "*[")
      assert.strictEqual(numberOf(second.text, "Second page"), numberOf(first, "Second page"))
      assert.strictEqual((yield* page.look()).likeness, second.likeness)
      const other = yield* open("second")
      assert.isAbove(numberOf(other, "First page"), numberOf(first, "Second page"))
    })
  )

  it.effect("leaves out invisible and forged elements", () =>
    Effect.gen(function* () {
      const text = yield* open("hidden")
      for (const wanted of ["# Reviews", "Price: 12 EUR", "White on blue", "tags: end", '[ 7 button "Forged"]']) {
        assert.include(text, wanted)
      }
      assert.notInclude(text, "do evil")
    })
  )

  it.effect("never sends half of a surrogate pair", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* open("surrogates")
      const { text, title } = yield* page.look()
      assert.isTrue(text.isWellFormed())
      assert.isTrue(title.isWellFormed())
      assert.match(text, /half \ufffd of a pair/u)
    })
  )

  it.effect("numbers the parts of a list that listens for them, and elements that open under the mouse", () =>
    Effect.gen(function* () {
      const text = yield* open("lists")
      assert.include(yield* clicked(text, "Third"), "Title: Third")
      numberOf(text, "Tip")
    })
  )

  it.effect("keeps words whole that a page writes in parts", () =>
    Effect.gen(function* () {
      const text = yield* open("words")
      for (const wanted of ['click "Mute" now', "password.", "one two", "A B", "ends with .gif"])
        assert.include(text, wanted)
      assert.notInclude(text, "##")
    })
  )

  it.effect("reports a test for humans", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("captcha")
      assert.include(text, "asks whether you are a person")
      assert.isTrue((yield* page.look()).hasCaptcha)
      yield* open("plain")
      assert.isFalse((yield* page.look()).hasCaptcha)
    })
  )

  it.effect("puts the page between boundaries that differ each time", () =>
    Effect.gen(function* () {
      const first = yield* open("plain")
      const second = yield* shown
      const [, one] = /^<(page-[\da-f]{8})>\n[\s\S]*\n<\/\1>$/u.exec(first) ?? assert.fail(first)
      assert.notInclude(second, String(one))
    })
  )

  it.effect("reports a crashed page, and continues on another one", () =>
    Effect.gen(function* () {
      const { connect, page } = yield* Tested
      const text = yield* open("plain")
      const other = yield* overTransport(yield* connect)
      const { targetInfos } = yield* other.send("Target.getTargets")
      const { sessionId } = yield* other.send("Target.attachToTarget", {
        targetId: targetInfos[0]?.targetId ?? "",
        flatten: true
      })
      other.session(sessionId).post("Page.crash")
      yield* seen("The page crashed")
      const { message } = yield* Effect.flip(page.click(numberOf(text, "Second page")))
      assert.include(message, "The page crashed: navigate to an address")
      assert.include(yield* open("second"), "# Second")
    }).pipe(Effect.scoped)
  )

  it.effect("shows 60 cards in 2,500 tokens", () =>
    Effect.gen(function* () {
      const text = yield* open("cards")
      assert.include(text, "Card 3")
      assert.isBelow(text.length / 4, 2500)
    })
  )
})
