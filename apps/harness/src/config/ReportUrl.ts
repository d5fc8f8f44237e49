import { isWebAddress } from "./Values.ts"

const ofScenario = ["suite", "scenario", "anchor"] as const
const ofRun = ["run", "date", "seed", "commit", "job"] as const

/** Values for the placeholders of a template; null where a run has none. */
export type Values = Readonly<Record<(typeof ofRun)[number], string | null>>

/** The scenario that a link is about. */
export type ScenarioValues = Readonly<Record<(typeof ofScenario)[number], string>>

const names: ReadonlyArray<string> = [...ofRun, ...ofScenario]
const placeholder = /\{([^{}]*)\}/gu
const inScenario = new RegExp(`\\{(?:${ofScenario.join("|")})\\}`, "u")

/** Description of a template, for a message. */
export const expected = `an address such as https://host/{run}/report.html#{anchor}, with some of ${names.map((name) => `{${name}}`).join(", ")}`

/** True if a text is a web address whose placeholders are all known. */
export const isTemplate = (text: string): boolean =>
  isWebAddress(text.replaceAll(placeholder, "x")) &&
  [...text.matchAll(placeholder)].every(([, name = ""]) => names.includes(name))

const filled = (template: string, values: Readonly<Record<string, string | null>>): string | null => {
  const used = [...template.matchAll(placeholder)].map(([, name = ""]) => values[name] ?? null)
  return used.includes(null)
    ? null
    : template.replaceAll(placeholder, (_, name: string) => encodeURIComponent(values[name] ?? ""))
}

/** The link to a scenario in a report; null if the run lacks a value that the template needs. */
export const scenarioLink = (template: string, values: Values, scenario: ScenarioValues): string | null =>
  filled(template, { ...values, ...scenario })

/**
 * The link to a report. The fragment or query that names a scenario is left out; null if the path names one, or if the run
 * lacks a value that the template needs.
 */
export const runLink = (template: string, values: Values): string | null => {
  const at = template.search(inScenario)
  if (at < 0) return filled(template, values)
  const cut = Math.max(template.lastIndexOf("#", at), template.lastIndexOf("?", at))
  return cut < 0 ? null : filled(template.slice(0, cut), values)
}
