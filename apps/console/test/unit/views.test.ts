import { assert, describe, it } from "@effect/vitest"
import { View, withView } from "../../src/features/runs/views.ts"
import { emptyForm, SavedTemplate, withTemplate } from "../../src/features/start/form.ts"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

describe("saved views", () => {
  it("have only the address's filters, and the newest is first", () => {
    const one = withView([], { name: " Failed ", search: "?status=failed&page=3&minUsd=cheap" })
    assert.deepStrictEqual(one, [{ name: "Failed", search: "?status=failed" }])
    const two = withView(one, { name: "Shop", search: "?key=shop" })
    assert.deepStrictEqual(
      two.map(({ name }) => name),
      ["Shop", "Failed"]
    )
  })

  it("are replaced by one with the same name", () => {
    const one = withView([], { name: "Mine", search: "?status=failed" })
    assert.deepStrictEqual(withView(one, { name: "Mine", search: "?key=shop" }), [
      { name: "Mine", search: "?key=shop" }
    ])
  })

  it("have a name that can be read back", () => {
    const [view] = withView([], { name: "x".repeat(100), search: "" })
    assert.isTrue(Option.isSome(Schema.decodeUnknownOption(View)(view)))
  })
})

describe("saved templates", () => {
  it("have every field of the form, and can be read back", () => {
    const form = { ...emptyForm, task: "Find a mug", schema: "{}", isRecorded: true }
    const [template] = withTemplate([], "Mug", form)
    assert.deepStrictEqual(template, { ...form, name: "Mug" })
    assert.isTrue(Option.isSome(Schema.decodeUnknownOption(SavedTemplate)(template)))
    // saved before there were further options
    const old = { name: "Mug", task: "x", model: "", schema: "", maxCostUsd: "", profileId: "", isRecorded: false }
    assert.deepStrictEqual(Schema.decodeUnknownOption(SavedTemplate)(old), Option.some({ ...emptyForm, ...old }))
    assert.lengthOf(withTemplate([{ ...form, name: "Mug" }], "Mug", emptyForm), 1)
  })
})
