import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call } from "../agent/running.ts"
import { numberOf, on, visit, Visiting } from "../support/visiting.ts"

layer(Visiting.layer, { excludeTestServices: true })("In a frame that is scaled, zoomed or turned", (it) => {
  for (const place of ["same", "cross"]) {
    for (const kind of ["scale", "property", "zoom", "turned", "around"]) {
      it.effect(`actions reach their elements (${kind}, ${place})`, () =>
        Effect.gen(function* () {
          const { results, saw } = yield* visit(
            `frame-scaled?${kind},${place},small`,
            on("click", "Cell 1."),
            on("click", "Cell 25."),
            on("highlight", "Note", { text: "words to" }),
            on("hover", "Knob"),
            (look) => call("drag", { from: numberOf(look, "Knob"), to: numberOf(look, "Knob"), dx: 140 })
          )
          assert.deepStrictEqual(results, ["Clicked.", "Clicked.", "Selected.", "The mouse is over it.", "Dragged."])
          assert.deepStrictEqual(
            saw.filter((what) => what !== "over the knob"),
            ["cell 1", "cell 25", "selected words to", "knob by 140"]
          )
          assert.include(saw, "over the knob")
          const far = yield* visit(`frame-scaled?${kind},${place},tall`, on("click", "Far below"))
          assert.deepStrictEqual([far.results, far.saw], [["Clicked."], ["far below"]])
        })
      )
    }
  }

  it.effect("actions reach their elements if that frame is in another one", () =>
    Effect.gen(function* () {
      for (const kind of ["scale,same", "turned,cross", "around,cross"]) {
        const { results, saw } = yield* visit(
          `frame-scaled?${kind},nested`,
          on("click", "Cell 12."),
          on("highlight", "Note", { text: "words to" }),
          (look) => call("drag", { from: numberOf(look, "Knob"), to: numberOf(look, "Knob"), dx: 140 })
        )
        assert.deepStrictEqual(results, ["Clicked.", "Selected.", "Dragged."])
        const others = saw.filter((what) => what !== "over the knob")
        assert.deepStrictEqual(others, ["cell 12", "selected words to", "knob by 140"])
      }
    })
  )
})
