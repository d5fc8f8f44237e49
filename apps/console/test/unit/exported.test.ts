import { assert, describe, it } from "@effect/vitest"
import { markdownOf, resultText } from "../../src/features/run/exported.ts"
import { csvOf, jsonOf } from "../../src/features/runs/exported.ts"
import { makeWorld } from "../server/World.ts"

const world = makeWorld(20)
const [run] = [...world.runs.values()]
if (run === undefined) throw new Error("The world has no run")

describe("CSV", () => {
  it("quotes commas, quotes and line ends", () => {
    const [, line = ""] = csvOf([{ ...run, task: 'Say "hi", then\nstop' }]).split("\r\n")
    assert.include(line, '"Say ""hi"", then\nstop"')
  })

  it("has an apostrophe before what a spreadsheet would calculate", () => {
    const [, line = ""] = csvOf([
      { ...run, task: '=HYPERLINK("http://evil.example")', title: "+1", error: "@SUM(A1)" }
    ]).split("\r\n")
    assert.include(line, `"'=HYPERLINK(""http://evil.example"")"`)
    assert.include(line, ",+1,")
    assert.include(line, "'@SUM(A1)")
  })

  it("has a field for each column of its header", () => {
    const [head = "", line = ""] = csvOf([{ ...run, task: "plain", tags: [], result: null }]).split("\r\n")
    assert.strictEqual(line.split(",").length, head.split(",").length)
  })
})

describe("JSON", () => {
  it("is what the API returns", () => {
    assert.deepStrictEqual(JSON.parse(jsonOf([run])), [run])
  })
})

describe("Markdown", () => {
  it("keeps a result with fences in one block", () => {
    const details = world.details({ ...run, result: "```\n# not a heading\n```", error: null })
    const text = markdownOf(details, [])
    assert.include(text, "````\n```\n# not a heading\n```\n````")
  })

  it("escapes markup in steps", () => {
    const [step] = world.stepsOf(run)
    if (step === undefined) throw new Error("The run has no step")
    const text = markdownOf(world.details(run), [
      { ...step, summary: "[click](javascript:alert(1)) <img>", address: null }
    ])
    assert.include(text, "\\[click\\](javascript:alert(1)) \\<img\\>")
  })

  it("indents a result that is JSON", () => {
    assert.strictEqual(resultText({ a: 1 }), '{\n  "a": 1\n}')
    assert.strictEqual(resultText("text"), "text")
  })
})
