import * as AtomicFile from "@webagent/cli/AtomicFile"
import { defined } from "@webagent/cli/Defined"
import * as FileLock from "@webagent/cli/FileLock"
import { usage, usageOf } from "@webagent/cli/UserError"
import type { ScenarioName } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { problemsOf } from "./Acknowledgements.ts"
import * as NightFile from "./NightFile.ts"
import { keyOf, type Night } from "./Night.ts"
import type { Past } from "./Past.ts"
import * as Quarantine from "./Quarantine.ts"

// What people decide about nights. The command line and the page of nights call the same functions, which write the same
// files: decisions about nights are lines of the history, and the quarantine is a file of its own.

const now = Effect.map(DateTime.now, DateTime.formatIso)

/** Reads the text of a quarantine file; undefined if it isn't there. */
const textOf = (file: string) =>
  FileSystem.FileSystem.use((fs) => fs.readFileString(file)).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.undefined
    ),
    Effect.mapError(usageOf("The quarantine cannot be read"))
  )

const changeQuarantine = (
  file: string,
  today: string,
  change: (quarantine: Quarantine.Quarantine) => Result.Result<ReadonlyArray<Quarantine.Entry>, string>
) =>
  Effect.gen(function* () {
    const text = yield* Effect.fromResult(Quarantine.edit(yield* textOf(file), today, change)).pipe(
      Effect.mapError((why) => usage(`${file}: ${why}.`))
    )
    yield* Effect.mapError(AtomicFile.write(file, text), usageOf("The quarantine cannot be written"))
  }).pipe((effect) => FileLock.withLock(file, effect))

const isSame = (one: ScenarioName | undefined, other: ScenarioName | undefined) =>
  one?.suite === other?.suite && one?.name === other?.name

const isOf =
  ({ name, suite }: ScenarioName) =>
  (entry: Quarantine.Entry) =>
    entry.suite === suite && entry.scenario === name

/** A scenario to put into quarantine. */
export interface QuarantineRequest {
  /** The quarantine file. It is created if it isn't there. */
  readonly file: string
  readonly scenario: ScenarioName
  readonly owner: string
  readonly reason: string
  /** The last day, such as `2026-12-01`; at most 30 days from now. */
  readonly expires: string
  /** All scenarios, if they are known: the scenario must be one of them, and at most 5 % may be in quarantine. */
  readonly scenarios?: ReadonlyArray<ScenarioName>
}

/**
 * Puts a scenario into quarantine from today on. If it already is, its owner, reason and last day are replaced.
 *
 * @returns The new entry, and the one that it replaced.
 */
export const quarantine = Effect.fnUntraced(function* ({
  expires,
  file,
  owner,
  reason,
  scenario,
  scenarios
}: QuarantineRequest) {
  const since = (yield* now).slice(0, 10)
  const entry: Quarantine.Entry = { suite: scenario.suite, scenario: scenario.name, owner, reason, since, expires }
  const last = Quarantine.lastDay(since)
  if (Quarantine.isDay(expires) && (expires < since || expires > last)) {
    const why = expires < since ? "in the past" : "too far away, because a quarantine lasts at most 30 days"
    return yield* usage(`${expires} is ${why}. Choose a day from ${since} to ${last}.`)
  }
  if (scenarios?.some((one) => isSame(one, scenario)) === false)
    return yield* usage(`No scenario is named "${scenarioTitle(scenario)}".`)
  let replaced: Quarantine.Entry | undefined
  yield* changeQuarantine(file, since, ({ entries }) => {
    replaced = entries.find(isOf(scenario))
    const changed = [...entries.filter((one) => one !== replaced), entry]
    // more than may be in quarantine would keep the next night from running
    const excess =
      replaced === undefined && scenarios !== undefined ? Quarantine.excessOf(changed, scenarios) : undefined
    return excess === undefined ? Result.succeed(changed) : Result.fail(excess)
  })
  return { entry, replaced }
})

/**
 * Takes a scenario out of quarantine.
 *
 * @returns The entries that it had, which is one. The failure is a UserError if it had none.
 */
export const release = Effect.fnUntraced(function* ({ file, scenario }: Pick<QuarantineRequest, "file" | "scenario">) {
  const today = (yield* now).slice(0, 10)
  let released: ReadonlyArray<Quarantine.Entry> = []
  yield* changeQuarantine(file, today, ({ entries }) => {
    released = entries.filter(isOf(scenario))
    return released.length === 0
      ? Result.fail(`"${scenarioTitle(scenario)}" is not in quarantine`)
      : Result.succeed(entries.filter((one) => !released.includes(one)))
  })
  return released
})

/** A decision about a night, or about one scenario of it. */
interface NightRequest {
  /** The history file. */
  readonly history: string
  /** The id of the night. */
  readonly night: string
  /** Only this scenario; absent for all that the decision applies to. */
  readonly scenario?: ScenarioName | undefined
  readonly note?: string | undefined
  /** The history, if it was read before: only the night that is decided needs its scenarios. */
  readonly past?: Past | undefined
}

const nightOf = Effect.fnUntraced(function* ({ history, night: id, past: cached }: NightRequest) {
  const past: Past = cached ?? (yield* NightFile.read(history))
  const night = past.nights.find((one) => one.id === id)
  return night === undefined ? yield* usage(`${history} has no night ${id}.`) : { night, past }
})

const quoted = ({ name, suite }: ScenarioName) => `"${suite} > ${name}"`

/** Fails if a scenario isn't one of those that a decision about a night may name. */
const checkScenario = (
  night: Night,
  scenario: ScenarioName | undefined,
  names: ReadonlyArray<ScenarioName>,
  what: string
) =>
  scenario === undefined || names.some((one) => isSame(one, scenario))
    ? Effect.void
    : Effect.fail(
        usage(
          `Scenario ${quoted(scenario)} ${what} in night ${night.id}.${names.length === 0 ? "" : ` These did: ${names.map(quoted).join(", ")}.`}`
        )
      )

/**
 * Accepts the regressions of a night as the new level: earlier nights are no longer the baseline of these figures.
 *
 * @returns Number of accepted regressions; `isNew` is false if they were accepted before, and nothing was written.
 */
export const accept = Effect.fnUntraced(function* (request: NightRequest) {
  const { history, note, scenario } = request
  const { night, past } = yield* nightOf(request)
  const { regressed = [] } = night
  if (regressed.length === 0) return yield* usage(`Night ${night.id} has no regression to accept.`)
  const names = regressed.flatMap(({ scenario }) => scenario ?? [])
  const each = [...new Map(names.map((one) => [keyOf(one.suite, one.name), one])).values()]
  yield* checkScenario(night, scenario, each, "did not regress")
  const isNew = !past.accepted.some(
    (one) =>
      one.night === night.id &&
      (one.scenario === undefined || isSame(one.scenario, scenario)) &&
      // a night since then may have regressed again
      past.nights.every(({ startedAt }) => startedAt <= one.at)
  )
  if (isNew) {
    const at = yield* now
    yield* NightFile.append(history, NightFile.acceptance({ at, night: night.id, ...defined({ scenario, note }) }))
  }
  const regressions = scenario === undefined ? regressed.length : 1
  return { isNew, regressions }
})

/** Who is working on the problems of a night. */
export interface AcknowledgeRequest extends NightRequest {
  readonly owner: string
  /** The last day on which it holds, such as `2026-12-01`; absent if it holds until the problem is over. */
  readonly until?: string | undefined
}

/**
 * Records that someone is working on the problems of a night. They still fail nights, but send no reminders until the last
 * day, or until they are over.
 *
 * @returns The problems: scenarios, and null for the whole night.
 */
export const acknowledge = Effect.fnUntraced(function* (request: AcknowledgeRequest) {
  const { history, note, owner, scenario, until } = request
  const at = yield* now
  if (owner.trim() === "") return yield* usage("An acknowledgement needs an owner: who is working on it.")
  if (until !== undefined && !Quarantine.isDay(until))
    return yield* usage(`Expected a day such as 2026-12-01, got "${until}".`)
  if (until !== undefined && until < at.slice(0, 10)) return yield* usage(`${until} is in the past.`)
  const { night } = yield* nightOf(request)
  const problems = problemsOf(night)
  if (problems.length === 0) return yield* usage(`Night ${night.id} has no problem to acknowledge.`)
  const names = problems.flatMap((one) => one ?? [])
  yield* checkScenario(night, scenario, names, "had no problem")
  yield* NightFile.append(
    history,
    NightFile.acknowledgement({ at, night: night.id, owner, ...defined({ scenario, until, note }) })
  )
  return { problems: scenario === undefined ? problems : [scenario] }
})
