import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import { countsOf, leakedBrowsersOf, type RunReport, type ScenarioResult } from "../runner/RunReport.ts"
import type { Replay, Reporter } from "./Reporter.ts"
import { element, escape } from "./Xml.ts"

const seconds = (duration_ms: number) => (duration_ms / 1000).toFixed(3)

const testcase = (result: ScenarioResult, replay: Replay): string => {
  const { failure } = result
  const leakedBrowsers = leakedBrowsersOf(result)
  const leak =
    leakedBrowsers.length === 0 ? [] : [`left browsers open: ${leakedBrowsers.map(({ id }) => id).join(", ")}`]
  const facts = [
    ...(failure?.expected === undefined ? [] : [`expected  ${failure.expected}`]),
    ...(failure?.actual === undefined ? [] : [`got       ${failure.actual}`]),
    ...(failure?.request === undefined
      ? []
      : [`request   ${failure.request.method} ${failure.request.path} ${failure.request.status ?? "no answer"}`]),
    ...(failure?.where === undefined ? [] : [`where     ${failure.where}`]),
    ...leak
  ]
  const message = failure?.message ?? leak[0]
  return element("testcase", { name: result.name, classname: result.suite, time: seconds(result.duration_ms) }, [
    ...(result.verdict === "skipped" ? [element("skipped", { message: result.reason ?? "" }, [])] : []),
    ...(message === undefined
      ? []
      : [
          element(
            "failure",
            { message, type: failure?.kind ?? "leak" },
            facts.length === 0 ? [] : [escape(facts.join("\n"))]
          )
        ]),
    element("system-out", {}, [escape(`replay    ${replay(result)}`)])
  ])
}

/** The report as JUnit XML, as CI systems read it: one testsuite a suite, one testcase a scenario. */
export const render = (report: RunReport, replay: Replay): string => {
  const numbers = (results: ReadonlyArray<ScenarioResult>) => {
    const { skipped } = countsOf(results)
    const failures = results.filter(
      (result) => result.failure !== undefined || leakedBrowsersOf(result).length > 0
    ).length
    return { tests: results.length, failures, errors: 0, skipped }
  }
  const suites = report.header.suites.map(({ name }) => {
    const results = report.results.filter((result) => result.suite === name)
    const time = seconds(results.reduce((sum, result) => sum + result.duration_ms, 0))
    return element(
      "testsuite",
      {
        name,
        ...numbers(results),
        time,
        timestamp: report.header.startedAt.slice(0, 19),
        hostname: report.header.target.address
      },
      results.map((result) => testcase(result, replay))
    )
  })
  const all = { name: "webagent-harness", ...numbers(report.results), time: seconds(report.duration_ms) }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", all, suites)}\n`
}

/** Writes the report as JUnit XML. */
export const make =
  (path: string, replay: Replay): Reporter<FileSystem.FileSystem> =>
  (events) =>
    Stream.runForEach(events, (event) =>
      event._tag === "RunFinished"
        ? FileSystem.FileSystem.use((fs) => fs.writeFileString(path, render(event.report, replay)))
        : Effect.void
    )
