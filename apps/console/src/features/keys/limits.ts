import type { KeyLimits } from "@webagent/admin"
import * as Record from "effect/Record"

/** The limits, each with its label. */
export const limitLabels: { readonly [Name in keyof KeyLimits]-?: string } = {
  runs: "Concurrent runs",
  browsers: "Concurrent browsers",
  requestsPerMinute: "Requests per minute",
  usdPerDay: "USD per day",
  fileMegabytes: "MB of files",
  fileDays: "Days to keep files"
}

/** The names of the limits. */
export const limitNames = Object.keys(limitLabels) as ReadonlyArray<keyof KeyLimits>

/** Returns true if a key has spent its limit of the day, so that it can start no runs. */
export const isSpent = (usdToday: string, usdPerDay: number | null): boolean =>
  usdPerDay !== null && Number(usdToday) >= usdPerDay

/** Reads a limit: empty is unlimited; undefined stands for a text that is no limit. */
const limitOf = (name: keyof KeyLimits, text: string): number | null | undefined => {
  if (text.trim() === "") return null
  const value = Number(text)
  return (name === "usdPerDay" ? value >= 0 && value < Infinity : Number.isInteger(value) && value >= 1)
    ? value
    : undefined
}

/** Reads the limits of a form. Empty is unlimited; undefined stands for a form with a text that is no limit. */
export const limitsOf = (textOf: (name: keyof KeyLimits) => string): KeyLimits | undefined => {
  const limits = Record.map(limitLabels, (_, name) => limitOf(name, textOf(name)))
  return Record.every(limits, (limit) => limit !== undefined) ? limits : undefined
}

/** Returns the limits of a form whose text is no limit. */
export const wrongLimitsOf = (textOf: (name: keyof KeyLimits) => string): ReadonlyArray<keyof KeyLimits> =>
  limitNames.filter((name) => limitOf(name, textOf(name)) === undefined)
