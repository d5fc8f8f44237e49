import { assert, it, layer } from "@effect/vitest"
import { folder, launch } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Page } from "../../src/index.ts"
import { clicked, numberOf, open, seen, shown, Tested } from "../support/browser.ts"
import { serve } from "../support/site.ts"

const value = 'pa"ss [1 wörd&'

const secret = (domains: ReadonlyArray<string>) => ({ name: "password", value: Redacted.make(value), domains })

layer(Tested.layer(), { excludeTestServices: true })("A task", (it) => {
  it.effect("loads documents only from allowed hosts, by any means", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* page.allow({ domains: ["127.0.0.1"] })
      const before = site.hits.length
      for (const name of ["Redirect", "Script", "Form", "Tab"]) {
        const text = yield* open("leave")
        const { message } = yield* Effect.flip(page.click(numberOf(text, name)))
        assert.match(message, /^Clicked\. Refused: http:\/\/localhost\S+ is not an address that this task may open\.$/u)
        yield* seen("Note: Refused: http://localhost")
        assert.deepStrictEqual(page.refusals(), [`${site.other}/plain${name === "Form" ? "?" : ""}`])
        if (name === "Tab") yield* page.tab("close", { number: 2 })
      }
      const { message } = yield* Effect.flip(page.navigate(`${site.other}/plain`))
      assert.include(message, "may not open http://localhost")
      assert.include((yield* Effect.flip(page.tab("open", { url: site.other }))).message, "may not open")
      assert.isEmpty(site.hits.slice(before).filter((hit) => hit.startsWith("localhost")))
      yield* page.allow({})
    })
  )

  it.effect("refuses redirects to another host, and reports them", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* page.navigate(`${site.other}/plain`)
      yield* open("leave")
      yield* page.allow({ domains: ["127.0.0.1"] })
      page.refusals()
      const before = site.hits.length
      const why = `Refused: ${site.other}/plain is not an address that this task may open.`
      assert.strictEqual((yield* Effect.flip(page.back)).message, why)
      assert.strictEqual((yield* Effect.flip(page.navigate(`${site.origin}/redirect`))).message, why)
      assert.strictEqual(
        (yield* Effect.flip(page.tab("open", { url: `${site.origin}/redirect` }))).message,
        `Opened a tab. ${why}`
      )
      yield* page.tab("close", { number: 2 })
      assert.deepStrictEqual(page.refusals(), Array(3).fill(`${site.other}/plain`))
      // an action that leads nowhere has nothing to do with it
      assert.strictEqual(yield* page.press("Escape"), "Pressed.")
      assert.isEmpty(site.hits.slice(before).filter((hit) => hit.startsWith("localhost")))
      yield* page.allow({})
    })
  )

  it.effect("reads no files, and no documents contained in their own address", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      const text = yield* open("leave")
      assert.notInclude(text, "Frame of data")
      assert.include(yield* clicked(text, "File"), "Title: leave")
      for (const url of ["file:///etc/passwd", "data:text/html,<p>here", "javascript:void(0)", "chrome://version"]) {
        assert.include((yield* Effect.flip(page.navigate(url))).message, "may not open")
      }
      // no host of theirs could be allowed
      assert.isEmpty(page.refusals())
    })
  )

  it.effect("types a secret only on its own sites, and shows it nowhere", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* page.allow({ secrets: [secret(["127.0.0.1"])] })
      const text = yield* open("shows")
      const typed = yield* page.type(numberOf(text, "Code"), "<secret:password>")
      const look = yield* page.look()
      for (const told of [typed, look.text, look.likeness, yield* page.read(), yield* page.find("pa")]) {
        assert.notInclude(told, value)
        assert.notInclude(told, encodeURIComponent(value))
        assert.notInclude(told, "wörd")
        assert.notInclude(told, "w%C3%B6rd")
      }
      assert.include(look.text, "<secret:password>")
      yield* page.navigate(`${site.other}/shows`)
      const other = numberOf(yield* shown, "Code")
      const { message } = yield* Effect.flip(page.type(other, "<secret:password>"))
      assert.include(message, 'The secret "password" may not be typed on http://localhost')
      assert.include((yield* Effect.flip(page.type(other, "<secret:pin>"))).message, 'no secret "pin"')
      yield* page.allow({})
    })
  )

  it.effect("types no secret into a frame of another site", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* page.allow({ secrets: [secret(["127.0.0.1"])] })
      yield* open("frames")
      const text = yield* seen("Press cross")
      const cross = text.slice(text.indexOf("http://localhost"))
      const { message } = yield* Effect.flip(page.type(numberOf(cross, "Inside"), "<secret:password>"))
      assert.include(message, "may not be typed on http://localhost")
      yield* page.allow({})
    })
  )

  it.effect("types a secret only into its field, even while a frame of another site takes the focus", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* page.allow({ secrets: [secret(["127.0.0.1"])] })
      yield* open("thief")
      const text = yield* seen('textbox ".i" focused')
      assert.strictEqual(yield* page.type(numberOf(text, "Password"), "<secret:password>"), "Typed.")
      const after = yield* seen(`Title: ${value.length} letters`)
      assert.notInclude(after, '".i" =')
      assert.isEmpty(site.hits.filter((hit) => hit.includes("/got")))
      yield* page.type(numberOf(after, "Password"), "<secret:password>", { append: true })
      yield* seen(`Title: ${2 * value.length} letters`)
      yield* open("shows")
      const shows = yield* shown
      yield* page.type(numberOf(shows, "Code"), "old")
      yield* page.type(numberOf(shows, "Code"), "<secret:password>")
      assert.notInclude(yield* shown, "old")
      yield* page.allow({})
    })
  )

  it.effect("shows no part of a secret where an address or a message is truncated", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* page.allow({ secrets: [{ ...secret(["127.0.0.1"]), value: Redacted.make("hunter2-and-more") }] })
      const texts: Array<string> = []
      for (const [length, host] of [
        [100, site.origin],
        [200, site.other],
        [1000, site.origin]
      ] as const) {
        const start = `${host}/plain?user=`
        const address = `${start}${"x".repeat(length - start.length - 8)}hunter2-and-more`
        yield* page.allow({
          domains: ["127.0.0.1"],
          secrets: [{ ...secret(["127.0.0.1"]), value: Redacted.make("hunter2-and-more") }]
        })
        if (host === site.origin) yield* page.navigate(address)
        else texts.push((yield* Effect.flip(page.navigate(address))).message)
        yield* page.tab("open", {})
        texts.push(yield* shown)
        yield* page.tab("close", { number: 2 })
        texts.push(yield* shown)
      }
      for (const text of texts) assert.notInclude(text, "hunte")
      yield* page.allow({})
    })
  )

  it.effect("types a secret after a text whose field has lost the focus", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* page.allow({ secrets: [secret(["127.0.0.1"])] })
      const search = numberOf(yield* open("hotkeys"), "Search")
      assert.include((yield* Effect.flip(page.type(search, "abcd"))).message, "The focus moved to the page")
      assert.strictEqual(yield* page.type(search, "<secret:password>"), "Typed.")
      yield* page.allow({})
    })
  )

  it.effect("shows no prefix of a short secret where an element's text is truncated", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* page.allow({ secrets: [{ ...secret(["127.0.0.1"]), value: Redacted.make("hunter2") }] })
      const text = yield* open("cuts")
      // a name of 150 characters, values of 120 and 300
      assert.strictEqual([...text.matchAll(/-<secret:password>…/gu)].length, 3, text)
      assert.notInclude(text, "hunt")
      assert.notInclude(yield* page.read(), "hunt")
      assert.notInclude(yield* page.find("nearby"), "hunt")
      yield* open("tails")
      const shown = yield* page.find("nearby")
      assert.include(shown, "…<secret:password> ")
      assert.notInclude(shown, "er2")
      assert.match(yield* open("long-address"), /^\(frame \S+q<secret:password>…\)$/mu)
      yield* page.allow({})
    })
  )

  it.effect("takes pictures, except while a secret is visible", () =>
    Effect.gen(function* () {
      const { page } = yield* Tested
      yield* page.allow({ secrets: [secret(["127.0.0.1"])] })
      const text = yield* open("login")
      const picture = yield* page.picture
      assert.deepStrictEqual(picture.slice(0, 3), Uint8Array.of(0xff, 0xd8, 0xff))
      yield* page.type(numberOf(text, "Password"), "<secret:password>")
      assert.include((yield* Effect.flip(page.picture)).message, "a secret is in sight")
      assert.include(yield* clicked(text, "Sign in"), "your password is <secret:password>")
      const shows = yield* open("shows")
      yield* page.type(numberOf(shows, "Code"), "<secret:password>")
      assert.include((yield* Effect.flip(page.picture)).message, "a secret is in sight")
      yield* page.allow({})
    })
  )

  it.effect("takes no picture of a canvas on a secret's site, even in a frame of another site", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* page.allow({ secrets: [secret(["127.0.0.1"])] })
      yield* open("canvas")
      assert.include((yield* Effect.flip(page.picture)).message, "a canvas may show a secret")
      yield* open("painted")
      yield* seen("within a frame")
      assert.include((yield* Effect.flip(page.picture)).message, "a canvas may show a secret")
      yield* page.navigate(`${site.other}/canvas`)
      yield* page.picture
      yield* page.allow({})
    })
  )

  it.effect("takes no picture of a secret, wherever it is in the page", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* page.allow({ secrets: [{ ...secret(["127.0.0.1"]), value: Redacted.make("hunter2") }] })
      for (const [name, where] of [
        ["middle", "a secret is in sight"],
        ["attribute", "a secret is in sight"],
        ["behind", "a secret is in sight"],
        ["closed", "a secret is in sight"],
        ["framed", "a secret is in sight"],
        ["leave", "the task may not read this document"]
      ] as const) {
        yield* open(name)
        if (name === "framed") yield* seen("within")
        assert.include((yield* Effect.flip(page.picture)).message, where, name)
      }
      yield* page.navigate(`${site.origin}/plain`)
      yield* page.picture
      yield* page.allow({ domains: ["localhost"] })
      assert.include((yield* Effect.flip(page.picture)).message, "the task may not read this document")
      yield* page.allow({})
    })
  )
})

it.live("browsers are concealed before a secret is in them, but not for other texts", () =>
  Effect.gen(function* () {
    const { origin } = yield* serve
    const { connect } = yield* launch()
    const before: Array<string> = []
    const page: Page.Page = yield* Page.make(yield* connect, {
      secrets: [secret(["127.0.0.1"])],
      conceal: Effect.flatMap(
        Effect.suspend(() => Effect.orDie(page.look())),
        ({ text }) => Effect.sync(() => void before.push(text))
      )
    })
    yield* page.navigate(`${origin}/shows`)
    const field = numberOf((yield* page.look()).text, "Code")
    yield* page.type(field, "plain")
    assert.deepStrictEqual(before, [])
    yield* page.type(field, "<secret:password>")
    const [shows = "", ...others] = before
    assert.deepStrictEqual(others, [])
    assert.include(shows, "plain")
    assert.notInclude(shows, "<secret:password>")
    assert.include((yield* page.look()).text, "<secret:password>")
  }).pipe(Effect.scoped)
)

it.live("a Chromium without fonts is refused", () =>
  Effect.gen(function* () {
    const file = join(yield* folder, "fonts.conf")
    writeFileSync(file, "<fontconfig></fontconfig>")
    const { connect } = yield* launch({ FONTCONFIG_FILE: file })
    const { message } = yield* Effect.flip(Page.make(yield* connect))
    assert.include(message, "This Chromium has no fonts")
  }).pipe(Effect.scoped)
)
