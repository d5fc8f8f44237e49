import { verdictOf } from "@webagent/harness-api/NightCells"
import type { NightsColumn } from "@webagent/harness-api"
import { counted, span } from "../../ui/format.ts"
import { usd } from "../state/cost.ts"
import type { Drawn, Heat, Night } from "./heat.ts"

/** A row of the heat map about whole nights. */
export interface WholeLine {
  readonly whole: string
  readonly drawn: (night: Night) => Drawn
  readonly described: (night: Night) => string
}

const nothing: Drawn = { text: "", look: "none" }
const usual: Drawn = { text: "·", look: "still" }

/** Beyond this multiple of the median, a night is marked even if it wasn't reported. */
const far = 1.5

type Figure = NightsColumn["regressed"][number]

const isWorse = ({ regressed }: NightsColumn, figure: Figure) => regressed.includes(figure)

const worseText = (night: NightsColumn, figure: Figure) => (isWorse(night, figure) ? ", worse than before" : "")

/** Numbers of trials and scenarios of a night. */
interface Totals {
  readonly passed: number
  readonly scored: number
  readonly failed: number
  readonly flaky: number
}

const totals = new WeakMap<NightsColumn, Totals>()

const count = ({ cells, rates, usual: most }: NightsColumn): Totals => {
  const others = new Map(rates.map(([row, ...rate]) => [row, rate]))
  let [passed, scored, failed, flaky] = [0, 0, 0, 0]
  for (let row = 0; row < cells.length; row++) {
    const verdict = verdictOf(cells[row])
    if (verdict === undefined) continue
    const [good, all] = others.get(row) ?? [most, most]
    passed += good
    scored += all
    if (verdict === "failed" || verdict === "claimed") failed++
    if (verdict === "flaky") flaky++
  }
  return { passed, scored, failed, flaky }
}

/** Counts a night once: its cells are drawn again with each scroll. */
const totalsOf = (night: NightsColumn): Totals => {
  const counted = totals.get(night) ?? count(night)
  totals.set(night, counted)
  return counted
}

const passRate: WholeLine = {
  whole: "trials passed",
  drawn: ({ of }) => {
    const { passed, scored } = totalsOf(of)
    if (scored === 0) return nothing
    // 100 % is all of them
    const text = passed === scored ? "100" : String(Math.min(99, Math.round((100 * passed) / scored)))
    return { text, look: isWorse(of, "pass rate") ? "bad" : passed === scored ? "ok" : "still" }
  },
  described: ({ of }) => {
    const { passed, scored } = totalsOf(of)
    return `${passed} of ${scored} trials passed${worseText(of, "pass rate")}`
  }
}

const failed: WholeLine = {
  whole: "failed scenarios",
  drawn: ({ of }) => {
    const { failed } = totalsOf(of)
    return failed === 0 ? usual : { text: String(failed), look: "bad" }
  },
  described: ({ of }) => {
    const { failed, flaky } = totalsOf(of)
    return [
      `${counted(failed, "scenario")} failed`,
      `${flaky} flaky`,
      ...(of.leaks === 0 ? [] : [`${counted(of.leaks, "browser")} leaked`])
    ].join(", ")
  }
}

const medianOf = (values: ReadonlyArray<number>): number => {
  const sorted = values.filter((value) => value > 0).toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** A figure of whole nights as a multiple of its median over complete nights at the same target. */
const multiple = (
  figure: Extract<Figure, "duration" | "cost">,
  { nights }: Heat,
  valueOf: (night: NightsColumn) => number,
  textOf: (value: number) => string
): WholeLine => {
  const medians = new Map(
    [...Map.groupBy(nights, ({ of }) => of.target)].map(([target, some]) => [
      target,
      medianOf(some.flatMap(({ of }) => (of.partial === null ? valueOf(of) : [])))
    ])
  )
  const ratioOf = (night: NightsColumn) => {
    const median = medians.get(night.target) ?? 0
    return night.partial !== null || median === 0 ? 0 : valueOf(night) / median
  }
  return {
    whole: figure,
    drawn: ({ of }) => {
      const ratio = ratioOf(of)
      if (!(ratio > 0)) return nothing
      const isNear = ratio <= 1.25 && ratio >= 0.8
      if (isNear && !isWorse(of, figure)) return usual
      return {
        text: `×${ratio.toFixed(ratio < 9.95 ? 1 : 0)}`,
        look: isWorse(of, figure) ? "bad" : ratio > far ? "warn" : "still"
      }
    },
    described: ({ of }) => {
      const ratio = ratioOf(of)
      const value = textOf(valueOf(of))
      if (of.partial !== null) return `${value}, for part of the night`
      if (!(ratio > 0)) return "not measured"
      return `${value}, ${ratio.toFixed(1)} times the median of ${textOf(medians.get(of.target) ?? 0)}${worseText(of, figure)}`
    }
  }
}

/** Milliseconds of all outages; infinite if the night ended in one. */
const awayOf = ({ outages }: NightsColumn) =>
  outages.reduce(
    (sum, { from, until }) => sum + (until === null ? Number.POSITIVE_INFINITY : Date.parse(until) - Date.parse(from)),
    0
  )

const outages: WholeLine = {
  whole: "outages",
  drawn: ({ of }) => {
    const away_ms = awayOf(of)
    if (of.outages.length === 0) return of.isAway ? { text: "⌁", look: "bad" } : usual
    return { text: "⌁", look: away_ms >= 60_000 ? "bad" : "busy" }
  },
  described: ({ of }) =>
    of.isAway
      ? "the service was unavailable"
      : of.outages.length === 0
        ? "no outage"
        : of.outages
            .map(({ from, until }) =>
              until === null
                ? `unreachable since ${from.slice(11, 19)} UTC`
                : `unreachable ${from.slice(11, 19)} to ${until.slice(11, 19)} UTC (${span(Date.parse(until) - Date.parse(from))})`
            )
            .join(", ")
}

const invariants: WholeLine = {
  whole: "invariants",
  drawn: ({ of }) => (of.breaches === 0 ? usual : { text: String(of.breaches), look: "bad" }),
  described: ({ of }) => `${of.breaches || "none"} broken outside of scenarios`
}

const versionOf = ({ revisions: { service } }: NightsColumn): string | undefined => service?.version ?? service?.commit

/** The parts of the code of a night, in words. */
const revisionsOf = ({ revisions: { harness, service, suites } }: NightsColumn): ReadonlyArray<string> => [
  ...(service === undefined
    ? []
    : [`service ${[service.version, service.commit?.slice(0, 7)].filter((part) => part !== undefined).join(" at ")}`]),
  ...(suites === undefined
    ? []
    : [`suites at ${suites.commit.slice(0, 7)}${suites.isChanged === true ? " with local changes" : ""}`]),
  ...(harness === undefined ? [] : [`harness at ${harness.commit.slice(0, 7)}`])
]

const versions: WholeLine = {
  whole: "service version",
  drawn: ({ before, of }) => {
    const version = versionOf(of)
    if (version === undefined) return nothing
    return before === undefined || versionOf(before) === version ? usual : { text: version.slice(0, 5), look: "busy" }
  },
  described: ({ before, of }) => {
    const parts = revisionsOf(of)
    if (parts.length === 0) return "unknown version"
    const changed = before === undefined ? [] : parts.filter((part) => !revisionsOf(before).includes(part))
    return `${parts.join(", ")}${changed.length === 0 ? "" : `; changed since the night before: ${changed.join(", ")}`}`
  }
}

/** The rows about whole nights. Those that no night has anything to say in are left out. */
export const wholeLinesOf = (heat: Heat): ReadonlyArray<WholeLine> => {
  const has = (is: (night: NightsColumn) => boolean) => heat.nights.some(({ of }) => is(of))
  return [
    passRate,
    failed,
    multiple("duration", heat, ({ planned }) => planned.duration_ms ?? 0, span),
    ...(has(({ planned }) => Number(planned.cost_usd) > 0)
      ? [
          multiple(
            "cost",
            heat,
            ({ planned }) => Number(planned.cost_usd),
            (value) => usd(value.toFixed(4))
          )
        ]
      : []),
    ...(has((night) => night.isAway || night.outages.length > 0) ? [outages] : []),
    ...(has(({ breaches }) => breaches > 0) ? [invariants] : []),
    ...(has((night) => versionOf(night) !== undefined) ? [versions] : [])
  ]
}
