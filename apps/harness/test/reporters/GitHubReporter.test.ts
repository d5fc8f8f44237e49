import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import type { RunEvent } from "@webagent/report/RunEvent"
import { basename, dirname } from "node:path"
import { annotations, github } from "../../src/reporters/GitHubReporter.ts"
import { mornings } from "../mornings/mornings.ts"
import { consumed, made } from "./consumed.ts"
import { away, dated, green, greenEvents, mixedEvents, night, replay } from "./fixture.ts"
import { textOf } from "./words.ts"

/** The text of a command without GitHub's escapes. */
const decoded = (command = "") =>
  command.replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%0A", "\n").replaceAll("%25", "%")

describe("GitHubReporter", () => {
  it("annotates each failing scenario at the line of its failed check, at most ten", () => {
    const said = annotations(night)
    for (const command of said)
      assert.match(command, /^::error (?:file=[^:,\n]*,(?:line=\d+,)?)?title=[^:,\n]*::[^\n]*$/u)
    const pays = textOf(night, "Failed", "pays")
    assert.include(decoded(said[0]), `file=checkout.suite.ts,line=14,title=checkout › pays: ${pays.what}::`)
    assert.deepStrictEqual(annotations(green), [])
    const [known] = night.results.filter(({ name }) => name === "known for too long")
    assert.isDefined(known)
    const twelve = Array.from({ length: 12 }, (_, index) => ({ ...known, name: `${known.name} ${index}` }))
    const many = annotations({ ...night, results: twelve })
    assert.lengthOf(many, 10)
    assert.match(many[9] ?? "", /%0Aand \d+ more: see report\.html\.$/u)
  })

  it("makes one annotation for scenarios that fail for one cause", () => {
    const [failing] = night.results.filter(({ name }) => name === "buys the red mug")
    assert.isDefined(failing)
    const results = ["one", "two"].map((name) => ({ ...failing, name }))
    const titles = annotations({ ...night, results, breaches: [] }).map((said) => /title=(.*?)%3A/u.exec(said)?.[1])
    assert.deepStrictEqual(titles.slice(0, 2), ["checkout › one", "checkout › two"])
  })

  it("mentions a shared cause, and shows the first scenario of each cause before the others", () => {
    const [failing] = night.results.filter(({ name }) => name === "buys the red mug")
    const [leaking] = night.results.filter(({ name }) => name === "forgets")
    assert.isDefined(failing)
    assert.isDefined(leaking)
    const many = Array.from({ length: 12 }, (_, index) => ({ ...failing, name: `s${index}` }))
    const said = annotations({ ...night, results: [...many, leaking], breaches: [] })
    assert.lengthOf(said, 10)
    const report = { ...night, results: [...many, leaking], breaches: [] }
    const flaky = textOf(report, "Flaky")
    assert.isDefined(flaky.shared)
    assert.match(decoded(said[1]), /title=checkout › s\d+: /u)
    assert.isTrue(decoded(said[1]).includes(`: ${flaky.what}::`) && decoded(said[1]).endsWith(`(${flaky.shared})`))
    const leak = textOf(report, "Leak").what
    assert.strictEqual(said.filter((command) => command.includes(leak)).length, 1)
  })

  it("makes one annotation for a leak and a failure", () => {
    const [leaking] = night.results.filter(({ trials }) =>
      trials.some(({ leakedBrowsers }) => leakedBrowsers.length > 0)
    )
    assert.isDefined(leaking)
    const said = annotations(night).filter((command) => command.includes(`${leaking.suite} › ${leaking.name}%3A`))
    assert.lengthOf(said, 1)
  })

  it("marks new failures, and reports an outage once with the scenarios that it affected", () => {
    const flaky = textOf(dated, "Flaky")
    assert.isDefined(flaky.age)
    assert.include(
      annotations(dated).map(decoded),
      `::error file=checkout.suite.ts,line=14,title=${flaky.place}: ${flaky.what} (${flaky.age})::${flaky.evidence}`
    )
    const { evidence, place, what } = textOf(away, "Unreachable")
    assert.isTrue(
      decoded(annotations(away)[0]).startsWith(`::error title=${place}: ${what}::${evidence}\naway › runs 0\n`)
    )
  })

  it("names files relative to the repository, and a suite's file if no check failed", () => {
    const root = dirname(process.cwd())
    const here = basename(process.cwd())
    assert.include(annotations(night, root)[0], `::error file=${here}/checkout.suite.ts,line=14,`)
    const placed = (argument: string) => {
      const suites = night.header.suites.map((suite) => ({ ...suite, argument }))
      return annotations({ ...night, header: { ...night.header, suites } }, root).filter(
        (said) => !said.includes("line=")
      )
    }
    assert.isTrue(placed("shop.suite.ts").some((said) => said.startsWith(`::error file=${here}/shop.suite.ts,title=`)))
    assert.isFalse(placed("/elsewhere/shop.suite.ts").some((said) => said.includes("file=")))
  })

  it.effect("adds to the job's summary, and marks only a run with a problem", () =>
    Effect.gen(function* () {
      const files: Array<string> = []
      const summaries: Array<string> = []
      const lines: Array<string> = []
      const memory = FileSystem.layerNoop({
        writeFileString: (path, text, options) =>
          Effect.sync(() => {
            files.push(`${path} ${options?.flag ?? "w"}`)
            summaries.push(text)
          })
      })
      const stdio = Stdio.layerTest({
        stdout: () => Sink.forEach((text) => Effect.sync(() => void lines.push(String(text))))
      })
      const env = ConfigProvider.layer(
        ConfigProvider.fromEnv({ env: { GITHUB_STEP_SUMMARY: "job.md", GITHUB_ACTIONS: "true" } })
      )
      const report = (events: ReadonlyArray<RunEvent>) =>
        consumed(made(github, undefined, replay), events, Layer.merge(memory, stdio)).pipe(Effect.provide(env))
      yield* report(greenEvents)
      assert.deepStrictEqual([files, lines.length], [["job.md a"], 0])
      yield* report(mixedEvents)
      assert.isAbove(lines.length, 0)
      // its commands call the program as the replay commands do
      yield* report([{ _tag: "RunFinished", report: mornings["lost shard"].report }])
      assert.include(summaries.at(-1), "run       npx webagent-harness merge shards/* --record")
    })
  )
})
