import { element, escape } from "@webagent/cli/Xml"
import { type BaselineComparison, tooFew } from "./Baseline.ts"
import type { LoadReport } from "./LoadReport.ts"

/** Facts about a load test that exist even if k6 failed. */
export interface Header extends Pick<LoadReport, "startedAt" | "test"> {
  readonly target: Pick<LoadReport["target"], "address">
  readonly took_ms: number
}

interface Case {
  readonly name: string
  readonly problem?: {
    readonly kind: "failure" | "error" | "skipped"
    readonly message: string
    readonly type?: string
  }
  readonly output?: string
}

const document = ({ startedAt, target, test, took_ms }: Header, cases: ReadonlyArray<Case>): string => {
  const number = (kind: string) => cases.filter(({ problem }) => problem?.kind === kind).length
  const numbers = {
    tests: cases.length,
    failures: number("failure"),
    errors: number("error"),
    skipped: number("skipped")
  }
  const time = (took_ms / 1000).toFixed(3)
  const elements = cases.map(({ name, output, problem }) => {
    const { kind = "", ...attributes } = problem ?? {}
    return element("testcase", { name, classname: `load.${test}`, time: "0.000" }, [
      ...(problem === undefined ? [] : [element(kind, attributes, [])]),
      ...(output === undefined ? [] : [element("system-out", {}, [escape(output)])])
    ])
  })
  const suite = element(
    "testsuite",
    { name: `load ${test}`, ...numbers, time, timestamp: startedAt.slice(0, 19), hostname: target.address },
    elements
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "webagent-harness", ...numbers, time }, [suite])}\n`
}

const complete = "runs to its end"

const againstBaseline = (judgement: BaselineComparison): ReadonlyArray<Case> => {
  const { rows } = judgement
  if (rows.length === 0) {
    return [{ name: "is no worse than its baseline", problem: { kind: "skipped", message: tooFew(judgement) } }]
  }
  return rows.map(({ high, low, name, now, verdict }) => ({
    name: `${name} is no worse than its baseline`,
    ...(verdict === "worse"
      ? { problem: { kind: "failure", message: `${name} was ${now}, baseline ${low} to ${high}`, type: "baseline" } }
      : {}),
    output: `measured ${now}, baseline ${low} to ${high}`
  }))
}

/**
 * Renders a load test as JUnit XML: a test case for each threshold and for each metric that was compared with its
 * baseline, and one for whether the test ran to its end.
 *
 * @param report - The report of a load test.
 * @param judgement - The comparison with a baseline, if there was one.
 * @returns The XML document.
 * @example
 * ```ts
 * import { render } from "@webagent/load/JUnit"
 * import type { LoadReport } from "@webagent/load/LoadReport"
 * import { writeFileSync } from "node:fs"
 *
 * export const write = (report: LoadReport) => writeFileSync(`load-${report.test}.xml`, render(report))
 * ```
 */
export const render = (report: LoadReport, judgement?: BaselineComparison): string =>
  document(report, [
    {
      name: complete,
      ...(report.verdict === "stopped"
        ? {
            problem: {
              kind: "error",
              message: "stopped before its end; the other results are of a part",
              type: "stopped"
            }
          }
        : {})
    },
    ...report.thresholds.map(({ limit, measured, name, ok }) => ({
      name: `${name} ${limit}`,
      ...(ok
        ? {}
        : {
            problem: { kind: "failure", message: `${name} was ${measured}, limit ${limit}`, type: "threshold" } as const
          }),
      output: `measured ${measured}`
    })),
    ...(judgement === undefined ? [] : againstBaseline(judgement))
  ])

/**
 * Renders a load test that has no result as JUnit XML, with the reason and the last lines that k6 printed.
 *
 * @param header - The test, its target, its start, and its duration in milliseconds.
 * @param why - The reason why there is no result.
 * @param stderr - The last lines that k6 printed.
 * @returns The XML document.
 * @example
 * ```ts
 * import { failed } from "@webagent/load/JUnit"
 *
 * const target = { address: "http://127.0.0.1:4010" }
 * const header = { test: "smoke", startedAt: "2026-11-30T01:00:00Z", target, took_ms: 1200 }
 * export const xml = failed(header, "k6 exited with 107", ["GoError: dial tcp 127.0.0.1:4010"])
 * ```
 */
export const failed = (header: Header, why: string, stderr: ReadonlyArray<string>): string =>
  document(header, [
    {
      name: complete,
      problem: { kind: "error", message: why, type: "k6" },
      ...(stderr.length === 0 ? {} : { output: stderr.join("\n") })
    }
  ])
