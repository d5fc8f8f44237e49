import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { RunHeader } from "../src/RunReport.ts"
import { isHidden, withoutAddress } from "../src/StoredArgument.ts"
import { reportOf } from "./reports.ts"

describe("an argument in a report", () => {
  it.each([
    ["webhook=https://hooks.example/services/T0/secret", "webhook=https://hooks.example/<hidden>"],
    ["--notify=webhook=https://hooks.example/secret", "--notify=webhook=https://hooks.example/<hidden>"],
    ["webhook=HTTPS://name:secret@hooks.example:8443/?token=secret", "webhook=https://hooks.example:8443/<hidden>"],
    ["webhook= http://127.0.0.1:9/secret", "webhook=http://127.0.0.1:9/<hidden>"]
  ])("%s keeps only the server of a webhook", (argument, stored) => {
    assert.strictEqual(withoutAddress(argument), stored)
    assert.strictEqual(withoutAddress(stored), stored)
    assert.isTrue(isHidden(stored))
  })

  it.each(["webhook=HOOK", "slack=HOOK", "command=curl https://a.example/b", "--target", "https://a.example/b"])(
    "%s stays unchanged",
    (argument) => assert.strictEqual(withoutAddress(argument), argument)
  )

  it("loses a webhook's address when an older report is read", () => {
    const { header } = reportOf([])
    const args = ["--notify", "webhook=https://hooks.example/secret"]
    assert.deepStrictEqual(Schema.decodeSync(RunHeader)({ ...header, args }).args, [
      "--notify",
      "webhook=https://hooks.example/<hidden>"
    ])
  })
})
