import type { Run } from "@webagent/admin"
import { assert, describe, it } from "@effect/vitest"
import { markdownOf } from "../../src/features/run/exported.ts"
import { resultText } from "../../src/features/run/values.ts"
import { formats } from "../../src/features/runs/exported.ts"
import { csvOf as spendCsvOf } from "../../src/features/spend/exported.ts"
import { csv } from "../../src/ui/csv.ts"
import { makeWorld } from "../server/World.ts"

const csvOf = (runs: ReadonlyArray<Run>) => `${formats.csv.start}${formats.csv.rows(runs)}${formats.csv.end}`

const world = makeWorld(20)
const [run] = [...world.runs.values()]
if (run === undefined) throw new Error("The world has no run")

describe("CSV", () => {
  it("quotes commas, quotes and line ends", () => {
    const [, line = ""] = csvOf([{ ...run, task: 'Say "hi", then\nstop' }]).split("\r\n")
    assert.include(line, '"Say ""hi"", then\nstop"')
  })

  it("puts an apostrophe before text that a spreadsheet would calculate", () => {
    const [, line = ""] = csvOf([
      { ...run, task: '=HYPERLINK("http://evil.example")', title: "+1", error: "@SUM(A1)" }
    ]).split("\r\n")
    assert.include(line, `"'=HYPERLINK(""http://evil.example"")"`)
    assert.include(line, ",+1,")
    assert.include(line, "'@SUM(A1)")
  })

  it("puts an apostrophe before a later formula, and quotes text with other separators", () => {
    const cell = (task: string) => csv([[task, "end"]]).replace(/,end$/u, "")
    assert.strictEqual(cell(" =1+1"), "' =1+1")
    assert.strictEqual(cell('"=1+1'), `"'""=1+1"`)
    assert.strictEqual(cell("\uff1dcmd|' /C calc'!A0"), "'\uff1dcmd|' /C calc'!A0")
    assert.strictEqual(cell("|cmd"), "'|cmd")
    assert.strictEqual(cell("\t=1"), `"'\t=1"`)
    assert.strictEqual(cell("\n=1"), `"'\n=1"`)
    assert.strictEqual(cell("a;=1+1"), '"a;=1+1"')
    assert.strictEqual(cell("a\t=1+1"), '"a\t=1+1"')
    assert.strictEqual(cell("-1+2"), "'-1+2")
    assert.strictEqual(cell("--1"), "'--1")
    for (const number of ["-0.5", "+1", "12"]) assert.strictEqual(cell(number), number)
    for (const text of ["a=b", "mail@shop.example", "x - y"]) assert.strictEqual(cell(text), text)
  })

  it("escapes the names of keys in the cost as well", () => {
    const row = { day: null, key: "=1+1", model: null, usd: "0.5", runs: 1, inputTokens: 1, outputTokens: 1 }
    const sums = { from: "", to: "", totalUsd: "0.5", rows: [row] }
    assert.strictEqual(spendCsvOf("key", sums), "key,usd,runs,inputTokens,outputTokens\r\n'=1+1,0.5,1,1,1")
  })

  it("has the key and the model of the costliest runs", () => {
    const run = { id: "r1", title: "@find" }
    const row = { day: null, key: "shop", model: "m", run, usd: "7", runs: 1, inputTokens: 2, outputTokens: 3 }
    assert.strictEqual(
      spendCsvOf("run", { from: "", to: "", totalUsd: "7", rows: [row] }),
      "run,title,key,model,usd,runs,inputTokens,outputTokens\r\nr1,'@find,shop,m,7,1,2,3"
    )
  })

  it("has a field for each column of its header", () => {
    const [head = "", line = ""] = csvOf([{ ...run, task: "plain", tags: [], result: null }]).split("\r\n")
    assert.strictEqual(line.split(",").length, head.split(",").length)
  })
})

describe("JSON", () => {
  it("is the API's response", () => {
    const { end, rows, start } = formats.json
    const pages = [[run], [], [run, run]].map((page, index) => rows(page, index === 0))
    assert.deepStrictEqual(JSON.parse([start, ...pages, end].join("")), [run, run, run])
    assert.deepStrictEqual(JSON.parse(`${start}${rows([], true)}${end}`), [])
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
