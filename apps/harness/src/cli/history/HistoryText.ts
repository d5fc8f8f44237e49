import * as Money from "@webagent/cli/Money"
import * as NightText from "@webagent/findings/words/NightText"
import { statusWords } from "@webagent/findings/words/Title"
import type { Night, NightScenario } from "@webagent/nights/Night"
import { counted, duration, percent } from "@webagent/cli/Text"
import type { Style } from "@webagent/cli/Style"
import * as PartialText from "@webagent/findings/words/PartialText"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"

const levels = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const

/** A chart in a line: a bar for each number between the least and the greatest, a dot where there is none. */
export const chart = (values: ReadonlyArray<number | undefined>): string => {
  const known = values.filter((value) => value !== undefined)
  const [least, greatest] = [Math.min(...known), Math.max(...known)]
  return values
    .map((value) => {
      if (value === undefined) return "·"
      const share = greatest === least ? 0.5 : (value - least) / (greatest - least)
      return levels[Math.round(share * (levels.length - 1))] ?? "·"
    })
    .join("")
}

interface Trend {
  readonly name: string
  readonly values: ReadonlyArray<number | undefined>
  readonly format: (value: number) => string
}

const trendLines = (trends: ReadonlyArray<Trend>): ReadonlyArray<string> => {
  const width = Math.max(...trends.map(({ name }) => name.length))
  return trends.flatMap(({ format, name, values }) => {
    const known = values.filter((value) => value !== undefined)
    const last = known.at(-1)
    if (last === undefined) return []
    const range = `${format(Math.min(...known))} to ${format(Math.max(...known))}`
    return [`  ${name.padEnd(width)}  ${chart(values)}  ${format(last)}   range ${range}`]
  })
}

const sum = ({ scenarios }: Night, count: (scenario: NightScenario) => number) =>
  scenarios.reduce((total, scenario) => total + count(scenario), 0)

const passRate = (night: Night) => {
  const scored = sum(night, (scenario) => scenario.scored)
  return scored === 0 ? undefined : sum(night, ({ passed }) => passed) / scored
}

/** The result of a night next to its figures: its title unless it passed, and whether it is partial. */
const resultOf = (night: Night, style: Style): string => {
  const { findings, partial, regressed = [], status } = night
  const part = partial === undefined ? [] : [style.faint(`partial: ${PartialText.text(partial)}`)]
  if (status !== undefined) {
    const color = { failed: style.bad, warning: style.warning, passed: style.faint }[status]
    const title = findings === undefined ? "" : `: ${NightText.titleOf({ ...night, findings })}`
    return [...(status === "passed" ? [] : [color(`${statusWords[status].toLowerCase()}${title}`)]), ...part].join("; ")
  }
  if (partial !== undefined) return part.join("")
  const [first] = regressed
  if (first === undefined) return ""
  const where = first.scenario === null ? "the whole night" : scenarioTitle(first.scenario)
  const more = regressed.length === 1 ? "" : `, and ${regressed.length - 1} more`
  return style.bad(`worse: ${first.figure} of ${where}${more}`)
}

/** The trends, then a row for each night, then the total time and cost. */
export const ofNights = (nights: ReadonlyArray<Night>, style: Style): ReadonlyArray<string> => {
  const flaky = (night: Night) => night.scenarios.filter(({ verdict }) => verdict === "flaky").length
  const leaks = (night: Night) => sum(night, (scenario) => scenario.leaks)
  const whole = (value: number) => String(value)
  const rows = nights.map((night) => {
    const rate = passRate(night)
    return [
      night.id,
      night.startedAt.slice(0, 16).replace("T", " "),
      String(sum(night, ({ trials }) => trials)),
      rate === undefined ? "" : percent(rate),
      String(flaky(night)),
      String(leaks(night)),
      duration(night.duration_ms),
      NightText.costText(night)
    ]
  })
  const head = ["id", "started (UTC)", "trials", "passed", "flaky", "leaks", "duration", "cost"]
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)))
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
  const total = Money.sum(nights.map(({ cost_usd }) => cost_usd))
  const took = nights.reduce((all, { duration_ms }) => all + duration_ms, 0)
  const isSimulated = nights.every(({ fingerprint }) => fingerprint.target === "simulated")
  const simulated = isSimulated ? " simulated" : ""
  const partial = nights.filter((night) => night.partial !== undefined).length
  return [
    ...trendLines([
      { name: "pass rate", values: nights.map(passRate), format: percent },
      { name: "flaky scenarios", values: nights.map(flaky), format: whole },
      { name: "leaked browsers", values: nights.map(leaks), format: whole },
      { name: "duration", values: nights.map(({ duration_ms }) => duration_ms), format: duration },
      {
        name: `cost${simulated}`,
        values: nights.map(({ cost_usd }) => Number(cost_usd)),
        format: (value) => Money.rounded(String(value))
      }
    ]),
    "",
    style.strong(line(head)),
    ...nights.map((night, index) => `${line(rows[index] ?? [])}  ${resultOf(night, style)}`.trimEnd()),
    "",
    `${counted(nights.length, "night")}${partial === 0 ? "" : `, ${partial} partial`} · ${duration(took)} · ${Money.rounded(total)}${simulated}`
  ]
}

const ofScenario = (nights: ReadonlyArray<Night>, suite: string, name: string, style: Style): ReadonlyArray<string> => {
  const its = nights.map((night) => night.scenarios.find((one) => one.suite === suite && one.name === name))
  const counts = its.map((one) => (one === undefined ? "·" : `${one.passed}/${one.scored}`))
  const sources = new Set(its.flatMap((one) => one?.source ?? []))
  return [
    style.strong(scenarioTitle({ suite, name })),
    `  passed     ${counts.join(" ")}`,
    ...trendLines([
      {
        name: "pass rate",
        values: its.map((one) => (one === undefined || one.scored === 0 ? undefined : one.passed / one.scored)),
        format: percent
      },
      { name: "duration", values: its.map((one) => one?.durations?.median_ms), format: duration },
      {
        name: "cost",
        values: its.map((one) => (one === undefined ? undefined : Number(one.cost_usd) / Math.max(1, one.trials))),
        format: (value) => Money.rounded(String(value))
      }
    ]),
    ...(sources.size > 1 ? [style.faint(`  source changed ${counted(sources.size - 1, "time")}`)] : []),
    ""
  ]
}

/** The scenarios whose suite and name contain a text, in any case. */
export const named = (scenarios: ReadonlyArray<NightScenario>, part: string): ReadonlyArray<NightScenario> =>
  scenarios.filter((scenario) => scenarioTitle(scenario).toLowerCase().includes(part.toLowerCase()))

/** Scenarios through the nights, whose names contain a text; empty where there is none. */
export const ofScenarios = (nights: ReadonlyArray<Night>, part: string, style: Style): ReadonlyArray<string> => {
  const names = new Map(
    nights
      .flatMap(({ scenarios }) => named(scenarios, part))
      .map(({ name, suite }) => [JSON.stringify([suite, name]), { name, suite }])
  )
  return [...names.values()].flatMap(({ name, suite }) => ofScenario(nights, suite, name, style))
}
