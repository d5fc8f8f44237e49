import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { presetNames, presets, Profile, SettingsFile } from "../src/index.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(Profile))

describe("presets", () => {
  it("each has its own name and says in a sentence what it stands for", () => {
    assert.deepStrictEqual(Object.keys(presets), [...presetNames])
    for (const name of presetNames) {
      assert.strictEqual(presets[name].name, name)
      assert.match(presets[name].description, /^[A-Z].{60,}\.$/u)
    }
  })

  for (const name of presetNames) {
    it(`${name} can be written as a file and read again`, () => {
      const file = encode(presets[name])
      assert.deepStrictEqual(SettingsFile.profileFromJson(file), Result.succeed(presets[name]))
    })

    it(`${name}: the names of its faults are all there and all different, since draws and journal go by them`, () => {
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
