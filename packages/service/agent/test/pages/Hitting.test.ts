import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setTimeout } from "node:timers/promises"
import { call, Running } from "../agent/running.ts"
import { change } from "../support/site.ts"
import { numberOf, on, use, visit, Visiting } from "../support/visiting.ts"

layer(Visiting.layer, { excludeTestServices: true })("No action reaches another element", (it) => {
  it.effect("in a row that has been reused or replaced while its button is called the same", () =>
    Effect.gen(function* () {
      for (const keys of ["1", "7"]) {
        const { results, saw } = yield* visit("row-reused", (look) => [
          call("press", { keys }),
          call("click", { index: numberOf(look, "Cancel") })
        ])
        assert.match(
          String(results[1]),
          /^Element \d+ is in another row now, which reads "Order \d \w+ Cancel"\. Nothing/u
        )
        assert.deepStrictEqual(saw, [])
      }
      const { results, saw } = yield* visit("row-replaced", (look) => [
        call("press", { keys: "x" }),
        call("click", { index: numberOf(look, "Approve") })
      ])
      assert.match(String(results[1]), /^Element \d+ \(button "Approve"\) is not on the page any more/u)
      assert.deepStrictEqual(saw, [])
      const text = yield* visit("shows-its-name", (look) => [
        call("press", { keys: "x" }),
        call("click", { index: numberOf(look, "Ann") })
      ])
      assert.match(String(text.results[1]), /^Element \d+ \(clickable "Ann"\) is not on the page any more/u)
    })
  )

  it.effect("but rows that stay the same can be changed, and change by themselves", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("rows-change", (look) => [
        ...[1, 2, 3].map(() => call("click", { index: numberOf(look, "More") })),
        call("click", { index: numberOf(look, "Remove") })
      ])
      assert.deepStrictEqual(results, ["Clicked.", "Clicked.", "Clicked.", "Clicked."])
      assert.deepStrictEqual(saw, ["Mug 2", "Mug 3", "Mug 4", "removed Mug"])
    })
  )

  it.effect("in a list that shows other rows when it's scrolled to the element", () =>
    Effect.gen(function* () {
      const { site } = yield* Running
      for (const variant of ["", "20", "100"]) {
        site.variant = variant
        const { results, saw } = yield* visit(
          "virtual-scroll",
          (look) => call("click", { index: Number(/^Mail 22 \*?\[(\d+)/mu.exec(look)?.[1]) }),
          (look) => call("click", { index: Number(/^Mail 22 \*?\[(\d+)/mu.exec(look)?.[1]) })
        )
        const clicked = results.filter((result) => result === "Clicked.").length
        assert.deepStrictEqual(
          saw,
          Array.from({ length: clicked }, () => "deleted 22"),
          String(results)
        )
      }
      site.variant = ""
    })
  )

  it.effect("with the number of a tab that has closed itself", () =>
    Effect.gen(function* () {
      const { site } = yield* Running
      const { results, saw } = yield* visit("popup-closes", on("click", "Open the terms"), async (look) => {
        const index = numberOf(look, "Accept")
        change()
        for (let isClosed = false; !isClosed; isClosed = site.saw().includes("closed")) await setTimeout(10)
        await setTimeout(300)
        return call("click", { index })
      })
      assert.match(String(results[1]), /^There is no element \d+\./u)
      assert.deepStrictEqual(saw, [])
    })
  )

  it.effect("behind a modal dialog, or in a select that disables its options", () =>
    Effect.gen(function* () {
      const behind = yield* visit("select-behind-dialog", (look) => [
        call("press", { keys: "d" }),
        call("select", { index: numberOf(look, "Size"), values: ["L"] })
      ])
      assert.match(String(behind.results[1]), /^Element \d+ can't be used now: a dialog or another part/u)
      const disabled = yield* visit(
        "disabled-option",
        on("select", "Size", { values: ["L"] }),
        on("select", "Size", { values: ["XL"] })
      )
      assert.deepStrictEqual(disabled.results, ['The option "L" is disabled.', 'The option "XL" is disabled.'])
      assert.deepStrictEqual([...behind.saw, ...disabled.saw], [])
    })
  )

  it.effect("with keys of a text whose field has lost the focus", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("hotkeys", on("type", "Search", { text: "abcd" }))
      assert.match(String(results[0]), /^The focus moved to the page while the text was typed\. The rest wasn't typed/u)
      assert.deepStrictEqual(saw, ["a"])
    })
  )

  it.effect("with keys of a text whose page has left, or from which a frame has taken the focus", () =>
    Effect.gen(function* () {
      const text = "delete all of it now"
      for (const name of ["leaves-while-typed", "frame-leaves-while-typed", "page-leaves-while-typed"]) {
        const { results, saw } = yield* visit(name, on("type", "Search", { text }), use("wait", { seconds: 0.3 }))
        assert.match(String(results[0]), /^The page left after \d+ of 20 keys, and the others weren't pressed\./u)
        assert.deepStrictEqual(saw, [])
      }
      const { results, saw } = yield* visit("frame-takes-keys", on("type", "Name", { text: "a b c" }))
      assert.match(String(results[0]), /^The focus moved to a frame while the text was typed\. The rest wasn't typed/u)
      assert.deepStrictEqual(saw, ["a"])
    })
  )

  it.effect("with keys of a text whose field gives the focus to a frame again and again", () =>
    Effect.gen(function* () {
      const { results, saw } = yield* visit("frame-keeps-focus", on("type", "Name", { text: "a b c" }))
      assert.match(String(results[0]), /^The focus moved to a frame while the text was typed\. The rest wasn't typed/u)
      assert.deepStrictEqual(saw, ["a"])
    })
  )

  it.effect("with keys of a text whose frame gives the focus to another document, or whose page to an object", () =>
    Effect.gen(function* () {
      for (const [page, name, to] of [
        ["frame-loses-keys", "Name", "another document"],
        ["frame-loses-keys", "Card", "another document"],
        ["object-takes-keys", "Name", "a frame"]
      ] as const) {
        const { results, saw } = yield* visit(page, on("type", name, { text: "a b c" }))
        assert.include(String(results[0]), `The focus moved to ${to} while the text was typed. The rest wasn't typed`)
        assert.deepStrictEqual(saw, ["a"])
      }
    })
  )

  it.effect("with most keys of a text from which another site takes the focus, which takes a moment to notice", () =>
    Effect.gen(function* () {
      for (const name of ["site-takes-keys", "site-inside-takes-keys"]) {
        const { results, saw } = yield* visit(name, on("type", "Name", { text: "a ".repeat(90) }))
        assert.match(String(results[0]), /^The focus moved to (?:a frame|another document) while the text was typed\./u)
        assert.isBelow(saw.length, 80, name)
      }
    })
  )

  it.effect("behind a dialog in front, or inside what leaves its clicks to others", () =>
    Effect.gen(function* () {
      const choose = (name: string, value: string) => (look: string) => [
        call("press", { keys: "d" }),
        call("select", { index: numberOf(look, name), values: [value] })
      ]
      for (const step of [choose("Size", "L"), choose("Color", "Blue")]) {
        const { results, saw } = yield* visit("dialog-order", step)
        assert.match(String(results[1]), /^Element \d+ can't be used now: a dialog or another part/u)
        assert.deepStrictEqual(saw, [])
      }
      const { results, saw } = yield* visit("leaves-clicks", on("click", "Pay"), on("click", "Color"))
      assert.match(String(results[0]), /^Element \d+ takes no clicks now: they go to clickable "Order 1 of Ann Pay"/u)
      assert.deepStrictEqual([results[1], saw], ["Clicked.", ["picked"]])
    })
  )

  it.effect("inside a label, or with an Enter after a text", () =>
    Effect.gen(function* () {
      const label = yield* visit("label-with-link", (look) =>
        call("check", { index: Number(/\[(\d+) checkbox/u.exec(look)?.[1]), checked: true })
      )
      assert.deepStrictEqual([label.results, label.saw], [["It is checked now."], ["agreed true"]])
      const enter = yield* visit("submit-moves-focus", on("type", "Search", { text: "a", submit: true }))
      assert.deepStrictEqual(
        [enter.results, enter.saw],
        [['The text was typed, but the focus moved to button "Pay", so Enter wasn\'t pressed.'], ["a"]]
      )
    })
  )

  it.effect("unnoticed: an action fails if the page stops the click on its way, or takes only one of two files", () =>
    Effect.gen(function* () {
      const stopped = yield* visit("stopped-on-way", on("click", "Send"))
      assert.match(String(stopped.results[0]), /^Element \d+ was pressed, but the page stopped the click/u)
      yield* visit("prices.csv")
      yield* visit("file")
      const names = ["prices.csv", "report.csv"]
      const files = yield* visit("one-file", on("upload", "Receipt", { names }), on("upload", "Pictures", { names }))
      assert.deepStrictEqual(files.results, ["This field takes one file.", "Chose prices.csv, report.csv."])
      assert.deepStrictEqual([...stopped.saw, ...files.saw], ["2 prices.csv"])
    })
  )
})
