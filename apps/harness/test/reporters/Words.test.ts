import { describe, expect, it } from "@effect/vitest"
import { ofReport } from "@webagent/nights/Night"
import { conclude } from "@webagent/findings/Conclusion"
import * as NightText from "@webagent/findings/words/NightText"
import * as RunText from "@webagent/findings/words/RunText"
import type { RunReport } from "@webagent/report/RunReport"
import { plain } from "@webagent/cli/Style"
import * as Effect from "effect/Effect"
import * as Findings from "../../src/page/Findings.ts"
import * as Judged from "../../src/page/Judged.ts"
import * as ConsoleReporter from "../../src/reporters/ConsoleReporter.ts"
import * as GitHubReporter from "../../src/reporters/GitHubReporter.ts"
import * as JUnitReporter from "../../src/reporters/JUnitReporter.ts"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import * as Notification from "../../src/reporters/Notification.ts"
import { consumed } from "./consumed.ts"
import { replay } from "./fixture.ts"
import { prepared } from "./prepared.ts"

const onConsole = (report: RunReport) => {
  const lines: Array<string> = []
  const reporter = ConsoleReporter.make({
    write: (text) => Effect.sync(() => void lines.push(text)),
    style: plain,
    live: false,
    columns: 120,
    rows: 40,
    replay,
    next: () => undefined
  })
  return Effect.as(consumed(reporter, [{ _tag: "RunFinished", report }]), lines).pipe(
    Effect.map((all) => all.join("").split("\n"))
  )
}

/** The words of a page, a line for each element that has any. */
const textOf = (html: string) =>
  html
    .replaceAll(/<(?!\/?(?:b|i|span|small|code)\b)[^>]*>/gu, "\n")
    .replaceAll(/<[^>]*>/gu, " ")
    .split("\n")
    .map((line) => line.replaceAll(/ +/gu, " ").trim())
    .filter((line) => line !== "" && !line.startsWith("harness run"))

/** Runs whose figures without a change are part of the snapshot. */
const withAllFigures = ["perfect", "three nights", "new code"]

const wordsOf = Effect.fnUntraced(function* (name: string, run: RunReport) {
  const report = conclude(run)
  const night = ofReport(report)
  const judged = Judged.render(report.judgement)
  return {
    title: RunText.titleOf(report),
    night: { status: night.status, title: NightText.titleOf({ ...night, findings: report.findings }) },
    console: yield* onConsole(report),
    github: [...GitHubReporter.annotations(report), ...GitHubReporter.warnings(report)],
    notification: Notification.of(report, [], { url: undefined, folder: undefined }),
    markdown: MarkdownReporter.render(report, replay)
      .split("\n")
      .filter((line) => /^(?:##|\| \*\*|[A-Z])/u.test(line)),
    page: [
      ...textOf(Findings.render(report, ({ name }) => name, replay)),
      ...textOf(withAllFigures.includes(name) ? judged : judged.replace(/<details.*/su, ""))
    ],
    junit: JUnitReporter.render(report, replay).match(/<(?:failure|error|skipped) message="[^"]*"/gu)
  }
})

describe("words of prepared runs", () => {
  it.each(Object.entries(prepared))("%s", async (name, run) => {
    expect(await Effect.runPromise(wordsOf(name, run))).toMatchSnapshot()
  })
})
