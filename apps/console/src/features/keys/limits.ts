import type { KeyLimits } from "@webagent/admin"

/** The limits, each with its label. */
export const limitLabels: Readonly<Record<keyof KeyLimits, string>> = {
  runs: "Runs at once",
  browsers: "Browsers at once",
  requestsPerMinute: "Requests per minute",
  usdPerDay: "USD per day"
}

/** The names of the limits. */
export const limitNames = Object.keys(limitLabels) as ReadonlyArray<keyof KeyLimits>

/** Reads the limits of a form. Empty is unlimited; undefined stands for a text that is no number. */
export const limitsOf = (textOf: (name: keyof KeyLimits) => string): KeyLimits | undefined => {
  const read = limitNames.map((name) => {
    const text = textOf(name).trim()
    const value = text === "" ? null : Number(text)
    const isRight = value === null || (name === "usdPerDay" ? value >= 0 : Number.isInteger(value) && value >= 1)
    return [name, value, isRight && value !== Infinity] as const
  })
  if (!read.every(([, , isRight]) => isRight)) return undefined
  return Object.fromEntries(read.map(([name, value]) => [name, value])) as unknown as KeyLimits
}
