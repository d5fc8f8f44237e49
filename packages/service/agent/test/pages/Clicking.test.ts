import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call } from "../agent/running.ts"
import { numberOf, on, use, visit, Visiting } from "../support/visiting.ts"

layer(Visiting.layer, { excludeTestServices: true })("A click", (it) => {
  it.effect("isn't made on a row that has been reused for another order", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("recycled-row", (look) => [
        call("press", { keys: "d" }),
        call("click", { index: numberOf(look, "Cancel 2") })
      ])
      assert.include(results[1], 'is button "Cancel 3" now')
      assert.deepStrictEqual(saw, [])
    })
  )

  it.effect("fails if the page replaces the element at the press, and works the second time", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("swap-at-press", on("click", "Order"), on("click", "Order"))
      assert.match(String(results[0]), /^The page replaced element \d+ while it was pressed, so there was no click\./u)
      assert.deepStrictEqual([results[1], saw], ["Clicked.", ["ordered"]])
    })
  )

  it.effect("is reported as a press if the page acts on that and removes the element", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("option-at-press", on("click", "Color"), on("click", "Green"))
      assert.include(results[1], "Pressed. The element left the page at the press")
      assert.deepStrictEqual(saw, ["green"])
    })
  )

  it.effect("reaches an element that is redrawn or moves when the mouse comes", () =>
    Effect.gen(function* () {
      const redrawn = yield* visit("redrawn-on-hover", on("click", "Buy"))
      assert.deepStrictEqual([redrawn.results, redrawn.saw], [["Clicked."], ["bought"]])
      const moved = yield* visit("moves-on-hover", on("click", "Shy"))
      assert.deepStrictEqual([moved.results, moved.saw], [["Clicked."], ["hit"]])
    })
  )

  it.effect("types and checks without clicking an element that takes the field's place when the mouse comes", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit(
        "swaps-on-hover",
        on("type", "Coupon", { text: "X1" }),
        on("check", "Agree", { checked: true })
      )
      assert.deepStrictEqual(
        [results, saw.at(-2), saw.at(-1)],
        [["Typed.", "It is checked now."], "coupon X1", "agreed"]
      )
      assert.notInclude(saw, "closed the account")
      assert.notInclude(saw, "ordered")
    })
  )

  it.effect("isn't reported if the page leaves while the button is held", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("leaves-while-held", on("click", "Delete", { hold: 1 }))
      assert.match(String(results[0]), /^Pressed\. The page left at the press, before a click/u)
      assert.notInclude(saw, "clicked")
    })
  )

  it.effect("isn't made on an element that opens at the first click of two", () =>
    Effect.gen(function* () {
      const opened = yield* visit("opens-at-click", on("click", "Open row", { count: 2 }))
      assert.match(String(opened.results[0]), /was clicked once\. Then something else was in its place/u)
      assert.deepStrictEqual(opened.saw, ["opened"])
      const redrawn = yield* visit("redrawn-at-click", on("click", "Open row", { count: 2 }))
      assert.deepStrictEqual([redrawn.results, redrawn.saw], [["Clicked."], ["clicked", "clicked"]])
    })
  )

  it.effect("doesn't hit an element that covers its target when the mouse comes", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("covered-on-hover", on("click", "Pay"))
      assert.include(results[0], 'is covered by clickable "An offer covers it all"')
      assert.deepStrictEqual(saw, [])
    })
  )

  it.effect("doesn't hit an element of the page that covers a frame", () =>
    Effect.gen(function* () {
      const covered = yield* visit("frame-covered", on("click", "Pay same"), on("click", "Pay cross"))
      const selected = yield* visit("frame-covered", on("highlight", "Pay same", { text: "Pay same" }))
      assert.deepStrictEqual([selected.results, selected.saw], [["Selected."], []])
      const hovered = yield* visit("frame-covered-on-hover", on("click", "Pay same"))
      assert.deepStrictEqual([...covered.saw, ...hovered.saw], [])
      for (const result of [...covered.results, ...hovered.results]) {
        assert.include(result, 'is covered by button "Buy everything"')
      }
    })
  )

  it.effect("in a frame doesn't block later clicks on the page if it opens a dialog", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit(
        "frame-dialog",
        on("click", "Delete"),
        use("dialog", { accept: true }),
        use("clickAt", { x: 100, y: 230 }),
        use("press", { keys: "Enter" })
      )
      assert.deepStrictEqual(saw, ["deleted", "bought", "bought"])
    })
  )

  it.effect("scrolls the pages around a frame", () =>
    Effect.gen(function* () {
      const below = yield* visit("frame-below", on("click", "Pay same"), on("click", "Pay cross"))
      assert.deepStrictEqual(
        [below.results, below.saw],
        [
          ["Clicked.", "Clicked."],
          ["paid same", "paid cross"]
        ]
      )
      const nested = yield* visit("frame-nested", on("click", "Pay deep"))
      assert.deepStrictEqual([nested.results, nested.saw], [["Clicked."], ["paid deep"]])
    })
  )

  it.effect("reaches a component's button through the text that the page gives it", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit(
        "highlight-slotted",
        on("click", "Delete order"),
        on("click", "Cancel order")
      )
      assert.deepStrictEqual(
        [results, saw],
        [
          ["Clicked.", "Clicked."],
          ["open", "closed"]
        ]
      )
    })
  )

  it.effect("reaches the dialog in front, wherever it is in the document", () =>
    Effect.gen(function* () {
      const { looks, saw } = yield* visit(
        "dialog-order",
        on("click", "Settings"),
        on("click", "Clear"),
        on("click", "Yes"),
        use("press", { keys: "Escape Escape d" }),
        on("click", "Pay")
      )
      assert.include(looks[2], "Delete all files?")
      assert.notInclude(looks[4], "Size")
      assert.deepStrictEqual(saw, ["deleted", "paid"])
    })
  )

  it.effect("reaches the days of a calendar that listens as a whole", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit("calendar", on("click", '17"'), on("click", "Day 3"))
      assert.deepStrictEqual(saw, ["17", "Day 3"])
      const columns = yield* visit("calendar-columns", on("click", '17"'))
      assert.deepStrictEqual(columns.saw, ["17"])
    })
  )

  it.effect("gives no numbers to the ranks of a list, or to the results of a league", () =>
    Effect.gen(function* () {
      const {
        looks: [league = ""]
      } = yield* visit("league")
      assert.include(league, "Team 5 | 5 | 38 | 24")
      const { looks, saw } = yield* visit("ranks", on("click", "17 Song 17"))
      assert.notInclude(looks[0], '"17"')
      assert.deepStrictEqual(saw, ["17"])
    })
  )

  it.effect("reaches elements without a box of their own, and components that are defined late", () =>
    Effect.gen(function* () {
      const names = ["Blue", "Red", "Green", "Gray", "New White", "Black", "Pink"]
      const cards = names.map((name) => on("click", `${name} card`))
      const near = yield* visit("no-box", ...cards)
      assert.deepStrictEqual(
        near.results,
        cards.map(() => "Clicked.")
      )
      assert.deepStrictEqual(near.saw, ["blue", "red", "green", "gray", "new", "sold", "pink"])
      for (const [text, seen] of [
        ["Far card", "far"],
        ["Far words", "words"],
        ["Far shadow", "shadow"]
      ] as const) {
        const far = yield* visit("no-box", use("find", { text }), (look) => [
          call("scroll", { direction: "top" }),
          call("click", { index: numberOf(look, text) })
        ])
        assert.deepStrictEqual([far.results[2], far.saw], ["Clicked.", [seen]])
      }
      const late = yield* visit("late-closed-root", on("click", "Show"), on("click", "Cancel it"))
      assert.deepStrictEqual(late.saw, ["canceled"])
    })
  )

  it.effect("works once the wall in front of the page is gone", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit("cookie-wall", on("click", "Accept"), on("click", "Buy"))
      assert.deepStrictEqual(saw, ["accepted", "bought"])
    })
  )

  it.effect("fails if the page blocks its events or disables the button at the press", () =>
    Effect.gen(function* () {
      const eaten = yield* visit("eats-clicks", on("click", "Never"))
      assert.include(eaten.results[0], "The click did not reach element")
      const disabled = yield* visit("disabled-at-press", on("click", "Send"))
      assert.match(String(disabled.results[0]), /^The page disabled element \d+ while it was pressed/u)
      assert.deepStrictEqual([...eaten.saw, ...disabled.saw], [])
    })
  )

  it.effect("doesn't press the button in the middle of a card, but one that a tab only wraps", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("card-with-button", (look) =>
        call("click", { index: Number(/\[(\d+) clickable/u.exec(look)?.[1]) })
      )
      assert.deepStrictEqual([results, saw], [["Clicked."], ["opened"]])
      const ad = yield* visit("card-with-frame", (look) =>
        call("click", { index: Number(/\[(\d+) clickable/u.exec(look)?.[1]) })
      )
      assert.deepStrictEqual([ad.results, ad.saw], [["Clicked."], ["opened"]])
      const tab = yield* visit("wraps-a-button", on("click", "Submit"))
      assert.deepStrictEqual([tab.results, tab.saw], [["Clicked."], ["submitted"]])
    })
  )

  it.effect("reaches a link that is wrapped onto two lines", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit("wrapped-link", on("click", "before it is"))
      assert.deepStrictEqual(saw, ["followed"])
    })
  )

  it.effect("can be double, of the right button, held, or with keys", () =>
    Effect.gen(function* () {
      const file = yield* visit(
        "double-and-menu",
        on("click", "File", { count: 2 }),
        on("click", "File", { button: "right" })
      )
      assert.deepStrictEqual(file.saw, ["double", "menu"])
      const held = yield* visit("hold", on("click", "Delete", { hold: 0.8 }))
      assert.deepStrictEqual(held.saw, ["held", "short"])
      const rows = yield* visit(
        "select-rows",
        on("click", "Mail 1"),
        on("click", "Mail 3", { modifiers: ["Control", "Shift"] })
      )
      assert.deepStrictEqual(rows.saw, ["Mail 1", "ctrl shift Mail 3"])
    })
  )

  it.effect("opens items of a menu, of a tree and of a list of suggestions", () =>
    Effect.gen(function* () {
      const menu = yield* visit("menu-items", on("click", "Menu"), on("click", "Archive"), on("click", "Share this"))
      assert.deepStrictEqual(menu.saw, ["archive", "share"])
      const tree = yield* visit("tree", on("click", "Documents"), on("click", "Report"))
      assert.deepStrictEqual(tree.saw, ["expanded", "report"])
      const list = yield* visit("suggestions", on("type", "City", { text: "Ber" }), on("click", 'Bern"'))
      assert.deepStrictEqual(list.saw, ["Bern"])
    })
  )

  it.effect("reports the element at a point", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("board-canvas", use("clickAt", { x: 58, y: 48 }))
      assert.deepStrictEqual([results, saw], [['Clicked at this point, on canvas "Board".'], ["50,40"]])
      const covered = yield* visit("point-covered-on-hover", use("clickAt", { x: 100, y: 75 }))
      assert.deepStrictEqual(
        [covered.results, covered.saw],
        [['Clicked at this point, on button "Pay all".'], ["paid"]]
      )
    })
  )

  it.effect("isn't made because a page asks for it", () =>
    Effect.gen(function* () {
      const { looks, saw } = yield* visit("injection", on("click", "Continue"))
      assert.include(looks[0], '[ 9 button "Continue"]')
      assert.notInclude(looks[0], "hidden:")
      assert.deepStrictEqual(saw, ["continued"])
    })
  )
})
