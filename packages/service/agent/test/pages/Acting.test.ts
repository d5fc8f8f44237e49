import { assert, layer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { call } from "../agent/running.ts"
import { open, shown, Tested } from "../support/browser.ts"
import { numberOf, on, use, visit, Visiting } from "../support/visiting.ts"

const drag =
  (from: string, to: string, more = {}) =>
  (look: string) =>
    call("drag", { from: numberOf(look, from), to: numberOf(look, to), ...more })

layer(Visiting.layer, { excludeTestServices: true })("The agent", (it) => {
  it.effect("doesn't press Enter for a carriage return in a text", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit(
        "return-key",
        on("type", "Note", { text: "a\r" }),
        on("type", "Note", { text: "b\r\n" })
      )
      assert.notInclude(saw, "submitted")
      assert.deepStrictEqual([saw[0], saw.at(-1)], ["a", "b"])
    })
  )

  it.effect("types a tab without leaving the field", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("tab-in-text", on("type", "Note", { text: "x\t " }))
      assert.deepStrictEqual([results, saw], [["Typed."], ["x\t "]])
    })
  )

  it.effect("types into the editor that a label focuses, even if it's in a frame without an address", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("frame-editor", on("type", "Message", { text: "Hi" }))
      assert.match(String(results[0]), /^Typed into /u)
      assert.strictEqual(saw.at(-1), "Hi")
    })
  )

  it.effect("presses no Enter if the focus moved to another frame", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("frame-takes-focus", on("type", "Name", { text: "a", submit: true }))
      assert.deepStrictEqual(
        [results, saw],
        [["The text was typed, but the focus moved to another frame, so Enter wasn't pressed."], ["a"]]
      )
    })
  )

  it.effect(
    "types on if the page around a field borrows the focus, and gives it back to the last digit of a code",
    () =>
      Effect.gen(function* () {
        const type = (name: string, text: string) => on("type", name, { text })
        const { looks, results } = yield* visit("takes-focus-back", type("Name", "a b c"), type("First", "12"))
        assert.strictEqual(results[0], "Typed.")
        assert.match(
          looks.at(-1) ?? "",
          /"Name" = "a b c"\] \S+ textbox "First" = "1"\] \S+ textbox "Next" = "2" focused\]/u
        )
      })
  )

  it.effect("shows nothing of a password that the page changes or protects", () =>
    Effect.gen(function* () {
      const append = (name: string) => on("type", name, { text: "x", append: true })
      const { results } = yield* visit(
        "password-changes",
        append("Blocked"),
        append("Upper"),
        append("Switches"),
        on("highlight", "Blocked", { text: "hunter2" })
      )
      const changed = "Typed; the field now has another value."
      assert.deepStrictEqual(results, [
        "Typed, but the field's value is unchanged.",
        changed,
        changed,
        "This text is not there."
      ])
    })
  )

  it.effect("selects the text of a button without pressing it", () =>
    Effect.gen(function* () {
      const texts = ["Delete account", "Close my account", "Remove all", "Read the terms"]
      const { results, saw } = yield* visit("highlight-control", ...texts.map((text) => use("highlight", { text })))
      assert.deepStrictEqual([results, saw], [texts.map(() => "Selected."), ["selected Read the terms"]])
    })
  )

  it.effect("fails if a text can't be selected, and doesn't call a text verified whose field is gone", () =>
    Effect.gen(function* () {
      const fixed = yield* visit("unselectable", use("highlight", { text: "Fixed words" }))
      assert.deepStrictEqual(fixed.results, ["This text is there, but it can't be selected."])
      const { results, saw, verified } = yield* visit("leaves-when-full", on("type", "Code", { text: "1234" }))
      assert.deepStrictEqual(results, ["Typed. The field is gone now, so its text could not be checked."])
      assert.deepStrictEqual([saw, verified], [["code 1234"], [null]])
    })
  )

  it.effect("selects a text in capitals, and one with hidden words in its middle", () =>
    Effect.gen(function* () {
      const texts = ["Loud words", "Parted words"]
      const { results } = yield* visit("unselectable", ...texts.map((text) => use("highlight", { text })))
      assert.deepStrictEqual(results, ["Selected.", "Selected."])
    })
  )

  it.effect("types on if the frame of the field ends to load, or changes its address with each key", () =>
    Effect.gen(function* () {
      for (const name of ["Filter", "Query"]) {
        const { results } = yield* visit("frame-changes-address", on("type", name, { text: "a text of many keys" }))
        assert.deepStrictEqual(results, ["Typed."], name)
      }
      const text = "a text of many keys"
      const { results, saw } = yield* visit("frame-stops-loading", on("type", "Search", { text }))
      assert.deepStrictEqual([results, saw.at(-1)], [["Typed."], text])
    })
  )

  it.effect("selects a text in a component's button without pressing it", () =>
    Effect.gen(function* () {
      const texts = ["Delete order", "Cancel order"]
      const { results, saw } = yield* visit("highlight-slotted", ...texts.map((text) => use("highlight", { text })))
      assert.deepStrictEqual([results, saw], [["Selected.", "Selected."], []])
    })
  )

  it.effect("selects with the mouse where the whole page listens to clicks, and where the text touches others", () =>
    Effect.gen(function* () {
      const body = yield* visit("highlight-body", use("highlight", { text: "Read the terms" }))
      assert.deepStrictEqual([body.results, body.saw], [["Selected."], ["selected Read the terms"]])
      const touching = yield* visit("highlight-touching", use("highlight", { text: "Read terms" }))
      assert.deepStrictEqual([touching.results, touching.saw], [["Selected."], ["selected Read terms"]])
    })
  )

  it.effect("says that a drag would begin outside of its element", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("drag-outside", drag("Pay same", "Pay same", { fromDx: 190, dx: 200 }))
      assert.match(
        String(results[0]),
        /^The drag would begin outside of element \d+, on something else, so nothing was/u
      )
      assert.deepStrictEqual(saw, [])
    })
  )

  it.effect("presses no key after one that opens a dialog, and clicks no second time", () =>
    Effect.gen(function* () {
      const keys = yield* visit("dialog-at-key", use("press", { keys: "d Enter" }), use("dialog", { accept: true }))
      assert.deepStrictEqual([keys.results[0], keys.saw], ["Done; the page asks something now.", ["deleted"]])
      const clicks = yield* visit(
        "confirm-delete",
        on("click", "Delete", { count: 2 }),
        use("dialog", { accept: true }),
        use("wait", { seconds: 0.5 })
      )
      assert.deepStrictEqual(clicks.saw, ["deleted"])
      assert.notInclude(clicks.looks.at(-1), "The page asks")
    })
  )

  it.effect("presses no element that covers a frame when the mouse comes to drag or select", () =>
    Effect.gen(function* () {
      const dragged = yield* visit("frame-covered-on-hover", drag("Pay same", "Pay same", { dx: 50 }))
      assert.match(String(dragged.results[0]), /^Something covers element \d+, so nothing was dragged/u)
      const selected = yield* visit("highlight-covered-on-hover", on("highlight", "Note", { text: "words" }))
      assert.deepStrictEqual([selected.results, dragged.saw, selected.saw], [["Selected."], [], []])
    })
  )

  it.effect("hovers over a text in a frame, and selects it", () =>
    Effect.gen(function* () {
      const text = "Inside words"
      const { results, saw } = yield* visit("text-in-frame", use("hover", { text }), use("highlight", { text }))
      assert.deepStrictEqual(
        [results, saw],
        [
          ["The mouse is over it.", "Selected."],
          ["over", "selected Inside words"]
        ]
      )
    })
  )

  it.effect("turns the mouse wheel over a map", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit(
        "map",
        on("scroll", "Map", { direction: "up", wheel: true }),
        on("scroll", "Map", { direction: "down", wheel: true })
      )
      assert.strictEqual(results[0], "The mouse wheel was turned over it.")
      assert.deepStrictEqual(saw, ["zoom 2 at 150", "zoom 1 at 150"])
    })
  )

  it.effect("opens a menu by hovering over a text without a number", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit("hover-menu", use("hover", { text: "Products" }), on("click", "Mugs"))
      assert.deepStrictEqual(saw, ["mugs"])
    })
  )

  it.effect("reports if a text moves away from the mouse, and if the page leaves when a box is checked", () =>
    Effect.gen(function* () {
      const hovered = yield* visit("text-moves-on-hover", use("hover", { text: "Products" }))
      assert.match(String(hovered.results[0]), /now something else is there/u)
      const covered = yield* visit("text-covered", use("hover", { text: "Products" }))
      assert.match(String(covered.results[0]), /now something else is there/u)
      const checked = yield* visit("leaves-when-pressed", on("check", "Agree", { checked: true }))
      assert.notInclude(checked.results[0], "It is checked now")
    })
  )

  it.effect("reports whether a text stayed under the mouse, whatever is around it", () =>
    Effect.gen(function* () {
      const moved = yield* visit("text-moves-in-body", use("hover", { text: "Products" }))
      assert.match(String(moved.results[0]), /now something else is there/u)
      const stayed = yield* visit("text-without-events", use("hover", { text: "Products" }))
      assert.deepStrictEqual(stayed.results, ["The mouse is over it."])
    })
  )

  it.effect("presses function keys", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit("keys", on("click", "Cell"), use("press", { keys: "F2 Shift+F10 Insert" }))
      assert.deepStrictEqual(saw, ["F2 F2 113", "F10 F10 121 shift", "Insert Insert 45"])
    })
  )

  it.effect("waits for a text, and fails if it doesn't appear", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit(
        "late-text",
        on("click", "Order"),
        use("wait", { seconds: 20, text: "is confirmed" }),
        use("wait", { seconds: 0.3, text: "never there" })
      )
      assert.deepStrictEqual(results.slice(1), ["The text is there.", "The text did not appear within 0.3 s."])
      assert.deepStrictEqual(saw, ["shown"])
    })
  )

  it.effect("reports a page that asks whether to leave it", () =>
    Effect.gen(function* () {
      const { looks, saw } = yield* visit("leaving", on("type", "Draft", { text: "x" }), on("click", "Leave"))
      const note =
        "Note: The page asked whether to leave it, because of changes that are not saved. Leaving was confirmed."
      assert.include(looks[2], note)
      assert.deepStrictEqual(saw, ["opened"])
      const stays = yield* visit("leaves-for-file", on("type", "Draft", { text: "x" }), on("click", "Prices"))
      assert.include(stays.looks[2], note)
      assert.include(stays.looks[2], 'textbox "Draft" = "x"')
    })
  )

  it.effect("drags cards and knobs, and reports if nothing accepts them", () =>
    Effect.gen(function* () {
      const card = yield* visit("dragged", drag("Card", "Done"))
      assert.deepStrictEqual([card.results, card.saw, card.verified], [["Dragged."], ["dropped card"], [true]])
      const knob = yield* visit("knob", drag("Price", "Price", { dx: 140 }), on("hover", "Price", { dx: 5 }))
      assert.deepStrictEqual([knob.results[0], knob.saw, knob.verified], ["Dragged.", ["price 50"], [null, null]])
      const twins = yield* visit("drag-twins", drag("New task .First", "New task .Second"))
      assert.deepStrictEqual([twins.results, twins.saw], [["Dragged."], ["merged first"]])
      const refused = yield* visit("not-dropped", drag("Card", "Archive"))
      assert.match(String(refused.results[0]), /^Nothing there took element \d+\./u)
    })
  )

  it.effect("reports where it dropped a card if that wasn't the shown place", () =>
    Effect.gen(function* () {
      const covered = yield* visit("drop-covered", drag("Card", "Done"))
      assert.deepStrictEqual(covered.saw, ["thrown away"])
      assert.match(
        String(covered.results[0]),
        /^Element \d+ was dropped on button "Trash", which is where element \d+ was/u
      )
      const sorted = yield* visit("drag-sorts", drag("First", "Third"))
      assert.deepStrictEqual([sorted.saw, sorted.verified], [["Second Third First"], [null]])
      assert.match(String(sorted.results[0]), /^Dragged\. Element \d+ has moved away/u)
    })
  )

  it.effect("drags nothing if another card takes its place, or if the target isn't visible at the same time", () =>
    Effect.gen(function* () {
      const swapped = yield* visit("drag-swaps", drag("One", "Done"))
      assert.deepStrictEqual(swapped.saw, [])
      assert.match(String(swapped.results[0]), /^The press did not reach element \d+, so nothing was dragged/u)
      const far = yield* visit("drag-far", drag("Card", "Done"))
      assert.deepStrictEqual(far.saw, [])
      assert.match(String(far.results[0]), /too far apart/u)
    })
  )

  it.effect("answers a question of the page", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit("confirm-delete", on("click", "Delete"), use("dialog", { accept: true }))
      assert.deepStrictEqual(saw, ["deleted"])
    })
  )

  it.effect("follows a link into a new tab, and closes it", () =>
    Effect.gen(function* () {
      const { looks, saw } = yield* visit("new-tab", on("click", "Terms"), use("tab", { do: "close", number: 2 }))
      assert.include(looks[1], "# Next")
      assert.deepStrictEqual(saw, ["opened"])
    })
  )

  it.effect("fills in dates, masks, frames, shadow roots and passwords", () =>
    Effect.gen(function* () {
      const dates = yield* visit(
        "dates",
        on("type", "Day", { text: "2026-12-01" }),
        on("type", "Time", { text: "09:30" }),
        on("type", "Amount", { text: "1a2" }),
        on("click", "Book")
      )
      assert.include(dates.results[2], 'now reads "12"')
      assert.deepStrictEqual(dates.saw, ["2026-12-01 09:30 12"])
      const frame = yield* visit("in-frame", on("type", "Card", { text: "42" }))
      assert.strictEqual(frame.saw.at(-1), "card 42")
      const shadow = yield* visit("in-shadow", on("type", "Coupon", { text: "X", submit: true }))
      assert.deepStrictEqual(shadow.saw, ["coupon X"])
      const signedIn = yield* visit(
        "sign-in",
        on("type", "Email", { text: "a@b" }),
        on("click", "Next"),
        on("type", "Password", { text: "secret" }),
        on("click", "Sign in")
      )
      assert.deepStrictEqual(signedIn.saw, ["signed in with 6 letters"])
    })
  )

  it.effect("fails if the page removes the text that was typed, and presses no Enter then", () =>
    Effect.gen(function* () {
      const { results, saw, verified } = yield* visit(
        "emptied",
        on("type", "Code", { text: "abc" }),
        on("type", "Code", { text: "abc", submit: true }),
        on("type", "Code", { text: "abc", append: true }),
        on("type", "Day", { text: "2026-12-01" })
      )
      for (const result of results) assert.match(result, /^The field is empty: it didn't take the text/u)
      assert.deepStrictEqual(verified, [false, false, false, false])
      assert.deepStrictEqual(saw, ["removed abc", "removed abc", "removed abc", "removed 2026-12-01"])
    })
  )

  it.effect("fails if an editor blocks what is typed", () =>
    Effect.gen(function* () {
      const { results, saw, verified } = yield* visit(
        "blocks-typing",
        on("type", "Note", { text: "new" }),
        on("type", "Note", { text: "new", append: true }),
        on("type", "Title", { text: "new" })
      )
      assert.deepStrictEqual(results, [
        `The field didn't take the text: it still reads "old".`,
        `The field didn't take the text: it still reads "old".`,
        "Typed."
      ])
      assert.deepStrictEqual([saw, verified], [["title new"], [false, false, true]])
    })
  )

  it.effect("reports a value that the page formats or changes back, without calling it verified", () =>
    Effect.gen(function* () {
      const { results, saw, verified } = yield* visit(
        "formats",
        on("type", "Phone", { text: "5551234567" }),
        on("type", "Phone", { text: "5551234567" }),
        on("select", "Size", { values: ["L"] }),
        on("select", "Color", { values: ["Red"] }),
        on("type", "Name", { text: "Ann", submit: true }),
        use("scroll", { direction: "down" })
      )
      const typed = 'Typed; the field now reads "(555) 123-4567".'
      assert.deepStrictEqual(results, [
        typed,
        typed,
        'Selected "L"; the page then changed it to "S".',
        'Selected "Red".',
        "Typed.",
        "It does not scroll further down."
      ])
      assert.deepStrictEqual(verified, [null, null, null, true, null, null])
      assert.deepStrictEqual(saw.slice(-1), ["(555) 123-4567 S Red Ann"])
    })
  )

  it.effect("reports a choice that the page reverts later, and refuses two options for one", () =>
    Effect.gen(function* () {
      const { results, verified } = yield* visit(
        "select-reverts",
        on("select", "Size", { values: ["L"] }),
        on("select", "Size", { values: ["S", "L"] }),
        on("select", "Size", { values: [] })
      )
      const refused = "This select takes one option."
      assert.deepStrictEqual(results, ['Selected "L"; the page then changed it to "S".', refused, refused])
      assert.deepStrictEqual(verified, [null, false, false])
    })
  )

  it.effect("writes code into an editor", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit("editor", on("type", "Source", { text: "if b:\n    c()" }))
      assert.strictEqual(saw.at(-1), "if b:\n    c()")
    })
  )

  it.effect("returns to the tab from which a download opened another one", () =>
    Effect.gen(function* () {
      const { looks } = yield* visit(
        "download-in-tab",
        on("click", "Next"),
        use("tab", { do: "front", number: 1 }),
        on("click", "Prices"),
        use("wait", { seconds: 0.5 }),
        use("tab", { do: "close", number: 2 })
      )
      assert.match(String(looks[4]), /^URL: \S+\/download-in-tab$/mu)
    })
  )

  it.effect("gives files to a page that asks for them at a click, and only then", () =>
    Effect.gen(function* () {
      yield* visit("prices.csv")
      const names = ["prices.csv"]
      const { results, saw, verified } = yield* visit(
        "asks-for-files",
        on("upload", "Attach", { names }),
        on("upload", "Other", { names }),
        on("upload", "Replace", { names })
      )
      assert.match(String(results[1]), /^Element \d+ was clicked, and it asked for no files\. Look/u)
      assert.match(
        String(results[2]),
        /^The page asks something now: answer it, then check whether the files were chosen/u
      )
      assert.deepStrictEqual([results[0], saw], ["Chose prices.csv.", ["took prices.csv", "nothing"]])
      assert.deepStrictEqual(verified, [null, false, null])
      const picker = yield* visit("opens-picker", on("upload", "Open", { names }))
      assert.match(String(picker.results[0]), /^Element \d+ was clicked\. It asks for files in a way that takes none/u)
    })
  )

  it.effect("uploads a file that it downloaded", () =>
    Effect.gen(function* () {
      yield* visit("prices.csv")
      const { saw } = yield* visit("attach", on("upload", "Receipt", { names: ["prices.csv"] }))
      assert.deepStrictEqual(saw, ["prices.csv 18"])
      const emptied = yield* visit("emptied", on("upload", "Receipt", { names: ["prices.csv"] }))
      assert.deepStrictEqual(
        [emptied.results, emptied.saw, emptied.verified],
        [["Chose prices.csv."], ["took prices.csv"], [null]]
      )
    })
  )

  it.effect("fails if the page changes a box back after it was checked", () =>
    Effect.gen(function* () {
      const { results, verified } = yield* visit("check-reverts", on("check", "Wifi", { checked: true }))
      assert.deepStrictEqual(results, ["It was checked, and then the page changed it back."])
      assert.deepStrictEqual(verified, [false])
    })
  )

  it.effect("doesn't say that the page left if it clicked what can't be checked", () =>
    Effect.gen(function* () {
      const { results, verified } = yield* visit("pay", on("check", "Pay now", { checked: true }))
      assert.match(String(results[0]), /^Element \d+ was clicked, but it can't be checked\. Look at the page\.$/u)
      assert.deepStrictEqual(verified, [false])
    })
  )

  it.effect("sets a custom switch, and presses a button next to a running clock", () =>
    Effect.gen(function* () {
      const alerts = yield* visit("toggle", on("check", "Alerts", { checked: true }))
      assert.deepStrictEqual([alerts.results, alerts.saw], [["It is checked now."], ["true"]])
      const stock = yield* visit("stock", on("click", "Reload"))
      assert.deepStrictEqual([stock.results, stock.saw], [["Clicked."], ["nothing"]])
    })
  )
})

layer(Tested.layer(), { excludeTestServices: true })("A page that doesn't load", (it) => {
  it.effect("isn't a dead tab: the result says that it still loads, and the model opens another one", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* open("plain")
      const clock = yield* Clock.Clock
      const hurried: Clock.Clock = Object.create(clock, { sleep: { value: () => clock.sleep(Duration.millis(200)) } })
      const { message } = yield* Effect.flip(
        Effect.provideService(page.navigate(`${site.origin}/never`), Clock.Clock, hurried)
      )
      assert.include(message, "has not responded for 20 seconds. The page still loads")
      assert.match(yield* shown, /^Note: \S+\/never is still loading: wait for it\.$/mu)
      assert.include(yield* open("second"), "# Second")
    })
  )
})
