import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Cursor from "../../src/api/Cursor.ts"

const scope = { list: "runs", owner: "shop", filter: { status: "failed", tag: undefined } }
const place = { at_ms: 1_764_000_000_123, n: 42 }

describe("Cursor", () => {
  it("identifies a position in one list for one owner and filter, whatever the order of the filter's fields", () => {
    const cursor = Cursor.encode(scope, place)
    assert.match(cursor, /^[\w-]+$/u)
    assert.deepStrictEqual(Cursor.decode(scope, cursor), Option.some(place))
    const same = { ...scope, filter: { tag: undefined, status: "failed" } }
    assert.deepStrictEqual(Cursor.decode(same, cursor), Option.some(place))
    for (const other of [
      { ...scope, list: "sessions" },
      { ...scope, owner: null },
      { ...scope, owner: "blog" },
      { ...scope, filter: {} },
      { ...scope, filter: { status: "failed", tag: "x" } }
    ]) {
      assert.deepStrictEqual(Cursor.decode(other, cursor), Option.none())
    }
  })

  it("refuses texts that no list returned", () => {
    const { hash } = JSON.parse(Buffer.from(Cursor.encode(scope, place), "base64url").toString())
    const forged = (body: unknown) => Buffer.from(JSON.stringify(body)).toString("base64url")
    for (const text of [
      "",
      "null",
      "%00",
      "'; DROP TABLE turns; --",
      forged(null),
      forged({ v: 2, place: [1, 2], hash }),
      forged({ v: 1, place: ["1", 2], hash }),
      forged({ v: 1, place: [1, 1.5], hash }),
      forged({ v: 1, place: [1], hash }),
      forged({ v: 1, place: [1, 2], hash: "x" })
    ]) {
      assert.deepStrictEqual(Cursor.decode(scope, text), Option.none())
    }
  })
})
