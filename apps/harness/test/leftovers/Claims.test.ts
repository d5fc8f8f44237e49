import { assert, describe, it } from "@effect/vitest"
import type { OpenItem } from "@webagent/core"
import { claims, type Sieve } from "../../src/leftovers/Claims.ts"

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
const { id: _, ...unlearnt } = item

const sieve: Sieve = {
  baseUrls: { v2: `${origin}/api/v2`, v3: `${origin}/api/v3`, v4: `${origin}/api/v4` },
  owner: undefined,
  atWork: (owner) => (["4711", "process 4711"].includes(owner) ? 4711 : undefined),
  now_ms: 1_060_000,
  youngest_ms: 0
}

const tagOf = (of: OpenItem, change: Partial<Sieve> = {}) =>
  claims([of], { ...sieve, ...change }).map((claim) => (claim._tag === "Left" ? claim.version : claim._tag))

describe("what is left of a ledger", () => {
  it("is what has an id, by the version that made it", () => {
    assert.deepStrictEqual(tagOf(item), ["v4"])
    assert.deepStrictEqual(tagOf({ ...item, kind: "session", path: "/api/v3/sessions" }), ["v3"])
    assert.deepStrictEqual(tagOf(unlearnt), ["Unlearnt"])
  })

  it("is not what another service made, however alike its address", () => {
    for (const other of ["https://b.example", "http://a.example", "https://a.example.org"]) {
      assert.deepStrictEqual(tagOf({ ...item, origin: other }), ["Elsewhere"])
      assert.deepStrictEqual(tagOf({ ...item, origin: other }, { baseUrls: undefined }), ["v4"])
    }
    assert.deepStrictEqual(tagOf({ ...item, path: "/other/api/v4/browsers" }), ["Elsewhere"])
  })

  it("is not what a process at work holds, nor what was opened just now", () => {
    for (const owner of ["4711", "process 4711"]) {
      assert.deepStrictEqual(tagOf({ ...item, owner }), ["InUse"])
      assert.deepStrictEqual(tagOf({ ...item, owner }, { owner }), ["v4"])
    }
    for (const owner of ["4712", "process 4712", "nightly 4711"]) {
      assert.deepStrictEqual(tagOf({ ...item, owner }), ["v4"])
      assert.deepStrictEqual(tagOf({ ...item, owner }, { owner: "4711" }), [])
    }
    assert.deepStrictEqual(tagOf(unlearnt, { youngest_ms: 60_001 }), ["InUse"])
    assert.deepStrictEqual(tagOf(item, { youngest_ms: 60_000 }), ["v4"])
  })
})
