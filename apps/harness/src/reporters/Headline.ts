import { countsOf, leakedBrowsersOf, type RunReport } from "@webagent/report/RunReport"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import * as Money from "@webagent/report/Money"
import * as Onset from "@webagent/report/Onset"
import * as Attention from "./Attention.ts"
import { counted } from "@webagent/report/Text"

const were = (count: number) => (count === 1 ? "was" : "were")

const browsers = (report: RunReport): ReadonlyArray<string> => {
  const all = report.results.flatMap(leakedBrowsersOf)
  const open = all.filter(({ stopped }) => !stopped).length
  const closed = all.length - open
  return [
    ...(closed === 0 ? [] : [`${counted(closed, "browser")} ${were(closed)} left open and stopped`]),
    ...(open === 0 ? [] : [`${counted(open, "browser")} could not be stopped and may go on and cost`])
  ]
}

const leftovers = ({ leftovers = [] }: RunReport): ReadonlyArray<string> => {
  // a browser that is known is said of its scenario
  const open = leftovers.filter(({ kind, state }) => state === "unknown" || (state === "open" && kind !== "browser"))
  const kinds = [...Map.groupBy(open, ({ kind }) => kind)].map(([kind, group]) => counted(group.length, kind))
  return open.length === 0 ? [] : [`${kinds.join(" and ")} may go on and cost`]
}

/** How many scenarios, and figures of the whole night, the nights before say are worse. */
const worse = ({ judgement, results }: RunReport): ReadonlyArray<string> => {
  const rows = judgement?.rows.filter(({ verdict }) => verdict === "regressed") ?? []
  const scenarios = new Set(rows.flatMap(({ scenario }) => (scenario === null ? [] : [JSON.stringify(scenario)])))
  const whole = rows.flatMap(({ figure, scenario }) => (scenario === null ? [figure] : []))
  return [
    ...(scenarios.size === 0
      ? []
      : [
          `${scenarios.size} of ${counted(results.length, "scenario")} ${scenarios.size === 1 ? "is" : "are"} worse than before`
        ]),
    ...(whole.length === 0 ? [] : [`the whole night is worse in ${whole.join(" and ")}`])
  ]
}

const are = (count: number) => (count === 1 ? "is" : "are")

/** How many scenarios are red for the first time, again, or as before; nothing where no nights before are known. */
export const ages = (report: RunReport): string | undefined => {
  const onsets = Attention.newestOnsets(report)
  if (onsets.length === 0) return undefined
  const count = (wanted: Onset.Age) => onsets.filter((onset) => Onset.ageOf(onset) === wanted).length
  const said = (["new", "again", "old"] as const)
    .map((age) => [count(age), { new: "newly red", again: "red again", old: "red as before" }[age]] as const)
    .filter(([count]) => count > 0)
    .map(
      ([count, how], index) =>
        `${count}${index === 0 ? ` of ${counted(report.results.length, "scenario")}` : ""} ${are(count)} ${how}`
    )
  return [...said, ...(count("old") === onsets.length ? ["none is new"] : [])].join(", ")
}

const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** What there is to say of a run, worst first, and what is worth knowing beside it; a green run says so. */
export const parts = (
  report: RunReport
): { readonly main: ReadonlyArray<string>; readonly beside: ReadonlyArray<string> } => {
  const seen = report.results.filter((result) => !Attention.isQuarantined(result))
  const { breaches, claimed, failed, flaky, infra, skipped, unscored } = countsOf(seen)
  const ran = seen.length - skipped
  const ended: ReadonlyArray<readonly [count: number, how: string]> = [
    [failed + claimed, claimed === 0 ? "failed" : `failed, ${claimed} while the agent claimed success`],
    [flaky, "flaky"],
    [infra, "not reached"],
    [unscored, "not scored"]
  ]
  const age = ages(report)
  const wrong = [
    ...(age === undefined ? [] : [age]),
    ...worse(report),
    ...(report.interrupted ? ["stopped before it had finished"] : []),
    ...ended
      .filter(([count]) => count > 0)
      .map(([count, how], index) => `${count}${index === 0 ? ` of ${counted(ran, "scenario")}` : ""} ${how}`),
    ...(breaches + report.breaches.length === 0
      ? []
      : [`${counted(breaches + report.breaches.length, "breach", "es")}`]),
    ...browsers(report),
    ...(report.crossed === undefined ? [] : ["a limit of the night was crossed"])
  ]
  const cut = InterruptedTrials.of(report)
  const quarantined = report.results.length - seen.length
  const good = `all ${counted(ran, "scenario")} passed`
  return {
    main: wrong.length === 0 ? [ran === 0 ? "nothing was run" : ran === 1 ? "the one scenario passed" : good] : wrong,
    beside: [
      ...(quarantined === 0 ? [] : [`${quarantined} in quarantine`]),
      ...(skipped === 0 ? [] : [`${skipped} not run`]),
      ...leftovers(report),
      ...(cut === undefined ? [] : [InterruptedTrials.text(cut)]),
      Money.rounded(report.cost_usd)
    ]
  }
}

/** All of it in one sentence. */
export const sentence = (report: RunReport): string => {
  const { beside, main } = parts(report)
  return capital([...main, ...beside].join("; "))
}

/** The worst of it in one sentence, and the rest in another, which may be empty. */
export const short = (report: RunReport): readonly [sentence: string, rest: string] => {
  const { beside, main } = parts(report)
  const [first, rest] = [main.slice(0, 3), [...main.slice(3), ...beside.slice(0, -1)]]
  return [capital([...first, ...beside.slice(-1)].join("; ")), rest.length === 0 ? "" : `${capital(rest.join("; "))}.`]
}
