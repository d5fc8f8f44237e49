import { allTrialsOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import { cut } from "@webagent/cli/Text"
import type * as Breach from "@webagent/report/Breach"
import type { SentRequest, Failure, Trial } from "@webagent/report/Trial"

/** One reason for which trials went wrong, with every scenario that it explains. */
export interface Cause {
  /** The same for two nights that meet the same cause: what tells one run from another is taken out. */
  readonly key: string
  /** In a line, of at most 200 characters: `the order exists: the service says "The cart was empty."`. */
  readonly text: string
  /** The service's own error, where that is the cause: `The cart was empty.` */
  readonly service?: string
  /** The scenarios that it explains, in the order of the report, each with the trials that met it. */
  readonly scenarios: ReadonlyArray<{ readonly result: ScenarioResult; readonly trials: ReadonlyArray<Trial> }>
  /** The first trial that met it. */
  readonly example: { readonly result: ScenarioResult; readonly trial: Trial }
}

const line = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()

// a status, an expected value, a whole value and a part of a longer token stay
const inSentence = String.raw`(?<![\w.:-]|\b(?:http|status|code|error|expected|got)[\s/:="'#]*)(?!(?<=^\W?)[\w.:-]+\W?$)`
const timeOfDay = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?`
// as 4711-abc; four letters may be a word
const numbered = String.raw`\d{2,}-(?!(?:bit|day|min|sec|way)\b)(?:[a-z]{1,3}|(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]+)(?![\w-])`
// as 7fk2x9; a version or a hexadecimal code is no id
const alternating = String.raw`(?!v\d|0x)(?=[a-z\d]{6})(?:[a-z]*(?:\d+[a-z]+){2,}\d*|[a-z]+\d+[a-z]+\d+)(?![\w-])`

// what differs between two trials that fail for one reason; the order matters, an id has digits that are no number
const variable = new RegExp(
  [
    String.raw`\b(?<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d| UTC)?|${inSentence}${timeOfDay}\b)`,
    String.raw`\b(?<host>(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\]):\d{2,5})\b`,
    String.raw`\b(?<duration>\d+(?:\.\d+)? ?(?:milliseconds|seconds|minutes|ms|s|min|h))\b`,
    String.raw`\b(?<id>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=[\da-f-]*\d)[\da-f]{8,}(?:-[\da-z]{1,6})?|${inSentence}(?:${numbered}|${alternating}))\b`,
    String.raw`\b(?<number>\d{5,})\b`
  ].join("|"),
  "giu"
)

/** The parts of a text that differ between two failures of one cause, each with its kind. */
const variablesOf = (text: string) =>
  [...line(text).matchAll(variable)].map(({ 0: value, groups = {} }) => ({
    value,
    kind: Object.keys(groups).find((kind) => groups[kind] !== undefined) ?? ""
  }))

/** A text with its variable parts replaced: `put` gets each part's value, kind and position. */
const replaced = (text: string, put: (value: string, kind: string, index: number) => string): string => {
  const all = variablesOf(text)
  let index = 0
  return line(text).replaceAll(variable, (value) => put(value, all[index]?.kind ?? "", index++))
}

/** A text without ids, times, durations, ports and long numbers: the same for two failures of one cause. */
export const normalised = (text: string): string => replaced(text, (_, kind) => `<${kind}>`)

const units_ms: Readonly<Record<string, number>> = {
  s: 1000,
  seconds: 1000,
  min: 60_000,
  minutes: 60_000,
  h: 3_600_000
}

const sizeOf = (value: string): number => Number.parseFloat(value) * (units_ms[value.replace(/^[\d. ]+/u, "")] ?? 1)

/** Texts that are the same but for their variable parts, as one: with values that all share, and the range of others. */
const merged = (texts: ReadonlyArray<string>): string => {
  const all = texts.map(variablesOf)
  return replaced(texts[0] ?? "", (value, kind, index) => {
    const values = all.flatMap((one) => one[index]?.value ?? [])
    if (values.every((other) => other === value)) return value
    if (kind !== "duration" && kind !== "number") return "…"
    const sorted = values.toSorted((one, other) => sizeOf(one) - sizeOf(other))
    return `${sorted[0]} to ${sorted.at(-1)}`
  })
}

type Wording = (text: string) => string

/** Words each text with what it shares with the texts of the others. */
const wordingOf = (others: ReadonlyArray<(wording: Wording) => string>): Wording => {
  const texts: Array<string> = []
  for (const textIn of others) {
    textIn((text) => {
      texts.push(text)
      return text
    })
  }
  const alike = Map.groupBy(texts, normalised)
  return (text) => merged(alike.get(normalised(text)) ?? [text])
}

// an id of any form: a wrong one that a scenario asks for on purpose, too
const resource = /(\/v\d+\/[a-z-]+\/)[^/]+/u

/** Request and response, without the ids in the path: `GET /api/v4/runs/…: HTTP 503`. */
const requestText = ({ method, path, status }: SentRequest, wording: Wording): string =>
  `${method} ${wording(path.replace(resource, "$1…"))}: ${status === null ? "no response" : `HTTP ${status}`}`

const isAway = (request: SentRequest | undefined): request is SentRequest =>
  request !== undefined && (request.status === null || request.status === 429 || request.status >= 500)

/** The reason for a failure, in one line: the service's own message has priority over the result of the check. */
const worded = (failure: Failure, verdict: Trial["verdict"], wording: Wording): string => {
  const { actual, expected, kind, message, request, service } = failure
  // what only the infrastructure ended is told by what it was asking for
  if (verdict === "infra" && isAway(request)) return requestText(request, wording)
  const said = service === undefined ? undefined : `the service says "${cut(wording(service), 120)}"`
  const facts =
    said === undefined
      ? [
          ...(expected === undefined || expected === "" ? [] : [`expected ${cut(wording(expected), 60)}`]),
          ...(actual === undefined || actual === "" ? [] : [`got ${cut(wording(actual), 60)}`]),
          ...(kind === "timeout" && request !== undefined ? [`last request ${requestText(request, wording)}`] : [])
        ]
      : [said]
  const what = cut(wording(message.split("\n")[0] ?? ""), 120)
  return cut(facts.length === 0 ? what : `${what}: ${facts.join(", ")}`, 200)
}

/**
 * Key of a failure: two failures with the same key have one cause. The service's own message is enough, because checks
 * with different names fail for the same reason.
 */
const keyOf = (failure: Failure, verdict: Trial["verdict"]): string => {
  const { request, service } = failure
  if (verdict === "infra") return `infra ${worded(failure, verdict, normalised)}`
  // the error of a run came with a 200, or with whatever was asked last
  const status = request?.status ?? 0
  if (service !== undefined) return `service ${status >= 400 ? status : "run"} ${normalised(service)}`
  return `${failure.kind} ${worded(failure, verdict, normalised)}`
}

/** The reason why one trial failed, in one line of at most 200 characters. */
export const lineOf = (failure: Failure): string => worded(failure, "failed", line)

/**
 * Failures by cause, each with a line that says why. Values that differ between failures of one cause are left out of
 * it, or a range.
 */
export const byCause = (
  failures: ReadonlyArray<Failure>,
  verdict: Trial["verdict"]
): ReadonlyArray<{ readonly text: string; readonly count: number }> =>
  [...Map.groupBy(failures, (failure) => keyOf(failure, verdict)).values()].map((group) => {
    const texts = group.map((failure) => (wording: Wording) => worded(failure, verdict, wording))
    return { text: texts[0]?.(wordingOf(texts)) ?? "", count: group.length }
  })

const breachText = ({ facts, invariant }: Breach.Breach, wording: Wording): string =>
  facts._tag === "Reported" ? `${invariant}: ${cut(wording(facts.text), 160)}` : invariant

interface Met {
  readonly key: string
  readonly textIn: (wording: Wording) => string
  readonly result: ScenarioResult
  readonly trial: Trial
}

const metBy = (result: ScenarioResult): ReadonlyArray<Met> =>
  allTrialsOf(result).flatMap((trial): ReadonlyArray<Met> => {
    const { breaches, failure, leakedBrowsers, reason, verdict } = trial
    const met = (key: string, textIn: Met["textIn"]): Met => ({ key, textIn, result, trial })
    return [
      ...(verdict === "passed" || verdict === "skipped"
        ? []
        : failure === undefined
          ? [met(`${verdict} ${normalised(reason ?? "")}`, (wording) => cut(wording(reason ?? verdict), 200))]
          : [met(keyOf(failure, verdict), (wording) => worded(failure, verdict, wording))]),
      ...(leakedBrowsers.length === 0 ? [] : [met("leaked browser", () => "leaked a browser")]),
      ...breaches.map((breach) => met(`breach ${breach.invariant}`, (wording) => breachText(breach, wording)))
    ]
  })

/** Common text of all failures with one cause, and the service's own error if it has one. */
const shared = (met: ReadonlyArray<Met>): Pick<Cause, "text" | "service"> => {
  const wording = wordingOf(met.map(({ textIn }) => textIn))
  const [first] = met
  if (first === undefined) return { text: "" }
  const said = first.key.startsWith("service ") ? first.trial.failure?.service : undefined
  if (said === undefined) return { text: first.textIn(wording) }
  const service = wording(said)
  // checks of different names stumble over what the service says: then only that is the cause
  const isOne = new Set(met.map(({ textIn }) => textIn(normalised))).size < 2
  return { text: isOne ? first.textIn(wording) : `the service says "${cut(service, 160)}"`, service }
}

/** The cause that most of a scenario's trials met, the earlier of two; undefined where no trial went wrong. */
export const mainCauseOf = (result: ScenarioResult): Pick<Cause, "key" | "text" | "service"> | undefined => {
  const groups = [...Map.groupBy(metBy(result), ({ key }) => key)]
  const [main] = groups.toSorted(([, one], [, other]) => other.length - one.length)
  return main && { key: main[0], ...shared(main[1]) }
}

/**
 * Groups the failures of a run by cause: each cause once, with every scenario that it explains. The cause of most
 * scenarios comes first. Two trials have one cause if the service reports the same reason, or, without a reason, if the
 * same check saw the same values; ids, times, durations and ports do not count. Scenarios in quarantine are left out.
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
      return [{ key, ...shared(met), scenarios, example: { result: first.result, trial: first.trial } }]
    })
    .toSorted((one, other) => other.scenarios.length - one.scenarios.length)
}
