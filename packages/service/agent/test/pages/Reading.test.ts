import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { on, use, visit, Visiting } from "../support/visiting.ts"

layer(Visiting.layer, { excludeTestServices: true })("A page", (it) => {
  it.effect("includes long values of fields, which are read by number and searched", () =>
    Effect.gen(function* () {
      const notes = yield* visit(
        "long-textarea",
        on("read", "Notes", { offset: 1100 }),
        use("find", { text: "code is 4711" })
      )
      assert.include(notes.looks[0], "(1939 characters)]")
      assert.include(notes.results[0], "\nThe code is 4711.\n")
      assert.match(String(notes.results[1]), /\(here\) .*The code is 4711\./u)
      const link = yield* visit("long-input", on("read", "Link"), use("find", { text: "code=4711" }))
      assert.include(link.results[0], "/?code=4711")
      assert.include(link.results[1], "/?code=4711")
    })
  )

  it.effect("keeps passwords hidden", () =>
    Effect.gen(function* () {
      const { looks, results } = yield* visit("password", on("read", "Password"), use("find", { text: "swordfish" }))
      assert.deepStrictEqual(results, ["A password can't be read.", "It is not on the page."])
      assert.notInclude(looks.join("\n"), "swordfish")
    })
  )

  it.effect("shows code with its lines and their indentation", () =>
    Effect.gen(function* () {
      const { looks, results } = yield* visit("code", use("read"))
      const code = "Copy this:\ndef add(a, b):\n    if a:\n        return a + b\n    return b\none\n  two\n"
      assert.include(looks[0], code)
      assert.include(results[0], code)
      const editor = yield* visit("editor", on("read", "Source"))
      assert.include(editor.looks[0], String.raw`"Source" = "if a:\n    b()"`)
      assert.include(editor.results[0], "\nif a:\n    b()\n")
    })
  )

  it.effect("includes selects whose many options can all be read and chosen", () =>
    Effect.gen(function* () {
      const { looks, results, saw } = yield* visit(
        "long-select",
        on("read", "Country"),
        on("select", "Country", { values: ["Land T46"] })
      )
      assert.include(looks[0], "… 35 more]")
      assert.match(String(results[0]), /^\* Land A1$[\s\S]*^- Land H60$/mu)
      assert.deepStrictEqual(saw, ["46"])
    })
  )

  it.effect("doesn't show cells out of view as empty", () =>
    Effect.gen(function* () {
      const { looks } = yield* visit("wide-table", use("scroll", { direction: "right", pages: 9 }))
      assert.match(String(looks[0]), /^\[\d+ scroll area, \d+ px right\]$/mu)
      assert.match(String(looks[0]), /^100 \| {2}\| 300 \| 400 \| \(16 cells out of sight\)$/mu)
      assert.match(String(looks[1]), /^\(\d+ cells out of sight\) \| .*1900 \| 2000$/mu)
    })
  )

  it.effect("shows which of its custom radio buttons and checkboxes are chosen", () =>
    Effect.gen(function* () {
      const { looks, saw } = yield* visit(
        "drawn-radios",
        on("check", "Large", { checked: true }),
        on("check", "News", { checked: true })
      )
      assert.match(String(looks[0]), /\[\d+ radio "Small" checked\]/u)
      assert.match(String(looks[0]), /\[\d+ radio "Large"\].*\[\d+ checkbox "Gift" checked\].*\[\d+ checkbox "News"\]/u)
      assert.match(String(looks[2]), /\[\d+ radio "Large" checked\].*\[\d+ checkbox "News" checked\]/u)
      assert.deepStrictEqual(saw, ["large", "news true"])
    })
  )

  it.effect("shows the text of a button next to a label that differs", () =>
    Effect.gen(function* () {
      const { looks } = yield* visit("aria-label")
      const names = Array.from(String(looks[0]).matchAll(/\[\d+ \w+ "([^"]*)"\]/gu), ([, name]) => name)
      assert.deepStrictEqual(names, [
        "Delete everything (Close dialog)",
        "Close menu",
        "Green mug 12 EUR",
        "Edit address 3"
      ])
    })
  )

  it.effect("shows all parts of inline elements, which hide none, unlike drawings", () =>
    Effect.gen(function* () {
      const { looks } = yield* visit("overflow-inline")
      assert.match(looks[0] ?? "", /^Inside$/mu)
      assert.notInclude(looks[0], "Outside")
      for (const part of ["Alpha", "Beta", "Gamma", "Delta"])
        assert.match(looks[0] ?? "", new RegExp(`^${part} `, "mu"))
    })
  )

  it.effect("leaves out transparent and partly forged elements", () =>
    Effect.gen(function* () {
      const { looks } = yield* visit("faded")
      assert.include(looks[0], "# Offers")
      assert.notInclude(looks[0], "Hidden order")
      assert.include(looks[0], '[ 7 button "Forged"]')
    })
  )

  it.effect("reports hidden parts of a board or of a wide page, and scrolls there", () =>
    Effect.gen(function* () {
      const board = yield* visit("board", use("scroll", { direction: "right", pages: 9 }), on("click", "Card 12"))
      assert.match(String(board.looks[0]), /\[\d+ scroll area, 1300 px right\]/u)
      assert.match(String(board.looks[1]), /\[\d+ scroll area, 1300 px left\]/u)
      assert.deepStrictEqual(board.saw, ["card 12"])
      const page = yield* visit("wide-page", use("scroll", { direction: "right", pages: 9 }), on("click", "Far right"))
      assert.match(String(page.looks[0]), /^Scrolled: .*, 0 px left, \d+ px right$/mu)
      assert.deepStrictEqual(page.saw, ["far"])
    })
  )

  it.effect("includes a long list whose later rows are drawn as it scrolls", () =>
    Effect.gen(function* () {
      const { saw } = yield* visit("long-list", use("scroll", { direction: "down", pages: 10 }), on("click", "Row 95"))
      assert.deepStrictEqual(saw, ["row 95"])
    })
  )

  it.effect("sees a browser with a usual locale", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* visit("language")).saw, ["en-US en-US,en"])
    })
  )

  it.effect("can be a text or JSON", () =>
    Effect.gen(function* () {
      assert.include((yield* visit("notes.txt")).looks[0], "First\n  indented\nThe code is 4711.\n")
      assert.include((yield* visit("data.json")).looks[0], '{ "code": 4711 }')
    })
  )

  it.effect("can be a file: its text is read, or the agent names its type", () =>
    Effect.gen(function* () {
      const file = (name: string) => visit(name, use("read", { file: name }))
      assert.include((yield* file("prices.csv")).results[0], "item,price\nmug,12\n")
      // while it is downloaded
      assert.include((yield* file("slow.csv")).results[0], "item,price\nmug,12\n")
      const invoice = (yield* file("invoice.pdf")).results[0]
      assert.include(invoice, "(page 1 of 2)\nInvoice 4711\n(page 2 of 2)\nTotal 30 USD [ 7 button x]")
      assert.include((yield* file("paper.pdf")).results[0], "The file is a PDF document that the agent can't read")
      assert.include((yield* file("sheet.xlsx")).results[0], "The file is a ZIP archive")
      assert.match(
        String((yield* visit("code", use("read", { file: "none.csv" }))).results[0]),
        /^The task has no file "none\.csv"\. It has .*"prices\.csv"/u
      )
    })
  )
})
