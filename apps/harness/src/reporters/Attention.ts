import * as Breach from "@webagent/report/Breach"
import { byCause, type Cause, causesOf, mainCauseOf } from "@webagent/report/Cause"
import * as Gate from "@webagent/report/Gate"
import * as Headline from "@webagent/report/Headline"
import type { JudgedRow } from "@webagent/report/NightJudgement"
import * as Onset from "@webagent/report/Onset"
import * as ScenarioLimit from "@webagent/report/ScenarioLimit"
import {
  allTrialsOf,
  breachesOf,
  leakedBrowsersOf,
  type RunReport,
  type ScenarioResult
} from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import * as Outages from "./Outages.ts"
import { counted, cut, percent, signedPercent } from "@webagent/cli/Text"

/** Something of a run that a person has to look at. */
export interface Item {
  readonly rule: Gate.Problem["rule"]
  /** The problem, in two or three words. */
  readonly what: string
  /** The scenario's suite and name, or what else it is about. */
  readonly title: string
  /** The evidence, in one line. */
  readonly evidence: string
  /** The scenario that it is about; what belongs to none has none. */
  readonly result?: ScenarioResult
  /** The reason for the failure, in one line, without other details. */
  readonly cause?: string
  /** Other details: the number of trials that passed, tonight and in earlier nights. */
  readonly detail?: string
  /** The scenarios that made the whole night worse. */
  readonly why?: Why
  /** The reason why it's worse than in earlier nights, if it is and it also failed tonight. */
  readonly worse?: string
  /** Number of its trials that passed tonight and in earlier nights, if the history shows that the failure is new. */
  readonly rate?: string
  /** Since when it is so, where nights before are known that could say it. */
  readonly onset?: Onset.Onset
}

/** The scenarios that made a whole night worse, the one that added most first. */
export interface Why {
  /** For how much of it they account together. */
  readonly share: string
  readonly scenarios: ReadonlyArray<{ readonly title: string; readonly text: string; readonly result?: ScenarioResult }>
}

/**
 * True if an item is about the verdict of a scenario's trials, and not about a rule that applies regardless of the
 * verdict.
 */
export const isVerdict = ({ result, rule }: Pick<Item, "result" | "rule">): boolean => result?.verdict === rule

/** The trials that were scored and did not pass. */
export const failingTrials = ({ trials }: ScenarioResult): ReadonlyArray<Trial> =>
  trials.filter(({ verdict }) => verdict === "failed" || verdict === "claimed")

/** `3 of 5 trials passed`, `1 of 1 trial passed, 3 not run`; nothing is said of one trial alone. */
export const passRate = ({ trials }: ScenarioResult): string | undefined => {
  if (trials.length < 2) return undefined
  const ran = trials.filter(({ verdict }) => verdict !== "skipped")
  const passed = ran.filter(({ verdict }) => verdict === "passed").length
  const unrun = trials.length - ran.length
  return `${passed} of ${counted(ran.length, "trial")} passed${unrun === 0 ? "" : `, ${unrun} not run`}`
}

const line = (text: string) => text.replaceAll(/\s+/gu, " ").trim()

const reasonOf = ({ reason, trials }: ScenarioResult) => reason ?? trials.find((trial) => trial.reason)?.reason

const causeAndDetail = (result: ScenarioResult): Pick<Item, "cause" | "detail"> => {
  const failures = [result, ...allTrialsOf(result)].flatMap(({ failure }) => failure ?? [])
  const [first] = byCause(failures, result.verdict === "infra" ? "infra" : "failed")
  const cause = first === undefined ? reasonOf(result) : first.text
  const detail = passRate(result)
  return { ...(cause === undefined ? {} : { cause }), ...(detail === undefined ? {} : { detail }) }
}

const words: Readonly<Partial<Record<Gate.Problem["rule"], string>>> = {
  claimed: "claimed success wrongly",
  infra: "service not reached",
  unscored: "not scored",
  "scenario limit": "exceeded limit",
  leak: "browser leak",
  "left running": "abandoned run",
  "cost unknown": "cost unknown",
  quarantine: "quarantine expired",
  limit: "limit crossed"
}

/** Which browsers it leaked: a line, and the same with their ids. */
const left = (result: ScenarioResult): Pick<Item, "cause" | "evidence"> => {
  const browsers = leakedBrowsersOf(result)
  const open = browsers.filter(({ stopped }) => !stopped)
  const still = `${open.length === browsers.length ? "" : `${open.length} of them `}still open, and may cost`
  const cause = `leaked ${counted(browsers.length, "browser")}, ${open.length === 0 ? "stopped afterwards" : still}`
  return { cause, evidence: `${cause}: ${browsers.map(({ id }) => id).join(", ")}` }
}

const wholeNight = "the whole night"

const mostInLine = 3

// where the first few account for less, no few scenarios are the reason
const concentrated = 0.5

// numbers that are at least this much of each other are the same to a person
const alike = 0.9

/** Which scenarios made the whole night worse. */
const whyOf = ({ contributors = [], figure }: JudgedRow, results: ReadonlyArray<ScenarioResult>): Pick<Item, "why"> => {
  if (contributors.length === 0) return {}
  const share = contributors.reduce((sum, { share }) => sum + share, 0)
  const scenarios = contributors.map(({ before, name, now, suite }) => {
    const result = results.find((one) => one.name === name && one.suite === suite)
    const unit = figure === "pass rate" ? "" : " a trial"
    return { title: `${suite} › ${name}`, text: `${now}${unit}, usually ${before}`, ...(result && { result }) }
  })
  const ran = counted(results.filter(({ verdict }) => verdict !== "skipped").length, "scenario")
  const part = share > 0.995 ? "all" : percent(share, 0)
  // where each of them rose the same, the first few are nothing special
  const [changes, shares] = [contributors.map(({ change }) => change), contributors.map((one) => one.share)]
  const isEven =
    contributors.length > 1 &&
    share < 0.995 &&
    [changes, shares].every((values) => Math.min(...values) > alike * Math.max(...values))
  return {
    why: {
      share: isEven
        ? `spread evenly over the scenarios, ${signedPercent(Math.max(...changes))} each; ${scenarios.length} of ${ran}`
        : `${share < concentrated ? "spread over many scenarios; " : ""}${part} of it comes from ${scenarios.length} of ${ran}`,
      scenarios
    }
  }
}

/** The reason why a whole night is worse, in one line; empty for any other item. */
export const whyLine = ({ why }: Item): ReadonlyArray<string> => {
  if (why === undefined) return []
  const named = why.scenarios.slice(0, mostInLine).map(({ text, title }) => `${title} ${text}`)
  return [`${why.share}: ${[...named, ...(why.scenarios.length > mostInLine ? ["…"] : [])].join("; ")}`]
}

/** Summarizes the results of a scenario's trials, and whether it passes less often than before. */
const verdictOf = (
  result: ScenarioResult,
  row: JudgedRow | undefined
): Pick<Item, "cause" | "detail" | "evidence" | "rate" | "worse"> => {
  const expired = result.quarantine?.expired === true ? "; its quarantine has expired" : ""
  const told = causeAndDetail(result)
  const evidence = `${[told.detail, told.cause].filter((part) => part !== undefined).join("; ")}${expired}`
  if (row === undefined) return { evidence, ...told }
  // the smallest detectable change is in the statistics
  const worse = row.evidence.replace(/; [^;]+ would be seen$/u, "")
  const rate = `${row.now} passed, before ${row.before}`
  return { ...told, rate, worse, detail: worse, evidence: `${evidence}; worse than before: ${worse}` }
}

/** A problem as a person reads it: each limit and each broken invariant by itself. */
const itemsFrom =
  (results: ReadonlyArray<ScenarioResult>) =>
  ({ breach, onset, result, row, rule, sentence = "" }: Gate.Problem): ReadonlyArray<Item> => {
    const title = result === undefined ? "the whole run" : `${result.suite} › ${result.name}`
    const item = {
      rule,
      what: words[rule] ?? rule,
      title,
      ...(result === undefined ? {} : { result }),
      ...(onset === undefined ? {} : { onset })
    }
    if (rule === "regressed" && row !== undefined) {
      const { evidence, scenario } = row
      const whose = scenario === null ? wholeNight : `${scenario.suite} › ${scenario.name}`
      return [
        {
          ...item,
          what: `worse: ${Headline.figureName(row)}`,
          title: whose,
          evidence: line(evidence),
          ...whyOf(row, results)
        }
      ]
    }
    if (breach !== undefined) {
      const { invariant, resource } = breach
      return [{ ...item, what: invariant, title: resource ?? title, evidence: line(Breach.text(breach)) }]
    }
    // that it was stopped is said by the one who did it
    if (result === undefined) return rule === "stopped" ? [] : [{ ...item, evidence: line(sentence) }]
    switch (rule) {
      case "scenario limit":
        return (result.exceeded ?? []).map((limit) => ({ ...item, evidence: ScenarioLimit.text(limit) }))
      case "leak":
        return [{ ...item, ...left(result) }]
      case "left running":
        return breachesOf(result)
          .filter(({ invariant }) => invariant === Gate.leftRunning)
          .map((breach) => ({ ...item, evidence: line(Breach.text(breach)) }))
      case "invariant":
        return breachesOf(result)
          .filter(({ invariant }) => invariant !== Gate.leftRunning)
          .filter(({ invariant }) => invariant !== "browsers-left-open" || leakedBrowsersOf(result).length === 0)
          .map((breach) => ({ ...item, what: breach.invariant, evidence: line(Breach.text(breach)) }))
      case "quarantine":
        return Gate.problemsOf(result).some(({ rule }) => rule === result.verdict)
          ? []
          : [{ ...item, evidence: `it was to end on ${result.quarantine?.expires}` }]
      default:
        return [{ ...item, ...verdictOf(result, row) }]
    }
  }

/** Lists the problems of one scenario, quarantined or not. */
export const itemsOf = (result: ScenarioResult): ReadonlyArray<Item> =>
  Gate.problemsOf(result).flatMap(itemsFrom([result]))

/**
 * Lists the problems that fail a run and need attention. An outage comes first. Problems that are new tonight come
 * before older ones, and both are sorted by severity. A quarantined scenario is left out until its entry expires, and
 * so is one that is as flaky as usual.
 */
export const items = (report: RunReport): ReadonlyArray<Item> =>
  Gate.problems(report)
    .flatMap(itemsFrom(report.results))
    .toSorted(
      (one, other) =>
        Number(other.rule === "outage") - Number(one.rule === "outage") || Onset.tonightFirst(one.onset, other.onset)
    )

/** Describes the deviation of a scenario or of the whole night, in two or three words. */
const unusualOf = (row: JudgedRow): string =>
  // that it is new is in the evidence
  Gate.isNew(row)
    ? "flaky"
    : ((row.scenario === null && row.figure === "pass rate" ? undefined : unusually[row.figure]) ??
      `unusual ${row.figure}`)

const unusually: Readonly<Partial<Record<JudgedRow["figure"], string>>> = {
  "pass rate": "unusually flaky",
  duration: "unusually slow",
  cost: "unusually costly"
}

/**
 * Figures far outside of their earlier nights that do not make a run red; those of scenarios together by figure, and pass
 * rates by cause.
 */
export const unusual = (report: RunReport): ReadonlyArray<Finding> => {
  const resultOf = ({ figure, scenario }: JudgedRow) => {
    const result = report.results.find(({ name, suite }) => name === scenario?.name && suite === scenario.suite)
    return { result, cause: figure === "pass rate" && result !== undefined ? mainCauseOf(result) : undefined }
  }
  const groups = Map.groupBy(Gate.unusual(report), (row) =>
    row.scenario === null ? row : `${unusualOf(row)} ${resultOf(row).cause?.key}`
  )
  return [...groups.values()].flatMap((group): ReadonlyArray<Finding> => {
    // what is said of several is that of the first: it has to be the worst
    const rows = group.toSorted((one, other) => (other.change ?? 0) - (one.change ?? 0))
    const items = rows.map((row): Item => {
      const { scenario } = row
      const { cause, result } = resultOf(row)
      // the smallest detectable change is in the statistics
      const evidence = line(row.evidence.split(";")[0] ?? "")
      return {
        rule: "regressed",
        what: unusualOf(row),
        title: scenario === null ? wholeNight : `${scenario.suite} › ${scenario.name}`,
        evidence: cause === undefined ? evidence : `${evidence}: ${cause.text}`,
        ...(cause === undefined ? {} : { cause: cause.text, detail: evidence }),
        ...whyOf(row, report.results),
        ...(result === undefined ? {} : { result })
      }
    })
    const [first] = items
    if (first === undefined) return []
    if (items.length === 1) return [{ ...first, items }]
    const evidence = `${rows[0]?.change === undefined ? "for example" : "up to"} ${first.evidence}`
    const { detail: _, ...rest } = first
    return [{ ...rest, evidence, title: counted(items.length, "scenario"), items }]
  })
}

/** The scenario to look at: the finding's first, or the one that added most to a whole night. */
export const exampleOf = ({ items: [first], why }: Pick<Finding, "items" | "why">): ScenarioResult | undefined =>
  first?.result ?? why?.scenarios.find((one) => one.result !== undefined)?.result

/** The items of each result that has any. */
export const itemsByResult = (report: RunReport): ReadonlyMap<ScenarioResult, ReadonlyArray<Item>> => {
  const byResult = new Map<ScenarioResult, Array<Item>>()
  for (const item of items(report)) {
    if (item.result === undefined) continue
    const known = byResult.get(item.result)
    if (known === undefined) byResult.set(item.result, [item])
    else known.push(item)
  }
  return byResult
}

/** Scenarios that one cause kept from being scored, or one item alone. */
export interface Finding extends Item {
  /** Everything that it stands for; the item itself where it stands for nothing else. */
  readonly items: ReadonlyArray<Item>
}

/** That several scenarios fail for one cause, in words: `one of 4 scenarios with this cause`. */
export const shared = ({ items }: Finding): string | undefined =>
  items.length > 1 ? `one of ${items.length} scenarios with this cause` : undefined

/** Since when a finding is so, in words; with several scenarios, how many have each age. */
export const age = ({ items }: Finding): string | undefined => {
  const [first] = items
  if (items.length > 1) return Onset.summary(items.map(({ onset }) => onset))
  return first?.onset === undefined ? undefined : Onset.text(first.onset)
}

// in one line
const mostNamed = 3
const longestCause = 140

/** A finding in one line, with why and the names of its scenarios. */
export const brief = (finding: Finding): string => {
  const { cause, evidence, items, title, what } = finding
  const since = age(finding)
  const head = `${title}: ${what}${since === undefined ? "" : ` (${since})`}: ${cut(cause ?? evidence, longestCause)}`
  if (items.length === 1) return head
  const names = items.slice(0, mostNamed).map(({ title }) => title)
  const more = items.length - names.length
  return `${head}: ${names.join(", ")}${more === 0 ? "" : `, and ${more} more`}`
}

/** The cause that kept a scenario from being scored, without details of this scenario alone. */
const causeOf = (result: ScenarioResult, met: ReadonlyArray<Outages.Outage>): Outages.Outage | string | undefined => {
  const { quarantine, verdict } = result
  // what quarantine adds is of one scenario alone
  if (quarantine !== undefined) return undefined
  if (verdict === "infra") return met.find(({ results, trials }) => trials > 0 && results.has(result))
  return mainCauseOf(result)?.key ?? reasonOf(result)
}

/** Key of an item: two items with the same key belong to one finding. */
const keyOf = (item: Item, met: ReadonlyArray<Outages.Outage>): Outages.Outage | string | undefined => {
  const { result, rule, what, worse } = item
  if (result === undefined || rule === "quarantine" || rule === "scenario limit" || rule === "regressed")
    return undefined
  // a leak and a broken invariant are one finding each, whatever scenarios they are of
  if (!isVerdict(item)) return result.quarantine === undefined ? what : undefined
  // what also regressed has to be said of each
  return rule === "flaky" && worse !== undefined ? undefined : causeOf(result, met)
}

const outageText = (outage: Outages.Outage) =>
  `${Outages.span(outage)}: ${Outages.toll(outage)}; ${Outages.asked(outage)}`

/** Summarizes the common cause of several scenarios in one line, with the number of trials. */
const commonOf = (
  key: Outages.Outage | Item | string,
  group: ReadonlyArray<Item>,
  causes: ReadonlyArray<Cause>
): Pick<Item, "cause" | "detail" | "evidence"> => {
  if (typeof key !== "string") {
    return "operations" in key
      ? { cause: `${Outages.asked(key)}, ${Outages.span(key)}`, detail: Outages.toll(key), evidence: outageText(key) }
      : { cause: key.evidence, evidence: key.evidence }
  }
  const results = new Set(group.flatMap(({ result }) => result ?? []))
  const cause = causes.find((cause) => cause.key === key)
  if (cause === undefined) {
    const leaked = [...results].flatMap(leakedBrowsersOf).length
    const text = group[0]?.rule === "leak" ? `leaked ${counted(leaked, "browser")}` : group[0]?.evidence
    return { cause: text ?? key, evidence: text ?? key }
  }
  const trials = cause.scenarios.reduce((sum, one) => sum + (results.has(one.result) ? one.trials.length : 0), 0)
  const detail = counted(trials, "trial")
  return { cause: cause.text, detail, evidence: `${detail}: ${cause.text}` }
}

/** The items, those of one outage or one cause together, where the first of them stood. */
export const findings = (report: RunReport): ReadonlyArray<Finding> => {
  const met = Outages.of(report)
  const causes = causesOf(report)
  const groups = Map.groupBy(items(report), (item) => keyOf(item, met) ?? item)
  return [...groups].flatMap(([key, group]): ReadonlyArray<Finding> => {
    const [first] = group
    if (first === undefined) return []
    if (group.length === 1) return [{ ...first, items: group }]
    const { what } = first
    return [
      {
        ...commonOf(key, group, causes),
        rule: first.rule,
        what,
        title: counted(group.length, "scenario"),
        items: group
      }
    ]
  })
}
