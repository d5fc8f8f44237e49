import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { open, seen, Tested } from "../support/browser.ts"

/** Points at the left borders of both buttons, on a point of the canvas, and where nothing is. */
const points = "101,125 201,125 300,300 500,500"

layer(Tested.layer(), { excludeTestServices: true })("a picture with marks", (it) => {
  it.effect("puts boxes around numbered elements and points on a canvas, and leaves the page unchanged", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* open("icons")
      const { shown } = yield* page.look()
      assert.deepStrictEqual(
        shown.map(({ role }) => role),
        ["button", "button", "canvas"]
      )
      const plain = yield* page.picture
      const colorsOf = Effect.fnUntraced(function* (jpeg: Uint8Array, wanted: string) {
        site.variant = `${Base64.encode(jpeg)} ${points}`
        yield* open("pixels")
        return yield* seen(wanted)
      })
      const marked = yield* page.marked(
        plain,
        shown.map(({ number }) => number)
      )
      assert.strictEqual(Buffer.compare(Buffer.from(yield* page.picture), Buffer.from(plain)), 0)
      yield* colorsOf(marked, "marked marked marked white")
      yield* colorsOf(plain, "white")
    })
  )

  it.effect("clickAt reaches the point of a canvas, and fails if it's out of view", () =>
    Effect.gen(function* () {
      const { page, site } = yield* Tested
      yield* open("icons")
      site.saw()
      assert.match(yield* page.clickAt(150, 300), /^Clicked at this point, on canvas/u)
      assert.deepStrictEqual(site.saw(), ["chart 50,100"])
      const { message } = yield* Effect.flip(page.clickAt(150, 5000))
      assert.include(message, "The point 150,5000 isn't on the screen")
    })
  )
})
