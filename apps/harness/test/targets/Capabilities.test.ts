import { assert, describe, it } from "@effect/vitest"
import { type Need, needs } from "@webagent/scenario"
import * as Capabilities from "../../src/targets/Capabilities.ts"

const words = Object.keys(needs) as ReadonlyArray<Need>

describe("Capabilities", () => {
  it("include every need of our simulated service, except for the last without its control API", () => {
    const known = { ours: true, extended: true, simulated: true, allowPaid: false, v2SessionId: undefined }
    const lacking = (controlled: boolean) => {
      const served = Capabilities.of({ ...known, controlled })
      return words.filter((need) => Capabilities.lacking(served)(need) !== undefined)
    }
    assert.deepStrictEqual(lacking(true), [])
    assert.deepStrictEqual(lacking(false), ["control-api"])
    assert.include(Capabilities.lacking(new Set())("control-api"), "--control")
  })

  it("include only the declared needs of another service, with the reason for the others", () => {
    const known = {
      ours: false,
      extended: false,
      simulated: false,
      allowPaid: false,
      v2SessionId: undefined,
      controlled: false
    }
    assert.deepStrictEqual([...Capabilities.of(known)], [])
    assert.isTrue(words.every((need) => (Capabilities.lacking(new Set())(need) ?? "") !== ""))
    assert.deepStrictEqual(
      [...Capabilities.of({ ...known, allowPaid: true, v2SessionId: "some" })],
      ["money", "v2-session"]
    )
  })
})
