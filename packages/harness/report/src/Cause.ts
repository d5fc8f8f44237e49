import { allTrialsOf, type RunReport, type ScenarioResult } from "./RunReport.ts"
import { cut } from "./Text.ts"
import type { Breach, SentRequest, Failure, Trial } from "./Trial.ts"

/** One reason for which trials went wrong, with every scenario that it explains. */
export interface Cause {
  /** The same for two nights that meet the same cause: what tells one run from another is taken out. */
  readonly key: string
  /** In a line, of at most 200 characters: `the order exists: the service says "The cart was empty."`. */
  readonly text: string
  /** The scenarios that it explains, in the order of the report, each with the trials that met it. */
  readonly scenarios: ReadonlyArray<{ readonly result: ScenarioResult; readonly trials: ReadonlyArray<Trial> }>
  /** The first trial that met it. */
  readonly example: { readonly result: ScenarioResult; readonly trial: Trial }
}

const line = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()

// what differs between two trials that fail for one reason; the order matters, an id has digits that are no number
const variable: ReadonlyArray<readonly [pattern: RegExp, word: string]> = [
  [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/giu, "<id>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d| UTC)?/gu, "<time>"],
  [/\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\]):\d{2,5}\b/giu, "<host>"],
  [/\b\d+(?:\.\d+)? ?(?:ms|s|min|h|milliseconds|seconds|minutes)\b/gu, "<duration>"],
  [/\b(?=[\da-f-]*\d)[\da-f]{8,}(?:-[\da-z]{1,6})?\b/giu, "<id>"],
  [/\b\d{5,}\b/gu, "<number>"]
]

/** A text without ids, times, durations, ports and long numbers: the same for two failures of one cause. */
export const normalised = (text: string): string =>
  variable.reduce((left, [pattern, word]) => left.replaceAll(pattern, word), line(text))

// an id of any form: a wrong one that a scenario asks for on purpose, too
const resource = /(\/v\d+\/[a-z-]+\/)[^/]+/u

/** How a request ended, without the ids of its path: `GET /api/v4/runs/<id>: HTTP 503`. */
const requestText = ({ method, path, status }: SentRequest): string =>
  `${method} ${normalised(path.replace(resource, "$1<id>"))}: ${status === null ? "no response" : `HTTP ${status}`}`

type Wording = (text: string) => string

const isAway = (request: SentRequest | undefined): request is SentRequest =>
  request !== undefined && (request.status === null || request.status === 429 || request.status >= 500)

/** Why a failure happened, in a line: what the service says of itself comes before what the check saw. */
export const textOf = (
  failure: Failure,
  verdict: Trial["verdict"] = "failed",
  wording: Wording = normalised
): string => {
  const { actual, expected, kind, message, request, service } = failure
  // what only the infrastructure ended is told by what it was asking for
  if (verdict === "infra" && isAway(request)) return requestText(request)
  const said = service === undefined ? undefined : `the service says "${cut(wording(service), 120)}"`
  const facts =
    said === undefined
      ? [
          ...(expected === undefined || expected === "" ? [] : [`expected ${cut(wording(expected), 60)}`]),
          ...(actual === undefined || actual === "" ? [] : [`got ${cut(wording(actual), 60)}`]),
          ...(kind === "timeout" && request !== undefined ? [`last request ${requestText(request)}`] : [])
        ]
      : [said]
  const what = cut(wording(message.split("\n")[0] ?? ""), 120)
  return cut(facts.length === 0 ? what : `${what}: ${facts.join(", ")}`, 200)
}

/**
 * What two failures have in common when they have one cause. What the service says of itself is enough: checks that
 * stumble over it are of many names.
 */
const keyOf = (failure: Failure, verdict: Trial["verdict"]): string => {
  const { request, service } = failure
  if (verdict === "infra") return `infra ${textOf(failure, verdict)}`
  // the error of a run came with a 200, or with whatever was asked last
  const status = request?.status ?? 0
  if (service !== undefined) return `service ${status >= 400 ? status : "run"} ${normalised(service)}`
  return `${failure.kind} ${textOf(failure, verdict)}`
}

const breachText = ({ invariant, sentence }: Breach, wording: Wording): string =>
  `${invariant}: ${cut(wording(sentence), 160)}`

interface Met {
  readonly key: string
  readonly text: string
  /** The text with the ids, times and hosts of this trial. */
  readonly own: string
  readonly result: ScenarioResult
  readonly trial: Trial
}

const metBy = (result: ScenarioResult): ReadonlyArray<Met> =>
  allTrialsOf(result).flatMap((trial): ReadonlyArray<Met> => {
    const { breaches, failure, leakedBrowsers, reason, verdict } = trial
    const met = (key: string, textIn: (wording: Wording) => string): Met => ({
      key,
      text: textIn(normalised),
      own: textIn(line),
      result,
      trial
    })
    return [
      ...(verdict === "passed" || verdict === "skipped"
        ? []
        : failure === undefined
          ? [met(`${verdict} ${normalised(reason ?? "")}`, (wording) => cut(wording(reason ?? verdict), 200))]
          : [met(keyOf(failure, verdict), (wording) => textOf(failure, verdict, wording))]),
      ...(leakedBrowsers.length === 0 ? [] : [met("leaked browser", () => "leaked a browser")]),
      ...breaches.map((breach) => met(`breach ${breach.invariant}`, (wording) => breachText(breach, wording)))
    ]
  })

/** The cause that most of a scenario's trials met, the earlier of two; undefined where no trial went wrong. */
export const mainCauseOf = (result: ScenarioResult): Pick<Cause, "key" | "text"> | undefined => {
  const groups = [...Map.groupBy(metBy(result), ({ key }) => key).values()]
  return groups.toSorted((one, other) => other.length - one.length)[0]?.[0]
}

/**
 * What went wrong in a run, by cause: each once, with every scenario that it explains. The cause of most scenarios comes
 * first. Two trials have one cause when the service gives the same reason, or, where it gives none, when the same check
 * saw the same; ids, times, durations and ports do not count. Scenarios in quarantine are left out.
 */
export const causesOf = (report: RunReport): ReadonlyArray<Cause> => {
  const open = report.results.filter(({ quarantine }) => quarantine === undefined || quarantine.expired)
  return [...Map.groupBy(open.flatMap(metBy), ({ key }) => key)]
    .flatMap(([key, met]): ReadonlyArray<Cause> => {
      const [first] = met
      if (first === undefined) return []
      const scenarios = [...Map.groupBy(met, ({ result }) => result)].map(([result, those]) => ({
        result,
        trials: [...new Set(those.map(({ trial }) => trial))]
      }))
      // checks of different names stumble over what the service says: then only that is the cause
      const texts = new Set(met.map(({ text }) => text))
      const said = first.trial.failure?.service
      // what is the same in every trial is told in full
      const isSame = met.every(({ own }) => own === first.own)
      const text =
        texts.size > 1 && said !== undefined
          ? `the service says "${cut(normalised(said), 160)}"`
          : isSame
            ? first.own
            : first.text
      return [{ key, text, scenarios, example: { result: first.result, trial: first.trial } }]
    })
    .toSorted((one, other) => other.scenarios.length - one.scenarios.length)
}
