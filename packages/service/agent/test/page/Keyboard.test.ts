import { assert, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Keyboard from "../../src/page/Keyboard.ts"

it("Keyboard reads keys, chords, and the plus sign", () => {
  assert.deepStrictEqual(
    Keyboard.parse(" Enter Control+Shift+a + Control++ é"),
    Result.succeed([
      { key: "Enter", modifiers: 0 },
      { key: "a", modifiers: 10 },
      { key: "+", modifiers: 0 },
      { key: "+", modifiers: 2 },
      { key: "é", modifiers: 0 }
    ])
  )
})

it("Keyboard names an unknown key", () => {
  for (const [keys, wrong] of [
    ["Escape Jump", '"Jump"'],
    ["Hyper+a", '"Hyper"'],
    ["Control+", '""']
  ] as const) {
    assert.include(String(Result.getFailure(Keyboard.parse(keys))), `There is no key ${wrong}`.replaceAll('"', '\\"'))
  }
  assert.isTrue(Result.isFailure(Keyboard.parse("  ")))
})
