import * as CliOutput from "effect/cli/CliOutput"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import { assert, describe, it } from "vitest"
import { formatter } from "../src/HelpText.ts"

const flag = (name: string, type = "string"): HelpDoc.FlagDoc => ({
  name,
  aliases: [],
  type,
  description: Option.some(`About ${name}`),
  required: false
})

const sections = (flags: ReadonlyArray<HelpDoc.FlagDoc>) =>
  formatter(CliOutput.defaultFormatter({ colors: false }), { LIMIT: "max-cost timeout", TARGET: "target" })
    .formatHelpDoc({
      description: "Runs.",
      usage: "run [flags]",
      flags,
      annotations: new Map() as never
    } as HelpDoc.HelpDoc)
    .split("\n")
    .map((line) => line.trim().replace(/\s+/gu, " "))

const some = Array.from({ length: 12 }, (_, index) => flag(`other-${index}`, "boolean"))

describe("help", () => {
  it("names the values of flags", () => {
    const lines = sections([flag("max-cost"), flag("timeout"), flag("trials", "integer"), flag("json", "boolean")])
    for (const line of [
      "--max-cost <usd> About max-cost",
      "--timeout <time> About timeout",
      "--trials <n> About trials"
    ])
      assert.include(lines, line)
    assert.include(lines, "--json About json")
    assert.include(lines, "FLAGS")
  })

  it("shows many flags in groups, and those without a group last", () => {
    const lines = sections([...some, flag("target"), flag("timeout"), flag("max-cost")])
    const at = (line: string) => {
      assert.include(lines, line)
      return lines.indexOf(line)
    }
    assert.isBelow(at("LIMIT FLAGS"), at("--timeout <time> About timeout"))
    assert.isBelow(at("--max-cost <usd> About max-cost"), at("TARGET FLAGS"))
    assert.isBelow(at("--target <url> About target"), at("OTHER FLAGS"))
    assert.isBelow(at("OTHER FLAGS"), at("--other-11 About other-11"))
    assert.notInclude(lines, "FLAGS")
  })
})
