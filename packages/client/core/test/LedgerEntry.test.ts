import { assert, describe, it } from "@effect/vitest"
import { type LedgerEntry, OpenItems } from "../src/index.ts"

const opening = (key: string, at_ms: number): LedgerEntry => ({
  _tag: "opening",
  at_ms,
  key,
  kind: "browser",
  method: "POST",
  path: "/api/v4/browsers",
  origin: "https://a.example",
  requestId: `q-${at_ms}`
})
const opened = (key: string, id?: string): LedgerEntry => ({
  _tag: "opened",
  at_ms: 0,
  key,
  ...(id === undefined ? {} : { id })
})
const unknown = (key: string): LedgerEntry => ({ _tag: "unknown", at_ms: 0, key, reason: "cut" })
const refused = (key: string): LedgerEntry => ({ _tag: "refused", at_ms: 0, key })
const closed = (id: string): LedgerEntry => ({ _tag: "closed", at_ms: 0, kind: "browser", id })

describe("OpenItems", () => {
  it.each([
    ["an answer that was lost", [unknown("k")], ["unknown undefined q-1"]],
    ["a process that was killed", [], ["opening undefined q-1"]],
    ["an answer without an id", [opened("k")], ["opened undefined q-1"]],
    ["an answer", [opened("k", "b-1")], ["opened b-1 q-1"]]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<LedgerEntry>, ReadonlyArray<string>]>)(
    "keep what is open after %s, when its key is sent again and refused",
    (_, first, left) => {
      const items = new OpenItems()
      for (const entry of [opening("k", 1), ...first, opening("k", 2), refused("k")]) items.add(entry)
      const said = items.list().map(({ id, requestId, state }) => `${state} ${id} ${requestId}`)
      assert.deepStrictEqual(said, left)
    }
  )

  it("list a lost create by its id once its key was sent again", () => {
    const items = new OpenItems()
    for (const entry of [opening("k", 1), unknown("k"), opening("k", 2), opened("k", "b-1")]) items.add(entry)
    assert.deepStrictEqual(
      items.list().map(({ id }) => id),
      ["b-1"]
    )
    items.add(closed("b-1"))
    assert.deepStrictEqual(items.list(), [])
  })

  it("are two if two creates with one key created two resources", () => {
    const items = new OpenItems()
    for (const entry of [opening("k", 1), opened("k", "b-1"), opening("k", 2), opened("k", "b-2")]) items.add(entry)
    items.add(closed("b-1"))
    assert.deepStrictEqual(
      items.list().map(({ id }) => id),
      ["b-2"]
    )
  })

  it("are in the order in which they were opened, whatever their state", () => {
    const items = new OpenItems()
    for (const entry of [opening("a", 1), opening("b", 2), opened("b", "b-1"), opening("c", 3)]) items.add(entry)
    assert.deepStrictEqual(
      items.list().map(({ key }) => key),
      ["a", "b", "c"]
    )
  })

  it("omit closed resources", () => {
    const items = new OpenItems()
    for (const entry of [opening("k", 1), unknown("k"), refused("k")]) items.add(entry)
    assert.deepStrictEqual(items.list(), [])
  })
})
