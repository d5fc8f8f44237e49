import { operations } from "@webagent/contract/Wire"
import { assert, describe, it } from "@effect/vitest"
import { violation } from "../../k6/Contract.ts"
import type { Operation } from "../../k6/Operation.ts"

describe("violation", () => {
  it("knows the response of every operation of the contract", () => {
    for (const [version, byName] of Object.entries(operations)) {
      for (const name of Object.keys(byName)) {
        assert.notInclude(String(violation(`${version}.${name}` as Operation, "null")), "has no operation", name)
      }
    }
  })

  it("accepts a described response, and names the mismatch of another", () => {
    assert.isUndefined(violation("v4.getRunStatus", '{"status":"running"}'))
    assert.isUndefined(violation("v4.createRun", '{"id":"r1","more":1}'))
    assert.include(violation("v4.getRunStatus", '{"status":3}'), "status")
    assert.isDefined(violation("v4.getRunStatus", "<html>"))
  })
})
