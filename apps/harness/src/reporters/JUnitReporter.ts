import * as SkipText from "@webagent/findings/words/SkipText"
import * as Effect from "effect/Effect"
import { isBad, ownerOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Failure, Printed, Trial } from "@webagent/report/Trial"
import { type Finding, isOfRun } from "@webagent/report/Finding"
import * as CauseText from "@webagent/findings/words/CauseText"
import * as Findings from "@webagent/findings/Findings"
import { trialCountOf } from "@webagent/findings/ScenarioFindings"
import { isCovered } from "@webagent/findings/Tolerance"
import * as ConfirmText from "@webagent/findings/words/ConfirmText"
import { partialOf } from "@webagent/findings/words/CutShortText"
import * as ContributionText from "@webagent/findings/words/ContributionText"
import * as EvidenceText from "@webagent/findings/words/EvidenceText"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as FailureFacts from "./FailureFacts.ts"
import * as FileReporter from "./FileReporter.ts"
import type { Replay } from "./Reporter.ts"
import { element, escape } from "@webagent/cli/Xml"
import { dirname, relative } from "node:path"

const seconds = (duration_ms: number) => (duration_ms / 1000).toFixed(3)

const facts = (failure: Failure) => FailureFacts.lines(failure).join("\n")

const content = (text: string) => (text === "" ? [] : [escape(text)])

/** True if its failure is expected: it runs, but CI receives no failure. */
const isHidden = (result: ScenarioResult, findings: ReadonlyArray<Finding>) =>
  isBad(result) && findings.length === 0 && isCovered(result)

const isError = ({ verdict }: ScenarioResult) => verdict === "infra" || verdict === "unscored"

/** The failures of CI's one testcase: the result of its trials, then rules that apply regardless of that. */
const failures = (result: ScenarioResult, findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const { failure, verdict } = result
  const reason = SkipText.reasonOf(result)
  return findings
    .filter((finding) => !Findings.isVerdict(finding) || !isError(result))
    .map((finding) => {
      const { scenarios, shared, what } = FindingText.describe(finding)
      const its = scenarios.find(({ name, suite }) => name === result.name && suite === result.suite)
      const evidence = its?.evidence ?? ""
      if (!Findings.isVerdict(finding)) return element("failure", { message: evidence, type: what }, content(evidence))
      const details = [EvidenceText.passRate(trialCountOf(result)), shared].filter((part) => part !== undefined)
      const message = its?.cause ?? reason ?? verdict
      const type = verdict === "failed" ? (failure?.kind ?? verdict) : verdict
      return element(
        "failure",
        { message: details.length === 0 ? message : `${message} (${details.join("; ")})`, type },
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

const testcase = (result: ScenarioResult, findings: ReadonlyArray<Finding>, replay: Replay): string => {
  const { confirm, failure, quarantine, trials, verdict } = result
  const failing = trials.filter(({ verdict }) => verdict === "failed" || verdict === "claimed")
  const isFailed = findings.length > 0
  const hidden = isHidden(result, findings) && quarantine !== undefined
  const skipped =
    verdict === "skipped"
      ? (SkipText.reasonOf(result) ?? "")
      : hidden
        ? `quarantined until ${quarantine.expires} by ${quarantine.owner}: ${quarantine.reason}`
        : undefined
  const passes = verdict === "passed" || verdict === "flaky"
  const owner = ownerOf(result)
  const infra = passes ? "flakyError" : "rerunError"
  const rate = EvidenceText.passRate(trialCountOf(result))
  // a trial that never ran says why
  const unrun = trials.find((trial) => trial.verdict === "skipped")
  const why = unrun && SkipText.reasonOf(unrun)
  const output = [
    `verdict   ${verdict}${rate === undefined ? "" : `, ${rate}`}${why === undefined ? "" : `: ${why}`}`,
    ...(confirm === undefined ? [] : [`extra     ${ConfirmText.text(confirm)}`]),
    ...(quarantine === undefined
      ? []
      : [
          `quarantine  ${quarantine.expired ? "expired" : "until"} ${quarantine.expires}, ${quarantine.owner}: ${quarantine.reason}`
        ]),
    ...(hidden && failure !== undefined ? [`failure   ${CauseText.ofFailure(failure)}`] : []),
    ...(owner === undefined ? [] : [`owner     ${owner}`]),
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
      ...failures(result, findings),
      // the first is the failure itself, unless another trial passed
      ...(isFailed && verdict !== "flaky" ? failuresOf(failing.slice(1), "rerunFailure") : []),
      ...(verdict === "flaky" ? failuresOf(failing, "flakyFailure") : []),
      ...(skipped === undefined ? [] : [element("skipped", { message: skipped }, [])]),
      ...(isFailed && isError(result)
        ? [
            element(
              "error",
              { message: failure?.message ?? SkipText.reasonOf(result) ?? verdict, type: verdict },
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

type ByResult = ReadonlyMap<ScenarioResult, ReadonlyArray<Finding>>

const numbers = (results: ReadonlyArray<ScenarioResult>, findings: ByResult) => {
  const isFailure = results.flatMap((result) => {
    const its = findings.get(result)
    return its === undefined ? [] : [failures(result, its).length > 0]
  })
  return {
    tests: results.length,
    failures: isFailure.filter((failed) => failed).length,
    errors: isFailure.filter((failed) => !failed).length
  }
}

const skippedOf = (results: ReadonlyArray<ScenarioResult>, findings: ByResult) =>
  results.filter((result) => result.verdict === "skipped" || isHidden(result, findings.get(result) ?? [])).length

const property = (name: string, value: string | number) => element("property", { name, value }, [])

const properties = (report: RunReport, page: string | undefined): string => {
  const { header } = report
  const partial = partialOf(report)?.text
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
  const findings = Findings.errorsByResult(report)
  const resultOf = Findings.resultsByName(report)
  const suites = report.header.suites.map(({ name }) => {
    const results = report.results.filter((result) => result.suite === name)
    const time = seconds(results.reduce((sum, result) => sum + result.duration_ms, 0))
    return element(
      "testsuite",
      {
        name,
        ...numbers(results, findings),
        skipped: skippedOf(results, findings),
        time,
        timestamp: report.header.startedAt.slice(0, 19),
        hostname: report.header.target.address
      },
      [properties(report, page), ...results.map((result) => testcase(result, findings.get(result) ?? [], replay))]
    )
  })
  const whole = Findings.errorsOf(report)
    .filter(
      (finding) =>
        finding.kind._tag === "Incomplete" ||
        isOfRun(finding) ||
        !finding.scenarios.some((one) => resultOf(one) !== undefined)
    )
    .map(FindingText.describe)
    .map((text) =>
      element("testcase", { name: `${text.what}: ${text.place}`, classname: "the whole run", time: "0.000" }, [
        element(
          "failure",
          { message: text.evidence, type: text.what },
          ContributionText.line(text.contribution).map(escape)
        )
      ])
    )
  const wholeCounts = { tests: whole.length, failures: whole.length, errors: 0, skipped: 0, time: "0.000" }
  if (whole.length > 0) suites.push(element("testsuite", { name: "the whole run", ...wholeCounts }, whole))
  const counts = numbers(report.results, findings)
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
