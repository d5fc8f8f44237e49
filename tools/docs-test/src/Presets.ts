import { type DurationDistribution, type Profile, presetNames, presets } from "@webagent/control"
import * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"

const span = (time: Duration.Duration) => Duration.format(time)

const time = (drawn: DurationDistribution): string => {
  if (Duration.isDuration(drawn)) return span(drawn)
  if ("uniform" in drawn) return `${span(drawn.uniform.min)} to ${span(drawn.uniform.max)}`
  if ("lognormal" in drawn) return `${span(drawn.lognormal.median)} median, lognormal ${drawn.lognormal.sigma}`
  return `${span(drawn.pareto.min)} or more, Pareto ${drawn.pareto.alpha}`
}

const outcomes = ({ outcomes: weights = {} }: Profile): string => {
  const all = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  return Object.entries(weights)
    .map(([outcome, weight]) => `${Math.round((100 * weight) / all)} % ${outcome}`)
    .join(", ")
}

const limits = ({ limits: { burst, concurrentBrowsers, concurrentRuns, requestsPerSecond } = {} }: Profile): string =>
  [
    concurrentRuns === undefined ? "" : `${concurrentRuns} runs`,
    concurrentBrowsers === undefined ? "" : `${concurrentBrowsers} browsers`,
    requestsPerSecond === undefined ? "" : `${requestsPerSecond} requests per second, ${burst ?? 1} at once`
  ]
    .filter((text) => text !== "")
    .join(", ") || "none"

/** The share of requests to the operation that one of the rules hits, each drawn by itself. */
const hit = ({ faults = [] }: Profile, operation: string): string => {
  const spared = faults
    .filter(({ when }) => when?.operations?.some((each) => each === operation) ?? true)
    .reduce((share, { when }) => share * (1 - (when?.rate ?? 1)), 1)
  return `${((1 - spared) * 100).toFixed(1).replace(/\.0$/u, "")} %`
}

const row = (name: (typeof presetNames)[number]): string => {
  const profile: Profile = presets[name]
  const cells = [
    `\`${name}\``,
    profile.duration === undefined ? "" : time(profile.duration),
    outcomes(profile),
    limits(profile),
    profile.faults === undefined
      ? "none"
      : `${hit(profile, "v4.createRun")} of creates, ${hit(profile, "v4.getRunStatus")} of reads`
  ]
  return `| ${cells.join(" | ")} |`
}

/** The rows of the table of presets in docs/simulated-service-reference.md. */
export const presetRows = (): ReadonlyArray<string> => presetNames.map(row)

const paths = (ast: Schema.Constraint["ast"], at: string): ReadonlyArray<string> => {
  if (ast._tag !== "Objects" || ast.propertySignatures.length === 0) return at === "" ? [] : [at]
  return ast.propertySignatures.flatMap(({ name, type }) =>
    paths(type, at === "" ? String(name) : `${at}.${String(name)}`)
  )
}

/** The path of every field that a file of this schema may have; lists and times to draw count as one. */
export const fieldPaths = (schema: Schema.Constraint): ReadonlyArray<string> => paths(schema.ast, "")
