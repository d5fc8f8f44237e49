import * as Effect from "effect/Effect"
import { isBad, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Failure, Printed, Trial } from "@webagent/report/Trial"
import { lineOf } from "@webagent/report/Cause"
import * as Confirmed from "@webagent/report/Confirmed"
import * as Gate from "@webagent/report/Gate"
import * as Attention from "./Attention.ts"
import * as FailureFacts from "./FailureFacts.ts"
import * as FileReporter from "./FileReporter.ts"
import type { Replay } from "./Reporter.ts"
import { element, escape } from "@webagent/cli/Xml"
import * as CutShort from "@webagent/report/CutShort"
import { dirname, relative } from "node:path"

const seconds = (duration_ms: number) => (duration_ms / 1000).toFixed(3)

const facts = (failure: Failure) => FailureFacts.lines(failure).join("\n")

const content = (text: string) => (text === "" ? [] : [escape(text)])

/** True if its failure is expected: it runs, but CI receives no failure. */
const isHidden = (result: ScenarioResult, items: ReadonlyArray<Attention.Item>) =>
  isBad(result) && items.length === 0 && Gate.isCovered(result)

const isError = ({ verdict }: ScenarioResult) => verdict === "infra" || verdict === "unscored"

/** The reasons why a scenario failed, and the scenarios that failed for the same reason. */
interface Red {
  readonly items: ReadonlyArray<Attention.Item>
  /** With which others its trials share their cause. */
  readonly shared?: string | undefined
}

/** The failures of CI's one testcase: what its trials say, then what must not be whatever they say. */
const failures = (result: ScenarioResult, { items, shared }: Red): ReadonlyArray<string> => {
  const { failure, reason, verdict } = result
  return items
    .filter((item) => !Attention.isVerdict(item) || !isError(result))
    .map((item) => {
      if (!Attention.isVerdict(item))
        return element("failure", { message: item.evidence, type: item.what }, content(item.evidence))
      const known = [Attention.passRate(result), shared].filter((part) => part !== undefined).join("; ")
      const message = item.cause ?? reason ?? verdict
      const type = verdict === "failed" ? (failure?.kind ?? verdict) : verdict
      return element(
        "failure",
        { message: known === "" ? message : `${message} (${known})`, type },
        failure ? content(facts(failure)) : []
      )
    })
}

/** Output of trials on one stream, with the number of the trial if there are several. */
const printed = (trials: ReadonlyArray<Trial>, stream: Printed["stream"]): ReadonlyArray<string> =>
  trials.flatMap(({ index, output = [] }) => {
    const text = output.flatMap((one) => (one.stream === stream ? [one.text] : [])).join("")
    return text === "" ? [] : [...(trials.length > 1 ? [`trial ${index + 1}`] : []), text.trimEnd()]
  })

/** Number of steps that are listed per run. The last ones show where it stopped. */
const mostSteps = 10

/** The last steps of the agent in failed trials, by run. */
const agentSteps = (trials: ReadonlyArray<Trial>): ReadonlyArray<string> =>
  trials.flatMap(({ agentSteps: runs = [] }) =>
    runs.flatMap(({ count, runId, steps }) => [
      `agent     run ${runId}, ${count} steps`,
      ...steps.slice(-mostSteps).map(({ address, failure = null, number, summary }) => {
        const where = address === null ? "" : ` at ${address}`
        return `  ${number}  ${summary}${where}${failure === null ? "" : `, failed: ${failure}`}`
      })
    ])
  )

/** A try beside the one that counts, in the words of Maven Surefire. */
const further = (name: string, failure: Failure, seed: number): string =>
  element(name, { message: failure.message, type: failure.kind }, [
    element("stackTrace", {}, [escape([`seed      ${seed}`, facts(failure)].join("\n"))])
  ])

const failuresOf = (trials: ReadonlyArray<Trial>, name: string): ReadonlyArray<string> =>
  trials.flatMap(({ failure, seed }) => (failure === undefined ? [] : [further(name, failure, seed)]))

const testcase = (result: ScenarioResult, what: Red, replay: Replay): string => {
  const { items } = what
  const { confirm, failure, quarantine, reason, trials, verdict } = result
  const failing = Attention.failingTrials(result)
  const red = items.length > 0
  const hidden = isHidden(result, items) && quarantine !== undefined
  const skipped =
    verdict === "skipped"
      ? (reason ?? "")
      : hidden
        ? `quarantined until ${quarantine.expires} by ${quarantine.owner}: ${quarantine.reason}`
        : undefined
  const passes = verdict === "passed" || verdict === "flaky"
  const infra = passes ? "flakyError" : "rerunError"
  const rate = Attention.passRate(result)
  // a trial that never ran says why
  const why = trials.find((trial) => trial.verdict === "skipped")?.reason
  const output = [
    `verdict   ${verdict}${rate === undefined ? "" : `, ${rate}`}${why === undefined ? "" : `: ${why}`}`,
    ...(confirm === undefined ? [] : [`confirm   ${Confirmed.text(confirm)}`]),
    ...(quarantine === undefined
      ? []
      : [
          `quarantine  ${quarantine.expired ? "expired" : "until"} ${quarantine.expires}, ${quarantine.owner}: ${quarantine.reason}`
        ]),
    ...(hidden && failure !== undefined ? [`failure   ${lineOf(failure)}`] : []),
    `replay    ${replay(result)}`,
    ...agentSteps(failing),
    ...printed(trials, "stdout")
  ]
  const errors = printed(trials, "stderr")
  const place = FailureFacts.placeOf(failure)
  return element(
    "testcase",
    { name: result.name, classname: result.suite, time: seconds(result.duration_ms), ...place },
    [
      ...failures(result, what),
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
      element("system-out", {}, [escape(output.join("\n"))]),
      ...(errors.length === 0 ? [] : [element("system-err", {}, [escape(errors.join("\n"))])])
    ]
  )
}

type Items = ReadonlyMap<ScenarioResult, ReadonlyArray<Attention.Item>>

const numbers = (results: ReadonlyArray<ScenarioResult>, items: Items) => {
  const red = results.flatMap((result) => {
    const of = items.get(result)
    return of === undefined ? [] : [failures(result, { items: of }).length > 0]
  })
  return {
    tests: results.length,
    failures: red.filter((failed) => failed).length,
    errors: red.filter((failed) => !failed).length
  }
}

const skippedOf = (results: ReadonlyArray<ScenarioResult>, items: Items) =>
  results.filter((result) => result.verdict === "skipped" || isHidden(result, items.get(result) ?? [])).length

const property = (name: string, value: string | number) => element("property", { name, value }, [])

const properties = (report: RunReport, page: string | undefined): string => {
  const { header } = report
  const partial = CutShort.text(report)
  return element("properties", {}, [
    property("tool", `${header.tool.name} ${header.tool.version}`),
    property("target", header.target.address),
    property("seed", header.seed),
    ...(header.shard === undefined ? [] : [property("shard", `${header.shard.index}/${header.shard.of}`)]),
    property("cost_usd", report.cost_usd),
    property("cost_simulated", String(header.target.simulated)),
    ...(partial === undefined ? [] : [property("partial", partial)]),
    ...(page === undefined ? [] : [property("report", page)])
  ])
}

/**
 * The report as JUnit XML, as CI systems read it: one testsuite a suite, one testcase a scenario; further trials and
 * reruns as Maven Surefire has them. `page` is where the page is, from the file.
 */
export const render = (report: RunReport, replay: Replay, page?: string): string => {
  const items = Attention.itemsByResult(report)
  const shared = new Map(
    Attention.findings(report).flatMap((finding) =>
      finding.items.filter(Attention.isVerdict).map(({ result }) => [result, Attention.shared(finding)] as const)
    )
  )
  const suites = report.header.suites.map(({ name }) => {
    const results = report.results.filter((result) => result.suite === name)
    const time = seconds(results.reduce((sum, result) => sum + result.duration_ms, 0))
    return element(
      "testsuite",
      {
        name,
        ...numbers(results, items),
        skipped: skippedOf(results, items),
        time,
        timestamp: report.header.startedAt.slice(0, 19),
        hostname: report.header.target.address
      },
      [
        properties(report, page),
        ...results.map((result) =>
          testcase(result, { items: items.get(result) ?? [], shared: shared.get(result) }, replay)
        )
      ]
    )
  })
  const whole = Attention.items(report)
    .filter(({ result }) => result === undefined)
    .map((item) =>
      element("testcase", { name: `${item.what}: ${item.title}`, classname: "the whole run", time: "0.000" }, [
        element("failure", { message: item.evidence, type: item.what }, Attention.whyLine(item).map(escape))
      ])
    )
  const wholeCounts = { tests: whole.length, failures: whole.length, errors: 0, skipped: 0, time: "0.000" }
  if (whole.length > 0) suites.push(element("testsuite", { name: "the whole run", ...wholeCounts }, whole))
  const counts = numbers(report.results, items)
  const all = {
    name: "webagent-harness",
    tests: counts.tests + whole.length,
    failures: counts.failures + whole.length,
    errors: counts.errors,
    time: seconds(report.duration_ms)
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", all, suites)}\n`
}

/** Writes the report as JUnit XML, with the path of its page if one is written. */
export const junit = FileReporter.define("junit", "junit.xml", (report, { page, replay }, path) =>
  Effect.sync(() => render(report, replay, page && relative(dirname(path), page)))
)
