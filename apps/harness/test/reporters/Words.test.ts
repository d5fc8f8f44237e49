import { describe, expect, it } from "@effect/vitest"
import { ofReport } from "@webagent/nights/Night"
import { conclude } from "@webagent/findings/Conclusion"
import * as NightText from "@webagent/findings/words/NightText"
import * as RunText from "@webagent/findings/words/RunText"
import type { RunReport } from "@webagent/report/RunReport"
import { plain } from "@webagent/cli/Style"
import * as Effect from "effect/Effect"
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

const wordsOfProblem = ({ age, evidence, owner, title, what }: Notification.Notification["problems"][number]) => ({
  age,
  evidence,
  ...(owner === null ? {} : { owner }),
  title,
  what
})

/** The words of a run's notification. */
const notificationOf = (report: RunReport) => {
  const options = { url: undefined, report: null, linkOf: () => null, remindDays: 7 }
  const notification = Notification.of(report, [], options)
  return notification && { ...notification, problems: notification.problems.map(wordsOfProblem) }
}

const wordsOf = Effect.fnUntraced(function* (run: RunReport) {
  const report = conclude(run)
  const night = ofReport(report)
  return {
    title: RunText.titleOf(report),
    night: { status: night.status, title: NightText.titleOf({ ...night, findings: report.findings }) },
    console: yield* onConsole(report),
    github: [...GitHubReporter.annotations(report), ...GitHubReporter.warnings(report)],
    notification: notificationOf(report),
    markdown: MarkdownReporter.render(report, replay)
      .split("\n")
      .filter((line) => /^(?:##|\| \*\*|[A-Z])/u.test(line)),
    junit: JUnitReporter.render(report, replay).match(/<(?:failure|error|skipped) message="[^"]*"/gu)
  }
})

describe("words of prepared runs", () => {
  it.each(Object.entries(prepared))("%s", async (_, run) => {
    expect(await Effect.runPromise(wordsOf(run))).toMatchSnapshot()
  })
})
