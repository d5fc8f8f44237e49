import { assert, describe, it } from "@effect/vitest"
import type * as Effects from "../src/index.ts"
import type * as Promises from "../src/promise/index.ts"

// What must not compile is marked: the compiler fails where it does.

const typos = (session: Effects.Session | Promises.Session) => [
  // @ts-expect-error a field that is misspelt
  session.resutl,
  // @ts-expect-error a status that is misspelt
  session.status === "completed"
]

const inputs = (sessions: Promises.Sessions) => [
  // @ts-expect-error a field that is misspelt
  () => sessions.create({ task: "t", thinkinglevel: "high" }),
  () => sessions.create({ task: "t" }, { extraBody: { maxSteps: 4 } })
]

describe("types", () => {
  it("reject a misspelled field or status; unknown values are under raw or an OpenStatus", () => {
    const session: Effects.Session = { id: "s-1", status: "idle", raw: { later: 1 } }
    const same: Promises.Session = session
    assert.strictEqual(same.raw?.["later"], 1)
    assert.lengthOf(typos(session), 2)
    assert.isFunction(inputs)
  })
})
