import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { presetNames, presets, Profile, SettingsFile } from "../src/index.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(Profile))

describe("presets", () => {
  it("have distinct names and a sentence of description each", () => {
    assert.deepStrictEqual(Object.keys(presets), [...presetNames])
    for (const name of presetNames) {
      assert.strictEqual(presets[name].name, name)
      assert.match(presets[name].description, /^[A-Z].{60,}\.$/u)
    }
  })

  for (const name of presetNames) {
    it(`${name} can be written to a file and read back`, () => {
      const file = encode(presets[name])
      assert.deepStrictEqual(SettingsFile.profileFromJson(file), Result.succeed(presets[name]))
    })

    it(`${name} gives every fault a unique name, because draws and the journal use them`, () => {
      const profile: Profile = presets[name]
      const names = (profile.faults ?? []).map((rule) => rule.name)
      assert.isTrue(names.every((each) => each !== undefined))
      assert.strictEqual(new Set(names).size, names.length)
    })
  }

  it("hostile has every kind of fault", () => {
    const kinds = SettingsFile.faultPlanFromUnknown([{ fault: { kind: "?" } }])
    const known = /one of (.*), got/u.exec(Result.isFailure(kinds) ? kinds.failure.message : "")?.[1]?.split(", ") ?? []
    assert.isAbove(known.length, 10)
    assert.deepStrictEqual(
      [...new Set(presets.hostile.faults.map(({ fault }) => fault.kind as string))].toSorted(),
      known.toSorted()
    )
  })
})
