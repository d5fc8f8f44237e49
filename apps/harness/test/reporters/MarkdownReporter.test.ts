import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import { away, dated, green, greenEvents, mixedEvents, night, replay } from "./fixture.ts"

const { annotations, render } = MarkdownReporter

describe("MarkdownReporter", () => {
  it("what needs a person is a table, worst first; the rest is folded away", () => {
    const text = render(night, replay)
    const [table = "", folded = ""] = text.split("<details><summary>The other")
    assert.deepStrictEqual(
      [...table.matchAll(/^\| \*\*(.*?)\*\* \|/gmu)].map(([, what]) => what),
      ["claimed success wrongly", "failed", "browser leak", "flaky", "service not reached", "not scored"]
    )
    assert.match(table, /^## ❌ Red&#58; 2 failures, 5 other problems\n/u)
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
    const [said = ""] = annotations(dated)
    assert.match(
      said,
      /^::error file=checkout\.suite\.ts,line=14,title=checkout › buys the red mug%3A flaky \(new\)::2 of 3/u
    )
  })

  it("a green run is one line before what is folded away", () => {
    assert.match(render(green, replay), /^## ✅ Green&#58; 1 of 1 scenario passed\n\n[^\n]*\n\n<details>/u)
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
      annotations(away)[0] ?? "",
      /^::error title=14 scenarios%3A service not reached::09:12:44 to 09:12:55 UTC [^%]*\(4\)%0Aaway › runs 0%0A/u
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
      night.results.map((result) => ({
        ...result,
        name: `${result.name} ${index} 🥐`,
        ...(result.failure === undefined ? {} : { failure: { ...result.failure, message: `order ${index}a` } }),
        trials: result.trials.map((one) =>
          one.failure === undefined ? one : { ...one, failure: { ...one.failure, message: `order ${index}a` } }
        )
      }))
    ).flat()
    const text = render({ ...night, results }, replay)
    assert.isAtMost(Buffer.byteLength(text), MarkdownReporter.most)
    assert.match(text, /\d+ findings more: see report\.html\./u)
    assert.match(text, /\d+ scenarios more: see report\.html\./u)
  })

  it("each finding is an annotation at the line of its failed check, ten at most", () => {
    const said = annotations(night)
    assert.lengthOf(said, 6)
    for (const command of said) assert.match(command, /^::error (?:file=[^:,\n]*,line=\d+,)?title=[^:,\n]*::[^\n]*$/u)
    assert.include(said[0], "file=checkout.suite.ts,line=14,title=checkout › pays%3A claimed success wrongly::")
    assert.deepStrictEqual(annotations(green), [])
    const results = Array.from({ length: 12 }, (_, index) =>
      night.results
        .filter(({ name }) => name === "known for too long")
        .map((result) => ({ ...result, name: `${result.name} ${index}` }))
    ).flat()
    const many = annotations({ ...night, results })
    assert.lengthOf(many, 10)
    assert.match(many[9] ?? "", /%0Aand \d+ more: see report\.html\.$/u)
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
      assert.strictEqual(said.length, 2)
    })
  )
})
