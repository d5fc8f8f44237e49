import { countsOf, leakedBrowsersOf, type RunReport } from "../runner/RunReport.ts"
import * as Attention from "./Attention.ts"
import { counted } from "./Style.ts"

const were = (count: number) => (count === 1 ? "was" : "were")

/** An amount in USD for a person: to the cent, or to what is not nothing. */
export const money = (cost_usd: string): string => {
  const [whole = "0", fraction = ""] = cost_usd.split(".")
  const first = /[1-9]/u.exec(fraction)?.index ?? 0
  const digits = whole === "0" ? Math.max(2, first + 2) : 2
  return `${whole}.${fraction.slice(0, digits).padEnd(2, "0")} USD`
}

const browsers = (report: RunReport): ReadonlyArray<string> => {
  const all = report.results.flatMap(leakedBrowsersOf)
  const open = all.filter(({ stopped }) => !stopped).length
  const closed = all.length - open
  return [
    ...(closed === 0 ? [] : [`${counted(closed, "browser")} ${were(closed)} left open and stopped`]),
    ...(open === 0 ? [] : [`${counted(open, "browser")} could not be stopped and may go on and cost`])
  ]
}

/** What there is to say of a run in one sentence, worst first; a green run says so. */
export const sentence = (report: RunReport): string => {
  const seen = report.results.filter((result) => !Attention.isQuarantined(result))
  const { breaches, claimed, failed, flaky, infra, skipped, unscored } = countsOf(seen)
  const ran = seen.length - skipped
  const parts = [
    ...(report.interrupted ? ["stopped before it had finished"] : []),
    ...(failed + claimed === 0 ? [] : [`${failed + claimed} of ${counted(ran, "scenario")} failed`]),
    ...(claimed === 0 ? [] : [`of ${claimed} the agent said that it had succeeded`]),
    ...(flaky === 0 ? [] : [`${flaky} passed only sometimes`]),
    ...(infra === 0 ? [] : [`for ${infra} the service could not be reached`]),
    ...(unscored === 0 ? [] : [`${unscored} could not be scored`]),
    ...(breaches + report.breaches.length === 0
      ? []
      : [`${counted(breaches + report.breaches.length, "invariant")} did not hold`]),
    ...browsers(report)
  ]
  const quarantined = report.results.length - seen.length
  const good = `all ${counted(ran, "scenario")} passed`
  const text = [
    ...(parts.length === 0 ? [ran === 0 ? "nothing was run" : ran === 1 ? "the one scenario passed" : good] : parts),
    ...(quarantined === 0 ? [] : [`${quarantined} in quarantine`]),
    ...(skipped === 0 ? [] : [`${skipped} not run`]),
    money(report.cost_usd)
  ].join("; ")
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
