import { WaitTimeoutError } from "@webagent/polling"
import { assert, describe, it } from "vitest"
import * as CopiedErrors from "../src/CopiedErrors.ts"

describe("errors of copied classes", () => {
  it("are recognized by their tag, and errors of a subclass by their class", () => {
    CopiedErrors.recognize()
    CopiedErrors.recognize()
    class OwnError extends WaitTimeoutError {}
    const copy = Object.assign(new Error("late"), { [`~effect/Schema/Class/${WaitTimeoutError.identifier}`]: true })
    assert.instanceOf(copy, WaitTimeoutError)
    assert.notInstanceOf(copy, OwnError)
    assert.notInstanceOf(new Error("late"), WaitTimeoutError)
    assert.instanceOf(new OwnError({ kind: "run", id: "r1", polls: 1, waited_ms: 1 }), OwnError)
  })
})
