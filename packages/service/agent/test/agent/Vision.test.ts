import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { call, carriedOut, done, Running, script } from "./running.ts"

/** The pictures in the newest request. */
const sent = ({ model }: Running["Service"]): ReadonlyArray<string> =>
  Array.from(
    JSON.stringify(model.requests.at(-1)?.body).matchAll(/data:image\/jpeg;base64,([\w+/=]+)/gu),
    ([, data = ""]) => data
  )

const kept = ({ pictures }: Running["Service"]): ReadonlyArray<string> =>
  Array.from(pictures.values(), (jpeg) => Base64.encode(jpeg))

const visit = Effect.gen(function* () {
  const running = yield* Running
  const looks: Array<{ readonly pictures: ReadonlyArray<string>; readonly text: string }> = []
  script(running, call("navigate", { url: `${running.site.origin}/icons` }), (_, { text }) => {
    looks.push({ pictures: sent(running), text })
    return looks.length === 1 ? call("clickAt", { x: 150, y: 300 }) : done()
  })
  running.site.saw()
  const { turn } = yield* carriedOut("Click on the chart")
  assert.strictEqual(turn.status, "completed")
  assert.deepStrictEqual(running.site.saw(), ["chart 50,100"])
  return { first: looks[0] ?? { pictures: [], text: "" }, kept: kept(running) }
})

layer(Running.layer({}, { sees: true, marks: true }), { excludeTestServices: true })(
  "a model that sees marks",
  (it) => {
    it.effect("gets pictures with marks and a legend, and steps keep pictures without marks", () =>
      Effect.gen(function* () {
        const { first, kept } = yield* visit
        assert.include(first.text, "a box with a number is the element with this number")
        assert.lengthOf(first.pictures, 1)
        assert.notInclude(kept, first.pictures[0])
      })
    )
  }
)

layer(Running.layer({}, { sees: true }), { excludeTestServices: true })("a model with vision", (it) => {
  it.effect("gets pictures without changes", () =>
    Effect.gen(function* () {
      const { first, kept } = yield* visit
      assert.notInclude(first.text, "a box with a number")
      assert.lengthOf(first.pictures, 1)
      assert.include(kept, first.pictures[0])
    })
  )
})
