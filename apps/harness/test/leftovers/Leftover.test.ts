import { assert, describe, it } from "@effect/vitest"
import type { OpenItem } from "@webagent/core"
import { ofLedger, type Selection } from "../../src/leftovers/Leftover.ts"

const origin = "https://a.example"
const item: OpenItem = {
  kind: "browser",
  key: "k",
  id: "b-1",
  state: "opened",
  at_ms: 1_000_000,
  method: "POST",
  path: "/api/v4/browsers",
  origin,
  requestId: "q"
}
const { id: _, ...unknown } = item

const selection: Selection = {
  baseUrls: { v2: `${origin}/api/v2`, v3: `${origin}/api/v3`, v4: `${origin}/api/v4` },
  owner: undefined,
  atWork: (owner) => (["4711", "process 4711"].includes(owner) ? 4711 : undefined),
  now_ms: 1_060_000,
  youngest_ms: 0
}

const stateOf = (of: OpenItem, change: Partial<Selection> = {}) =>
  ofLedger([of], { ...selection, ...change }).map(({ state }) => state)

describe("leftovers of a ledger", () => {
  it("have an id", () => {
    assert.deepStrictEqual(stateOf(item), ["left"])
    assert.deepStrictEqual(stateOf({ ...item, kind: "session", path: "/api/v3/sessions" }), ["left"])
    assert.deepStrictEqual(stateOf(unknown), ["unknown"])
  })

  it("exclude another service's resources, even with a similar address", () => {
    for (const other of ["https://b.example", "http://a.example", "https://a.example.org"]) {
      assert.deepStrictEqual(stateOf({ ...item, origin: other }), ["open"])
      assert.deepStrictEqual(stateOf({ ...item, origin: other }, { baseUrls: undefined }), ["left"])
    }
    assert.deepStrictEqual(stateOf({ ...item, path: "/other/api/v4/browsers" }), ["open"])
  })

  it("exclude resources of a running process and those opened just now", () => {
    for (const owner of ["4711", "process 4711"]) {
      assert.deepStrictEqual(stateOf({ ...item, owner }), ["in use"])
      assert.deepStrictEqual(stateOf({ ...item, owner }, { owner }), ["left"])
    }
    for (const owner of ["4712", "process 4712", "nightly 4711"]) {
      assert.deepStrictEqual(stateOf({ ...item, owner }), ["left"])
      assert.deepStrictEqual(stateOf({ ...item, owner }, { owner: "4711" }), [])
    }
    assert.deepStrictEqual(stateOf(unknown, { youngest_ms: 60_001 }), ["in use"])
    assert.deepStrictEqual(stateOf(item, { youngest_ms: 60_000 }), ["left"])
  })
})
