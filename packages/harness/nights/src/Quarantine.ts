import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { usage } from "@webagent/cli/UserError"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"

/** Default location of the quarantine file. */
export const standard = "webagent.quarantine.json"

/** The longest that a scenario may be in quarantine. */
const mostDays = 30
/** Maximum share of all scenarios that may be quarantined; one is always allowed. */
const mostShare = 0.05
/** Clean trials after which it is proposed to let a scenario go: it then fails less often than in 5 %, with 95 % confidence. */
const cleanTrials = 59

const day_ms = 86_400_000

/** True if a text is a day such as `2026-12-01`. */
export const isDay = (text: string) =>
  /^\d{4}-\d{2}-\d{2}$/u.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text

const Filled = Schema.String.check(
  Schema.makeFilter((text) => text.trim() !== "" || "expected some words, got an empty text")
)
const Day = Schema.String.check(
  Schema.makeFilter((text) => isDay(text) || `expected a day such as 2026-12-01, got "${text}"`)
)

/** A scenario that is known to fail: who sees to it, why, since when, and the last day on which it may. */
export const Entry = Schema.Struct({
  suite: Filled,
  scenario: Filled,
  owner: Filled,
  reason: Filled,
  since: Day,
  expires: Day
})
export type Entry = typeof Entry.Type

/** The file: what is in quarantine, and after how many clean trials it is proposed to let a scenario go. */
export const Quarantine = Schema.Struct({
  cleanTrials: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  entries: Schema.Array(Entry)
})

/** The scenarios in quarantine. */
export interface Quarantine {
  readonly cleanTrials: number
  readonly entries: ReadonlyArray<Entry>
}

/** Nothing is. */
export const none: Quarantine = { cleanTrials, entries: [] }

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Quarantine), { onExcessProperty: "error" })

const dayOf = (time_ms: number) => new Date(time_ms).toISOString().slice(0, 10)

/** The last day on which a quarantine from a day may end. */
export const lastDay = (since: string): string => dayOf(Date.parse(since) + mostDays * day_ms)

const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / day_ms

const titleOf = ({ scenario, suite }: Entry) => scenarioTitle({ suite, name: scenario })

/** The reason why an entry is invalid; undefined if it's valid. */
const mistake = (entry: Entry, index: number, entries: ReadonlyArray<Entry>, today: string): string | undefined => {
  const { expires, since } = entry
  const field = (name: string) => `entries[${index}].${name} (${titleOf(entry)})`
  if (since > today) return `${field("since")}: ${since} is not yet; a quarantine cannot be taken in advance`
  if (expires < since) return `${field("expires")}: ${expires} is before since, ${since}`
  if (days(since, expires) > mostDays) {
    return `${field("expires")}: ${expires} is ${days(since, expires)} days after since, and ${mostDays} are the most: ${lastDay(since)} or earlier`
  }
  const first = entries.findIndex((other) => other.suite === entry.suite && other.scenario === entry.scenario)
  return first === index
    ? undefined
    : `entries[${first}] and entries[${index}] are both about ${titleOf(entry)}: leave one out`
}

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The reason why a text that was cut or merged is no JSON; undefined if it is JSON. */
const damage = (text: string): string | undefined => {
  if (isJson(text)) return undefined
  const line = text.split("\n").findIndex((one) => /^(?:<{7}|={7}|>{7})/u.test(one))
  return line < 0
    ? "it is not JSON, or it was cut short. Restore it from version control"
    : `line ${line + 1} is a merge conflict marker. Delete it, and keep the entries of both sides`
}

/** Parses a quarantine file on a day (`2026-11-21`). The failure is one sentence that names the field. */
export const parse = (text: string, today: string): Result.Result<Quarantine, string> => {
  const damaged = damage(text)
  if (damaged !== undefined) return Result.fail(damaged)
  const decoded = decode(text)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure.message.replaceAll(/\s+/gu, " "))
  const { entries } = decoded.success
  for (const [index, entry] of entries.entries()) {
    const why = mistake(entry, index, entries, today)
    if (why !== undefined) return Result.fail(why)
  }
  return Result.succeed({ cleanTrials: decoded.success.cleanTrials ?? cleanTrials, entries })
}

/** Reads a quarantine file: the one that is named, else the standard one if it is there. What is wrong is a UserError. */
export const read = Effect.fnUntraced(function* (file: string | undefined, today: string) {
  const fs = yield* FileSystem.FileSystem
  const path = file ?? standard
  const text = yield* fs
    .readFileString(path)
    .pipe(
      Effect.catch((error) =>
        file === undefined && error.reason._tag === "NotFound"
          ? Effect.succeed(undefined)
          : Effect.fail(usage(`--quarantine: ${describePlatformError(error)}.`))
      )
    )
  if (text === undefined) return none
  return yield* Effect.mapError(Effect.fromResult(parse(text, today)), (why) => usage(`--quarantine: ${path}: ${why}.`))
})

/**
 * Changes the entries of a file's text on a day; undefined for a file that is not there yet. The new entries must be as
 * valid as those of a file, and the failure is one sentence.
 */
export const edit = (
  text: string | undefined,
  today: string,
  change: (quarantine: Quarantine) => Result.Result<ReadonlyArray<Entry>, string>
): Result.Result<string, string> =>
  Result.gen(function* () {
    const before = text === undefined ? none : yield* parse(text, today)
    const changed = {
      ...(before.cleanTrials === cleanTrials ? {} : { cleanTrials: before.cleanTrials }),
      entries: yield* change(before)
    } satisfies typeof Quarantine.Encoded
    const written = `${JSON.stringify(changed, null, 2)}\n`
    yield* parse(written, today)
    return written
  })

/** A scenario by its names. */
interface Named {
  readonly suite: string
  readonly name: string
}

const isOf =
  ({ scenario, suite }: Entry) =>
  (other: Named) =>
    other.suite === suite && other.name === scenario

/** The reason why a quarantine is too large for these scenarios, without a period; undefined if it isn't. */
export const excessOf = (entries: ReadonlyArray<Entry>, scenarios: ReadonlyArray<Named>): string | undefined => {
  const held = entries.filter((entry) => scenarios.some(isOf(entry))).length
  const most = Math.max(1, Math.floor(scenarios.length * mostShare))
  return held <= most
    ? undefined
    : `${held} of ${scenarios.length} scenarios are in quarantine, and ${most} may be (5 %): fix some, or let them fail`
}

/** The same in one sentence. */
export const tooMany = ({ entries }: Quarantine, scenarios: ReadonlyArray<Named>): string | undefined => {
  const excess = excessOf(entries, scenarios)
  return excess && `--quarantine: ${excess}.`
}

/** Lists the quarantine entries that match none of these scenarios, one sentence each. */
export const strangers = ({ entries }: Quarantine, scenarios: ReadonlyArray<Named>): ReadonlyArray<string> =>
  entries
    .filter((entry) => !scenarios.some(isOf(entry)))
    .map((entry) =>
      scenarios.some(({ suite }) => suite === entry.suite)
        ? `quarantine: there is no scenario "${entry.scenario}" in suite "${entry.suite}": take the entry out, or correct its name`
        : `quarantine: suite "${entry.suite}" is not in this run`
    )

/** Marks what is in quarantine, by the day on which the run began. */
export const mark = ({ entries }: Quarantine, report: RunReport): RunReport => {
  if (entries.length === 0) return report
  const today = report.header.startedAt.slice(0, 10)
  const results = report.results.map((result): ScenarioResult => {
    const entry = entries.find((entry) => isOf(entry)(result))
    if (entry === undefined) return result
    const { expires, owner, reason } = entry
    return { ...result, quarantine: { owner, reason, expires, expired: expires < today } }
  })
  return { ...report, results }
}
