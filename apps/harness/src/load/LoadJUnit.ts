import { element, escape } from "@webagent/report/Xml"
import type { LoadReport } from "./LoadReport.ts"

/** A load test as far as it is known, also when k6 failed. */
export interface Header extends Pick<LoadReport, "startedAt" | "test"> {
  readonly target: Pick<LoadReport["target"], "address">
  readonly took_ms: number
}

/** Figures that were held against those of earlier runs. */
export interface Judgement {
  /** How many runs those were. */
  readonly runs: number
  /** Empty where there were too few. */
  readonly rows: ReadonlyArray<
    Readonly<Record<"name" | "now" | "low" | "high", string>> & { readonly verdict: "worse" | "better" | "no evidence" }
  >
  /** Why other runs did not count, each with how many. */
  readonly passedOver: ReadonlyArray<readonly [why: string, runs: number]>
}

interface Case {
  readonly name: string
  readonly problem?: {
    readonly kind: "failure" | "error" | "skipped"
    readonly message: string
    readonly type?: string
  }
  readonly said?: string
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
  const elements = cases.map(({ name, problem, said }) => {
    const { kind = "", ...attributes } = problem ?? {}
    return element("testcase", { name, classname: `load.${test}`, time: "0.000" }, [
      ...(problem === undefined ? [] : [element(kind, attributes, [])]),
      ...(said === undefined ? [] : [element("system-out", {}, [escape(said)])])
    ])
  })
  const suite = element(
    "testsuite",
    { name: `load ${test}`, ...numbers, time, timestamp: startedAt.slice(0, 19), hostname: target.address },
    elements
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "webagent-harness", ...numbers, time }, [suite])}\n`
}

const toItsEnd = "runs to its end"

const againstBaseline = ({ passedOver, rows, runs }: Judgement): ReadonlyArray<Case> => {
  if (rows.length === 0) {
    const others = passedOver.map(([why, count]) => `, ${count} not counted: ${why}`).join("")
    const message = `not enough data, ${runs} runs${others}`
    return [{ name: "is no worse than its baseline", problem: { kind: "skipped", message } }]
  }
  return rows.map(({ high, low, name, now, verdict }) => ({
    name: `${name} is no worse than its baseline`,
    ...(verdict === "worse"
      ? { problem: { kind: "failure", message: `${name} was ${now}, baseline ${low} .. ${high}`, type: "baseline" } }
      : {}),
    said: `measured ${now}, baseline ${low} .. ${high}`
  }))
}

/**
 * A load test as JUnit XML, as CI systems read it: a testcase for each threshold and for each figure that was held against
 * its baseline, and one for whether it ran to its end.
 */
export const render = (report: LoadReport, judgement?: Judgement): string =>
  document(report, [
    {
      name: toItsEnd,
      ...(report.verdict === "stopped"
        ? { problem: { kind: "error", message: "stopped by hand, what follows is of a part", type: "stopped" } }
        : {})
    },
    ...report.thresholds.map(({ limit, measured, name, ok }) => ({
      name: `${name} ${limit}`,
      ...(ok
        ? {}
        : {
            problem: { kind: "failure", message: `${name} was ${measured}, limit ${limit}`, type: "threshold" } as const
          }),
      said: `measured ${measured}`
    })),
    ...(judgement === undefined ? [] : againstBaseline(judgement))
  ])

/** A load test that says nothing of its target, why, and what k6 said. */
export const failed = (header: Header, why: string, said: ReadonlyArray<string>): string =>
  document(header, [
    {
      name: toItsEnd,
      problem: { kind: "error", message: why, type: "k6" },
      ...(said.length === 0 ? {} : { said: said.join("\n") })
    }
  ])
