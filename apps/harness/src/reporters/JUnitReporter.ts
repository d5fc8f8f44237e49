import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import { isBad, leakedBrowsersOf, type RunReport, type ScenarioResult } from "../runner/RunReport.ts"
import type { Failure, Trial } from "../runner/Trial.ts"
import * as Attention from "./Attention.ts"
import type { Replay, Reporter } from "./Reporter.ts"
import { element, escape } from "./Xml.ts"

const seconds = (duration_ms: number) => (duration_ms / 1000).toFixed(3)

const facts = ({ actual, expected, request, where }: Failure): string =>
  [
    ...(expected === undefined ? [] : [`expected  ${expected}`]),
    ...(actual === undefined ? [] : [`got       ${actual}`]),
    ...(request === undefined ? [] : [`request   ${request.method} ${request.path} ${request.status ?? "no answer"}`]),
    ...(where === undefined ? [] : [`where     ${where}`])
  ].join("\n")

const content = (text: string) => (text === "" ? [] : [escape(text)])

/** What is wrong with a scenario as far as CI should know: nothing of what is quarantined. */
const isRed = (result: ScenarioResult) => isBad(result) && !Attention.isQuarantined(result)

const isError = ({ verdict }: ScenarioResult) => verdict === "infra" || verdict === "unscored"

/** The failures of CI's one testcase: what its trials say, then what must not be whatever they say. */
const failures = (result: ScenarioResult): ReadonlyArray<string> => {
  const { failure, verdict } = result
  const rate = Attention.passRate(result)
  const message = failure?.message ?? result.reason ?? verdict
  const type = verdict === "failed" ? (failure?.kind ?? verdict) : verdict
  const main =
    verdict === "failed" || verdict === "claimed" || verdict === "flaky"
      ? [
          element(
            "failure",
            { message: rate === undefined ? message : `${message} (${rate})`, type },
            failure ? content(facts(failure)) : []
          )
        ]
      : []
  const open = leakedBrowsersOf(result).map(({ id }) => id)
  const leak = `left browsers open: ${open.join(", ")}`
  return [
    ...main,
    ...(open.length === 0 ? [] : [element("failure", { message: leak, type: "leak" }, [])]),
    ...Attention.breachesOf(result).map(({ invariant, sentence }) =>
      element("failure", { message: sentence, type: invariant }, [])
    )
  ]
}

/** A try beside the one that counts, in the words of Maven Surefire. */
const further = (name: string, failure: Failure, seed: number): string =>
  element(name, { message: failure.message, type: failure.kind }, [
    element("stackTrace", {}, [escape([`seed      ${seed}`, facts(failure)].join("\n"))])
  ])

const failuresOf = (trials: ReadonlyArray<Trial>, name: string): ReadonlyArray<string> =>
  trials.flatMap(({ failure, seed }) => (failure === undefined ? [] : [further(name, failure, seed)]))

const testcase = (result: ScenarioResult, replay: Replay): string => {
  const { failure, quarantine, reason, trials, verdict } = result
  const failing = Attention.failingTrials(result)
  const red = isRed(result)
  const hidden = isBad(result) && !red && quarantine !== undefined
  const skipped =
    verdict === "skipped"
      ? (reason ?? "")
      : hidden
        ? `quarantined until ${quarantine.expires} by ${quarantine.owner}: ${quarantine.reason}`
        : undefined
  const passes = verdict === "passed" || verdict === "flaky"
  const infra = passes ? "flakyError" : "rerunError"
  const output = [
    ["verdict   ", [verdict, Attention.passRate(result)].filter((part) => part !== undefined).join(", ")].join(""),
    ...(quarantine === undefined
      ? []
      : [
          `quarantine  ${quarantine.expired ? "expired" : "until"} ${quarantine.expires}, ${quarantine.owner}: ${quarantine.reason}`
        ]),
    ...(hidden && failure !== undefined ? [`failure   ${Attention.failureLine(failure)}`] : []),
    `replay    ${replay(result)}`
  ]
  return element("testcase", { name: result.name, classname: result.suite, time: seconds(result.duration_ms) }, [
    ...(red ? failures(result) : []),
    // the first is the failure itself, unless another trial passed
    ...(red && verdict !== "flaky" ? failuresOf(failing.slice(1), "rerunFailure") : []),
    ...(verdict === "flaky" ? failuresOf(failing, "flakyFailure") : []),
    ...(skipped === undefined ? [] : [element("skipped", { message: skipped }, [])]),
    ...(red && isError(result)
      ? [
          element(
            "error",
            { message: failure?.message ?? reason ?? verdict, type: verdict },
            failure ? content(facts(failure)) : []
          )
        ]
      : []),
    ...trials.flatMap(({ reruns, seed }) => reruns.map((rerun) => further(infra, rerun.failure, seed))),
    element("system-out", {}, [escape(output.join("\n"))])
  ])
}

const numbers = (results: ReadonlyArray<ScenarioResult>) => {
  const red = results.filter(isRed)
  const errors = red.filter((result) => isError(result) && failures(result).length === 0).length
  return { tests: results.length, failures: red.length - errors, errors }
}

const skippedOf = (results: ReadonlyArray<ScenarioResult>) =>
  results.filter((result) => result.verdict === "skipped" || (isBad(result) && !isRed(result))).length

const property = (name: string, value: string | number) => element("property", { name, value }, [])

const properties = (report: RunReport): string => {
  const { header } = report
  return element("properties", {}, [
    property("tool", `${header.tool.name} ${header.tool.version}`),
    property("target", header.target.address),
    property("seed", header.seed),
    ...(header.shard === undefined ? [] : [property("shard", `${header.shard.index}/${header.shard.of}`)]),
    property("cost_usd", report.cost_usd)
  ])
}

/**
 * The report as JUnit XML, as CI systems read it: one testsuite a suite, one testcase a scenario; further trials and
 * reruns as Maven Surefire has them.
 */
export const render = (report: RunReport, replay: Replay): string => {
  const suites = report.header.suites.map(({ name }) => {
    const results = report.results.filter((result) => result.suite === name)
    const time = seconds(results.reduce((sum, result) => sum + result.duration_ms, 0))
    return element(
      "testsuite",
      {
        name,
        ...numbers(results),
        skipped: skippedOf(results),
        time,
        timestamp: report.header.startedAt.slice(0, 19),
        hostname: report.header.target.address
      },
      [properties(report), ...results.map((result) => testcase(result, replay))]
    )
  })
  const whole = report.breaches.map(({ invariant, resource, sentence }) =>
    element(
      "testcase",
      { name: resource === null ? invariant : `${invariant} ${resource}`, classname: "invariants", time: "0.000" },
      [element("failure", { message: sentence, type: invariant }, [])]
    )
  )
  const invariants =
    whole.length === 0
      ? []
      : [
          element(
            "testsuite",
            { name: "invariants", tests: whole.length, failures: whole.length, errors: 0, skipped: 0, time: "0.000" },
            whole
          )
        ]
  const counts = numbers(report.results)
  const all = {
    name: "webagent-harness",
    tests: counts.tests + whole.length,
    failures: counts.failures + whole.length,
    errors: counts.errors,
    time: seconds(report.duration_ms)
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", all, [...suites, ...invariants])}\n`
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
