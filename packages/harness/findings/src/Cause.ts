import { allTrialsOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import { cut } from "@webagent/cli/Text"
import type { CauseFacts, CountedCause, FailureCause, RequestFacts } from "@webagent/report/FailureCause"
import type { SentRequest, Failure, Trial } from "@webagent/report/Trial"

/** One reason for which trials went wrong, with every scenario that it explains. */
export interface Cause extends FailureCause {
  /** The scenarios that it explains, in the order of the report, each with the trials that met it. */
  readonly scenarios: ReadonlyArray<{ readonly result: ScenarioResult; readonly trials: ReadonlyArray<Trial> }>
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

type FactsIn = (wording: Wording) => CauseFacts

/** The facts of the first, with each text as it is shared with the texts of the others. */
const mergedFacts = (all: ReadonlyArray<FactsIn>): CauseFacts => {
  const texts: Array<string> = []
  for (const factsIn of all) {
    factsIn((text) => {
      texts.push(text)
      return text
    })
  }
  const alike = Map.groupBy(texts, normalised)
  const factsIn = all[0] ?? (() => ({ _tag: "Other", text: "" }))
  return factsIn((text) => merged(alike.get(normalised(text)) ?? [text]))
}

// an id of any form: a wrong one that a scenario asks for on purpose, too
const resource = /(\/v\d+\/[a-z-]+\/)[^/]+/u

const requestFacts = ({ method, path, status }: SentRequest, wording: Wording): RequestFacts => ({
  method,
  path: wording(path.replace(resource, "$1…")),
  status
})

const isAway = (request: SentRequest | undefined): request is SentRequest =>
  request !== undefined && (request.status === null || request.status === 429 || request.status >= 500)

/** Facts about a failure: the service's own message has priority over the values that the check saw. */
const factsOf = (failure: Failure, verdict: Trial["verdict"], wording: Wording): CauseFacts => {
  const { actual = "", expected = "", kind, message, request, service } = failure
  // a trial that only the infrastructure ended has its request as the cause
  if (verdict === "infra" && isAway(request)) return { _tag: "Request", ...requestFacts(request, wording) }
  const isCheck = kind === "check" ? { isCheck: true } : {}
  const what = { message: cut(wording(message.split("\n")[0] ?? ""), 120), ...isCheck }
  if (service !== undefined) return { _tag: "Service", ...what, error: cut(wording(service), 160) }
  return {
    _tag: "Check",
    ...what,
    ...(expected === "" ? {} : { expected: cut(wording(expected), 60) }),
    ...(actual === "" ? {} : { actual: cut(wording(actual), 60) }),
    ...(kind === "timeout" && request !== undefined ? { lastRequest: requestFacts(request, wording) } : {})
  }
}

const isUnkeyed = (name: string) => name === "_tag" || name === "isCheck"

/** Every text and number of a record with its name, so that equal records have equal texts. */
const fieldsOf = (record: object): ReadonlyArray<string> =>
  Object.entries(record).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null ? fieldsOf(value) : isUnkeyed(name) ? [] : [`${name}=${String(value)}`]
  )

/**
 * Key of a failure: two failures with the same key have one cause. The service's own message is enough, because checks
 * with different names fail for the same reason.
 */
const keyOf = (failure: Failure, verdict: Trial["verdict"]): string => {
  const { kind, request, service } = failure
  // the error of a run came with a 200, or with whatever was asked last
  const status = request?.status ?? 0
  return service !== undefined && verdict !== "infra"
    ? `service ${status >= 400 ? status : "run"} ${normalised(service)}`
    : [verdict === "infra" ? verdict : kind, ...fieldsOf(factsOf(failure, verdict, normalised))].join(" ")
}

/** The cause of one failure, with its own values. */
export const causeOf = (failure: Failure): FailureCause => ({
  key: keyOf(failure, "failed"),
  facts: factsOf(failure, "failed", line)
})

/**
 * Failures by cause, and how many there are of each. Values that differ between failures of one cause are left out of
 * it, or a range.
 */
export const byCause = (failures: ReadonlyArray<Failure>, verdict: Trial["verdict"]): ReadonlyArray<CountedCause> =>
  [...Map.groupBy(failures, (failure) => keyOf(failure, verdict))].map(([key, group]) => {
    const facts = mergedFacts(group.map((failure) => (wording) => factsOf(failure, verdict, wording)))
    return { cause: { key, facts }, count: group.length }
  })

interface Met {
  readonly key: string
  readonly factsIn: FactsIn
  readonly result: ScenarioResult
  readonly trial: Trial
}

const metBy = (result: ScenarioResult): ReadonlyArray<Met> =>
  allTrialsOf(result).flatMap((trial): ReadonlyArray<Met> => {
    const { breaches, failure, leakedBrowsers, reason, verdict } = trial
    const met = (key: string, factsIn: Met["factsIn"]): Met => ({ key, factsIn, result, trial })
    return [
      ...(verdict === "passed" || verdict === "skipped"
        ? []
        : failure === undefined
          ? [
              met(`${verdict} ${normalised(reason ?? "")}`, (wording) => ({
                _tag: "Other",
                text: wording(reason ?? verdict)
              }))
            ]
          : [met(keyOf(failure, verdict), (wording) => factsOf(failure, verdict, wording))]),
      ...(leakedBrowsers.length === 0 ? [] : [met("leaked browser", () => ({ _tag: "LeakedBrowser" }))]),
      ...breaches.map(({ facts, invariant }) =>
        met(`breach ${invariant}`, (wording) => ({
          _tag: "BrokenInvariant",
          invariant,
          ...(facts._tag === "Reported" ? { text: cut(wording(facts.text), 160) } : {})
        }))
      )
    ]
  })

/** The cause of failures with the same key. */
const shared = (key: string, met: ReadonlyArray<Met>): FailureCause => {
  const facts = mergedFacts(met.map(({ factsIn }) => factsIn))
  if (facts._tag !== "Service") return { key, facts }
  // if checks of different names met the service's error, only the error is the cause
  const isOne = new Set(met.map(({ factsIn }) => fieldsOf(factsIn(normalised)).join(" "))).size < 2
  return { key, facts: isOne ? facts : { _tag: "Service", error: facts.error } }
}

/** The cause that most of a scenario's trials met, the earlier of two; undefined where no trial went wrong. */
export const mainCauseOf = (result: ScenarioResult): FailureCause | undefined => {
  const groups = [...Map.groupBy(metBy(result), ({ key }) => key)]
  const [main] = groups.toSorted(([, one], [, other]) => other.length - one.length)
  return main && shared(...main)
}

/**
 * Groups the failures of a run by cause: each cause once, with every scenario that it explains. The cause of most
 * scenarios comes first. Two trials have one cause if the service reports the same reason, or, without a reason, if the
 * same check saw the same values; ids, times, durations and ports do not count. Scenarios in quarantine are left out.
 */
export const causesOf = (report: RunReport): ReadonlyArray<Cause> => {
  const open = report.results.filter(({ quarantine }) => quarantine === undefined || quarantine.expired)
  return [...Map.groupBy(open.flatMap(metBy), ({ key }) => key)]
    .map(([key, met]) => ({
      ...shared(key, met),
      scenarios: [...Map.groupBy(met, ({ result }) => result)].map(([result, those]) => ({
        result,
        trials: [...new Set(those.map(({ trial }) => trial))]
      }))
    }))
    .toSorted((one, other) => other.scenarios.length - one.scenarios.length)
}
