import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "../../src/index.ts"
import { numberOf, open, seen, shown, Tested } from "../support/browser.ts"

/** Returns the reason for a refused action. */
const refused = (action: Page.Action) => Effect.map(Effect.flip(action), ({ message }) => message)

layer(Tested.layer(), { excludeTestServices: true })("An element's number", (it) => {
  it.effect("isn't used for the next row of a list after an earlier row is gone, until it's named again", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const number = numberOf(yield* open("rows"), "Cancel 2")
      yield* page.press("d")
      const message = yield* refused(page.click(number))
      assert.include(message, `Element ${number} is button "Cancel 3" now.`)
      assert.include(message, 'it was button "Cancel 2".')
      const after = yield* shown
      assert.include(after, "Title: rows")
      assert.strictEqual(numberOf(after, "Cancel 3"), number)
      assert.strictEqual(yield* page.click(number), "Clicked.")
      assert.include(yield* shown, "Title: Cancel 3")
    })
  )

  it.effect("isn't used for a single row that was reused, and is refused again after a later change", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const number = numberOf(yield* open("rows"), "Approve 7")
      yield* page.press("n")
      assert.include(yield* refused(page.click(number)), 'is button "Approve 8" now')
      yield* shown
      // the model looked twice and does something else first
      yield* shown
      yield* page.press("r")
      assert.include(yield* refused(page.click(number)), 'is button "Reject 7" now')
      assert.include(yield* shown, "Title: rows")
    })
  )

  it.effect("works when the model names it again, even if the element changed once more", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const number = numberOf(yield* open("rows"), "Approve 7")
      yield* page.press("n")
      yield* refused(page.click(number))
      yield* shown
      yield* page.press("r")
      assert.strictEqual(yield* page.click(number), "Clicked.")
      assert.include(yield* shown, "Title: Reject 7")
    })
  )

  it.effect("works for a button whose name counts down", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const number = numberOf(yield* open("ticks"), "Buy")
      // the page shows a later time than the one that the model saw
      yield* page.wait(0.5)
      assert.strictEqual(yield* page.click(number), "Clicked.")
      assert.include(yield* shown, "Title: bought")
    })
  )

  it.effect("works for a field whose placeholder changes, as in search fields", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("hints")
      const field = numberOf(text, "Try shoes")
      assert.strictEqual(yield* page.click(numberOf(text, "Turn")), "Clicked.")
      assert.strictEqual(yield* page.type(field, "mug"), "Typed.")
      assert.include(yield* shown, "Title: mug")
    })
  )

  it.effect("reports a click that another document received", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const message = yield* refused(page.click(numberOf(yield* open("cover"), "Is covered late")))
      assert.match(message, /is covered by|did not reach element \d+: another document/u)
      assert.include(yield* shown, "Title: cover")
    })
  )

  it.effect("isn't reported as clicked if the page blocks the click", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const message = yield* refused(page.click(numberOf(yield* open("keeps-clicks"), "Never clicked")))
      assert.include(message, "or the page itself took it")
      assert.include(yield* shown, "Title: kept")
    })
  )

  it.effect("reports a release that another element received", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* page.click(numberOf(yield* open("opens_over"), "Open"))
      assert.include(text, "Something opened over the element at the press")
      yield* seen("The list is open")
    })
  )
})

layer(Tested.layer(), { excludeTestServices: true })("Typing", (it) => {
  it.effect("is refused for a button, which isn't clicked", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const message = yield* refused(page.type(numberOf(yield* open("no-fields"), "Buy now"), "mug"))
      assert.include(message, 'is button "Buy now", not a field.')
      assert.include(yield* shown, "Title: no-fields")
    })
  )

  it.effect("is refused if no field has the focus after a click, or another field kept it", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("no-fields")
      const message = yield* refused(page.type(numberOf(text, "Press me"), "mug"))
      assert.match(message, /takes no text\. It was clicked, the focus is on .+, and nothing was typed\./u)
      assert.include(yield* refused(page.type(numberOf(text, "Fixed"), "mug")), "is read-only")
      yield* page.type(numberOf(text, "Search"), "cup")
      const kept = yield* refused(page.type(numberOf(text, "Bold"), "mug"))
      assert.include(kept, 'the focus stayed in textbox "Search"')
      assert.include(yield* shown, '"Search" = "cup"')
    })
  )

  it.effect("reaches the field of a widget, of a shadow root and of a frame", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* open("widgets")
      const text = yield* seen("Card")
      const shownAs = (words: string) => Number(text.split(` ${words}`)[0]?.split("[").at(-1))
      for (const [words, result, title] of [
        ["combobox]", "Typed.", "city x1"],
        ["textbox]", "Typed.", "amount x1"],
        ['clickable "Find a product', 'Typed into textbox "Finder", which took the focus.', "found x1"],
        ['clickable "Card number', 'Typed into textbox "Card", which took the focus.', "card x1"]
      ] as const) {
        assert.strictEqual(yield* page.type(shownAs(words), "x1"), result)
        yield* seen(`Title: ${title}`)
      }
      // what was typed is replaced
      assert.strictEqual(yield* page.type(shownAs("combobox]"), "y2"), "Typed.")
      yield* seen("Title: city y2")
    })
  )
})
