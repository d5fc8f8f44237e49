import { assert, describe, it } from "@effect/vitest"
import { type Need, needs } from "@webagent/scenario"
import * as Capabilities from "../../src/target/Capabilities.ts"

const words = Object.keys(needs) as ReadonlyArray<Need>

describe("Capabilities", () => {
  it("a simulated service of ours serves every need but the one that no target serves yet", () => {
    const served = Capabilities.of({ ours: true, simulated: true, allowPaid: false, v2SessionId: undefined })
    const lacking = Capabilities.lacking(served)
    assert.deepStrictEqual(
      words.filter((need) => lacking(need) !== undefined),
      ["control-api"]
    )
    assert.strictEqual(
      lacking("control-api"),
      "it needs the control API of our own servers, which no target serves yet"
    )
    assert.include(needs["control-api"], "no target serves it yet")
  })

  it("a service that is not ours serves what the user vouches for, and says why it serves nothing else", () => {
    const known = { ours: false, simulated: false, allowPaid: false, v2SessionId: undefined }
    assert.deepStrictEqual([...Capabilities.of(known)], [])
    assert.isTrue(words.every((need) => (Capabilities.lacking(new Set())(need) ?? "") !== ""))
    assert.deepStrictEqual(
      [...Capabilities.of({ ...known, allowPaid: true, v2SessionId: "some" })],
      ["money", "v2-session"]
    )
  })
})
