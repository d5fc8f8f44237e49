import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import { away, dated, green, greenEvents, mixedEvents, night, replay } from "./fixture.ts"

const { annotation, render } = MarkdownReporter

describe("MarkdownReporter", () => {
  it("what needs a person is a table, worst first; the rest is folded away", () => {
    const text = render(night, replay)
    const [table = "", folded = ""] = text.split("<details><summary>The other")
    assert.deepStrictEqual(
      [...table.matchAll(/^\| \*\*(.*?)\*\* \|/gmu)].map(([, what]) => what),
      ["claimed success wrongly", "failed", "browser left open", "flaky", "service not reached", "not scored"]
    )
    assert.match(table, /^## ❌ 2 of 7 scenarios failed, 1 while the agent claimed success; 1 flaky; 1 not reached/u)
    assert.include(table, 'replay    harness run checkout --name "buys the red mug" --seed 1')
    assert.include(folded, "| known to fail | failed | 0/2 |")
    assert.notInclude(table, "known to fail")
  })

  it("where nights before are known, the table and the annotation tell what is new from what is old", () => {
    const text = render(dated, replay)
    assert.match(text, /^\| what \| where \| old or new \| why \|\n\| --- \| --- \| --- \| --- \|\n\| \*\*flaky\*\*/mu)
    assert.match(text, /^\| \*\*flaky\*\* \| [^|]* \| new \| 2 of 3/mu)
    assert.match(text, /^\| \*\*failed\*\* \| [^|]* \| again after 3 green nights \|/mu)
    assert.match(text, /^\| \*\*not scored\*\* \| [^|]* \| since 2026&#45;11&#45;15, 7 nights \|/mu)
    const said = annotation(dated) ?? ""
    assert.match(said, /^::error title=1 of 9 scenarios is newly red%2C 2 are red again%2C 3 are red as before;/u)
    assert.match(said, /::checkout › buys the red mug: flaky \(new\)\. 2 of 3/u)
  })

  it("a green run is one line before what is folded away", () => {
    assert.match(render(green, replay), /^## ✅ The one scenario passed; 0\.00 USD\n\n[^\n]*\n\n<details>/u)
  })

  it("what one cause kept from being scored is one row, and its scenarios are folded away", () => {
    const text = render(away, replay)
    assert.lengthOf([...text.matchAll(/^\| \*\*/gmu)], 2)
    assert.match(
      text,
      /^\| \*\*service not reached\*\* \| 14 scenarios \| .*; POST \/api\/v4\/runs answered 503 .*\|$/mu
    )
    assert.include(text, "away › runs 0\naway › runs 1\n")
    assert.include(text, 'replay    harness run away --name "runs 0" --seed 1')
    assert.notInclude(text, '"runs 1"')
    assert.match(
      annotation(away) ?? "",
      /14 scenarios: service not reached\. 09:12:44 \.\. 09:12:55 UTC [^%]*\(4\)%0A/u
    )
  })

  it("no text of a failure can become Markdown or HTML", () => {
    const [first] = night.results
    assert.isDefined(first)
    const evil = {
      ...first,
      name: "<img src=x> | a [b](c)\n\n# d @everyone",
      failure: { kind: "check" as const, message: "```\nx" }
    }
    const text = render({ ...night, results: [evil] }, replay)
    assert.notMatch(text.replaceAll(/^(`{3,}).*?^\1$/gmsu, ""), /<img|@everyone/u)
    assert.include(text, "````text\n```\nx")
    for (const row of text.split("\n").filter((line) => line.startsWith("| **"))) {
      assert.strictEqual(row.split("|").length, 5)
    }
  })

  it("never more than GitHub shows, and it says what is missing", () => {
    const results = Array.from({ length: 1500 }, (_, index) =>
      night.results.map((result) => ({ ...result, name: `${result.name} ${index} 🥐` }))
    ).flat()
    const text = render({ ...night, results }, replay)
    assert.isAtMost(Buffer.byteLength(text), MarkdownReporter.most)
    assert.match(text, /\d+ findings more: see report\.html\./u)
    assert.match(text, /\d+ scenarios more: see report\.html\./u)
  })

  it("all failures are one annotation", () => {
    const command = annotation(night) ?? ""
    assert.match(command, /^::error title=[^:,\n]*::[^\n]*$/u)
    assert.include(command, "checkout › pays: claimed success wrongly.")
    assert.include(command, "%0A")
    assert.isUndefined(annotation(green))
  })

  it.effect("it adds to the job's summary and marks only a run in which something is wrong", () =>
    Effect.gen(function* () {
      const files: Array<string> = []
      const said: Array<string> = []
      const memory = FileSystem.layerNoop({
        writeFileString: (path, _, options) => Effect.sync(() => void files.push(`${path} ${options?.flag ?? "w"}`)),
        rename: (from, to) => Effect.sync(() => void files.push(`${from} ${to}`))
      })
      const reporter = MarkdownReporter.make({
        path: "out/summary.md",
        replay,
        jobSummary: "job.md",
        annotate: (text) => Effect.sync(() => void said.push(text))
      })
      yield* Effect.provide(reporter(Stream.fromIterable(greenEvents)), memory)
      assert.deepStrictEqual(
        [files, said.length],
        [["out/summary.md.part w", "out/summary.md.part out/summary.md", "job.md a"], 0]
      )
      yield* Effect.provide(reporter(Stream.fromIterable(mixedEvents)), memory)
      assert.strictEqual(said.length, 1)
    })
  )
})
