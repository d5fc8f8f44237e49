import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import type { Page } from "../../src/index.ts"
import { clicked, numberOf, open, seen, shown, Tested } from "../support/browser.ts"

/** Returns the reason for a refused action. */
const refused = (action: Page.Action) => Effect.map(Effect.flip(action), ({ message }) => message)

layer(Tested.layer(), { excludeTestServices: true })("Actions", (it) => {
  it.effect("continue in a new tab when the last one closed itself", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const inPopup = yield* clicked(yield* open("opens"), "Popup")
      yield* page.tab("close", { number: 1 })
      assert.include(yield* clicked(inPopup, "Shut"), "URL: about:blank\n")
      assert.include(yield* open("plain"), "The code is 4711.")
    })
  )

  it.effect("read no more of all frames than of one document", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* open("stack")
      yield* seen("end of frame")
      const text = yield* page.extract
      assert.isAbove(text.length, 50_000)
      assert.isBelow(text.length, 130_000)
    })
  )

  it.effect("return a page's dialogs, and respond to them", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("dialogs")
      assert.include(yield* clicked(text, "Alert"), 'Note: The page said: "Hello there"')
      assert.include(yield* clicked(text, "Delete"), 'The page asks (confirm): "Delete all?"')
      assert.isTrue((yield* page.look()).hasDialog)
      assert.include(yield* refused(page.click(numberOf(text, "Alert"))), "`dialog`")
      assert.strictEqual(yield* page.dialog(false), "Dismissed.")
      assert.include(yield* shown, '"kept"')
      yield* page.click(numberOf(text, "Ask"))
      yield* page.dialog(true, "Ada")
      assert.include(yield* shown, '"Hello Ada"')
      assert.include(yield* refused(page.dialog(true)), "asks nothing")
      yield* page.click(numberOf(text, "Later"))
      yield* Effect.repeat(shown, { while: (then) => !then.includes("Still there?") })
      yield* page.dialog(true)
    })
  )

  it.effect("follow a new tab, and return when it is closed", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("tabs")
      const first = yield* clicked(text, "New tab")
      assert.include(first, "Note: A new tab was opened and is in front: tab 2.")
      const then = yield* seen("# Second")
      assert.match(then, /^Tabs: 1: .*\/tabs {2}\*2: .*\/second$/mu)
      yield* page.tab("front", { number: 1 })
      assert.include(yield* shown, "Title: tabs")
      yield* page.tab("close", { number: 2 })
      assert.include(yield* shown, "Title: tabs")
      yield* page.click(numberOf(text, "Popup"))
      yield* seen("The code is 4711.")
      yield* page.tab("close", { number: 2 })
      assert.include(yield* shown, "Title: tabs")
      assert.include(yield* refused(page.tab("front", { number: 9 })), "There is no tab 9.")
    })
  )

  it.effect("name the element that covers another one", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("covered")
      assert.match(yield* refused(page.click(numberOf(text, "Buy"))), /is covered by .*cookies/u)
      yield* page.click(numberOf(text, "Accept"))
      assert.include(yield* clicked(text, "Buy"), '"bought"')
    })
  )

  it.effect("find an element again after it was redrawn, and never another one", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("redrawn")
      for (const count of [1, 2, 3]) {
        yield* page.press("r")
        const said = yield* page.click(numberOf(text, "Count"))
        assert.strictEqual(said, "Clicked the element that took its place.")
        assert.match(yield* shown, new RegExp(`^${count}$`, "mu"))
      }
      const before = yield* open("replaced")
      const after = yield* clicked(before, "Replace")
      assert.include(yield* refused(page.click(numberOf(before, "Keep"))), "is not on the page any more")
      assert.notStrictEqual(numberOf(after, "Delete"), numberOf(before, "Keep"))
    })
  )

  it.effect("affect the addresses of frames, not frames without an address", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* open("frame-nested")
      yield* seen("Pay deep")
      const { frames } = yield* page.affected("press", { keys: "a b" })
      assert.deepStrictEqual(frames, [`${site.origin}/frame-inside?deep`])
    })
  )

  it.effect("don't wait for a page that never becomes idle", () =>
    Effect.gen(function* () {
      assert.include(yield* clicked(yield* open("restless"), "Go"), '"done"')
    })
  )

  it.effect("download into the task's files, and upload from them", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* page.click(numberOf(yield* open("download"), "Get the report"))
      yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => page.files().length === 0 })
      yield* seen('Downloaded "report.csv" (8 bytes)')
      const [file] = page.files()
      assert.strictEqual(readFileSync(file?.path ?? "", "utf8"), "a,b\n1,2\n")
      const text = yield* open("upload")
      const index = Number(/\[(\d+) file/u.exec(text)?.[1])
      assert.include(yield* refused(page.click(index)), "`upload`")
      assert.include(yield* refused(page.upload(index, ["passwd"])), "It has report.csv.")
      assert.strictEqual(yield* page.upload(index, ["report.csv"]), "Chose report.csv.")
      yield* seen("report.csv 8\n")
      yield* page.click(numberOf(yield* open("download"), "Get the report"))
      yield* seen('Downloaded "report.csv" (8 bytes)')
      assert.lengthOf(page.files(), 1)
      yield* page.click(numberOf(yield* open("download"), "Get the other"))
      yield* seen('Downloaded "_evil_.._na me.csv"')
      yield* page.click(numberOf(yield* open("download"), "Get much"))
      yield* seen('The download of "much.bin" was refused: a file has at most 100 MiB.')
      assert.isFalse(page.files().some(({ name }) => name.includes("much")))
    })
  )

  it.effect("close a popup that a download opened, but none that shows something", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      for (const [name, text] of [
        ["Report", "# Your report"],
        ["Load", "Loading your file"],
        ["Empty", 'button "Report"'],
        ["Form", 'button "Report"']
      ] as const) {
        yield* page.click(numberOf(yield* open("fills-popups"), name))
        yield* seen('Downloaded "prices')
        // a popup that is closed is there for another moment
        yield* page.wait(0.3)
        yield* seen(text)
        if (!text.startsWith("button")) yield* page.tab("close", { number: 2 })
      }
    })
  )

  it.effect("fill unusual fields", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("inputs")
      const day = numberOf(text, "Day")
      assert.include(yield* refused(page.type(day, "22.11.2026")), "YYYY-MM-DD")
      yield* page.type(day, "2026-11-22")
      yield* page.type(numberOf(text, "Volume"), "7")
      assert.include(yield* page.type(numberOf(text, "Phone"), "+47 123"), 'now reads "47123"')
      yield* page.type(numberOf(text, "Note"), "new (text) - with 'all' kinds. of? signs!")
      yield* page.type(numberOf(text, "Long"), "line\n".repeat(60))
      yield* page.select(numberOf(text, "Country"), ["sweden"])
      assert.include(yield* refused(page.select(numberOf(text, "Country"), ["Finland"])), 'no option "Finland"')
      yield* page.type(numberOf(text, "Search"), "mugs", { submit: true })
      yield* page.check(numberOf(text, "Agree"), true)
      assert.include(yield* page.check(numberOf(text, "Agree"), true), "already")
      const then = yield* shown
      for (const wanted of [
        '"Day" = "2026-11-22"',
        '"Volume" = "7"',
        "volume is 7",
        `"Note" = "new (text) - with 'all' kinds. of? signs!"`,
        '"Country" = "Sweden"',
        "Title: searched mugs"
      ]) {
        assert.include(then, wanted)
      }
      assert.match(then, /"Agree"[^\]]* checked/u)
    })
  )

  it.effect("press keys, and list the known ones", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("inputs")
      yield* page.type(numberOf(text, "Long"), "one")
      yield* page.press("Control+a Delete t w o Shift+Enter")
      assert.include(yield* shown, String.raw`"Long" = "two\n"`)
      yield* page.type(numberOf(text, "Long"), "one")
      yield* page.press("Control+a Control+x Control+v Control+v")
      assert.include(yield* shown, '"Long" = "oneone"')
      assert.include(yield* refused(page.press("Control+Jump")), 'no key "Jump"')
    })
  )

  it.effect("use a custom list", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("combo")
      assert.include(yield* refused(page.select(numberOf(text, "Pick one"), ["Green"])), "is not a select")
      const then = yield* clicked(yield* clicked(text, "Pick one"), "Green")
      assert.match(then, /combobox "Green"/u)
    })
  )

  it.effect("hover, drag, and click a point", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("drags")
      const hole = numberOf(text, "Hole")
      yield* page.drag(numberOf(text, "Knob"), hole)
      assert.include(yield* shown, "Title: dropped")
      yield* page.hover(hole)
      assert.include(yield* shown, '"Hovered"')
      yield* open("canvas")
      yield* page.clickAt(58, 48)
      assert.include(yield* shown, "Title: 50,40")
    })
  )

  it.effect("draw and hover next to the middle of an element", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const canvas = Number(/\[(\d+) canvas/u.exec(yield* open("pen"))?.[1])
      yield* page.drag(canvas, canvas, { fromDx: -60, fromDy: -30, dx: 50, dy: 20 })
      assert.include(yield* shown, "Title: 40,20 to 150,70")
      yield* page.hover(canvas, { dx: 5, dy: -10 })
      assert.include(yield* shown, "over 105,40")
    })
  )

  it.effect("select text of the page, of an editor and of a field", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("marks")
      yield* page.highlight("two  three, then")
      assert.include(yield* shown, "Title: marked two three, then")
      yield* page.highlight("two", numberOf(text, "Note"))
      yield* page.press("Delete")
      assert.include(yield* shown, '"Say words"')
      yield* page.highlight("eight", numberOf(text, "Long"))
      yield* page.press("e n d")
      assert.include(yield* shown, '"Seven end nine"')
      assert.include(yield* refused(page.highlight("ten")), "This text is not there.")
    })
  )

  it.effect("double-click, open a menu, and scroll a part of the page", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("presses")
      const button = numberOf(text, "Once")
      yield* page.click(button, { count: 2 })
      assert.include(yield* shown, '"clicked twice"')
      yield* page.click(button, { button: "right" })
      assert.include(yield* shown, '"its menu"')
      assert.notInclude(text, "Line 30")
      yield* page.scroll("bottom", { index: Number(/\[(\d+) scroll area/u.exec(text)?.[1]) })
      assert.include(yield* shown, "Line 30")
    })
  )

  it.effect("click an element that moves when the mouse comes", () =>
    Effect.gen(function* () {
      assert.include(yield* clicked(yield* open("shifts"), "Shifts away"), '"hit"')
    })
  )

  it.effect("scroll a growing page, and find text on it", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* open("endless")
      yield* Effect.repeat(Effect.andThen(page.scroll("bottom"), shown), {
        while: (text) => !text.includes("Entry 200")
      })
      assert.include(yield* page.find("Entry 17"), "(here) Entry 17")
      assert.match(yield* shown, /^Entry 17$/mu)
      assert.include(yield* page.scroll("top"), "Scrolled -")
      assert.include(yield* page.scroll("up"), "does not scroll further up")
      assert.include(yield* page.find("Entry 999"), "not on the page")
    })
  )

  it.effect("read the whole document, with its frames and shadow roots", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* open("cards")
      assert.include(yield* page.extract, "Text of card 60.")
      assert.match(yield* page.read({ offset: 100 }), /\(100 to \d+ of \d+\)$/u)
      yield* open("frames")
      yield* seen("Press cross")
      assert.include(yield* page.extract, "Press cross")
      yield* open("shadow")
      assert.include(yield* page.extract, "In closed")
    })
  )

  it.effect("go back, and report when there is no earlier page", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* open("plain")
      yield* open("second")
      yield* page.back
      yield* seen("# Plain")
      assert.include(yield* refused(page.navigate("http://127.0.0.1:1/")), "did not load")
      assert.include(yield* refused(page.navigate(`${site.origin}/refused`)), "did not load: the proxy of the browser")
      assert.include(yield* shown, "It is not public.")
      yield* open("plain")
      assert.match(yield* refused(page.back), /^The page did not load: the proxy of the browser/u)
      const opened = yield* refused(page.tab("open", { url: `${site.origin}/refused` }))
      assert.match(opened, /^Opened a tab\. The page did not load: the proxy of the browser/u)
      yield* page.tab("close", { number: 2 })
      const leads = yield* open("ends")
      const proxied = yield* refused(page.click(numberOf(leads, "Not passed on")))
      assert.match(proxied, /^Clicked\. The page did not load: the proxy of the browser/u)
      // of the page that is there by now
      assert.strictEqual(yield* page.press("Escape"), "Pressed.")
      const nowhere = yield* refused(page.click(numberOf(yield* open("ends"), "Nowhere")))
      assert.strictEqual(
        nowhere,
        "Clicked. The page did not load: http://127.0.0.1:1/ cannot be reached. Check the address."
      )
      // what the site itself refuses did load
      assert.strictEqual(yield* page.navigate(`${site.origin}/forbidden`), "Opened.")
      yield* page.navigate(`${site.origin}/plain`)
      assert.include(yield* refused(page.click(99_999)), "There is no element 99999.")
    })
  )
})
