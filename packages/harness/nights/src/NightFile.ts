import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { dirname, relative } from "node:path"
import { type UserError, usage, usageOf } from "@webagent/cli/UserError"
import * as LineFile from "@webagent/cli/LineFile"
import type { RunStatus } from "@webagent/report/Finding"
import { isComplete, Night } from "./Night.ts"
import { Accepted, Acknowledged, type Past } from "./Past.ts"

/** Default location of a history. */
export const standard = ".webagent/history.ndjson"

/** A path as a history file keeps it: from the folder of the file, with slashes on every system. */
export const pathFrom = (history: string, path: string): string =>
  relative(dirname(history), path).replaceAll("\\", "/")

const Line = Schema.Union([Night, Accepted, Acknowledged])
const decode = Schema.decodeUnknownResult(Line)

// the failure of a union tells none of the fields
const decoders: Readonly<Record<string, (value: unknown) => Result.Result<unknown, Schema.SchemaError>>> = {
  night: Schema.decodeUnknownResult(Night),
  accepted: Schema.decodeUnknownResult(Accepted),
  acknowledged: Schema.decodeUnknownResult(Acknowledged)
}

/** Contents of a history file, with one warning per entry that cannot be read and can be skipped. */
export interface ReadPast extends Required<Past> {
  readonly warnings: ReadonlyArray<string>
}

const parsed = (text: string) => {
  try {
    return Result.succeed<unknown>(JSON.parse(text))
  } catch {
    return Result.fail("it is not JSON")
  }
}

const unique = <A extends { readonly id: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(all.map((one) => [one.id, one])).values()
]

/** Results of a night as version 1 stored them. */
const results: Readonly<Record<string, RunStatus>> = { red: "failed", unusual: "warning", green: "passed" }

/** Converts a night of version 1: it has a result with a sentence, and no findings. */
const upgraded = (json: unknown): unknown => {
  if (typeof json !== "object" || json === null) return json
  const { verdict, ...line } = json as Readonly<Record<string, unknown>>
  if (line["version"] !== 1 || line["kind"] !== "night") return json
  const { status } = Object(verdict) as Readonly<Record<string, unknown>>
  const result = typeof status === "string" ? results[status] : undefined
  return { ...line, version: 2, ...(result === undefined ? {} : { status: result }) }
}

const begins = ['{"version":1,', '{"version":2,']

// inside of a text its quotes are escaped: this is where a line begins, also one that was put behind a half line
const between = /(?=\{"version":[12],"kind":"(?:night|accepted|acknowledged)",)/u

/**
 * Key of a run, which is the same if it was recorded more than once: killed after the recording, or merged again with
 * more shards.
 */
const runOf = ({ fingerprint, seed, startedAt }: Night): string =>
  JSON.stringify([startedAt, seed, fingerprint.target, fingerprint.trials])

const ranIn = ({ scenarios }: Night): number => scenarios.reduce((sum, { trials }) => sum + trials, 0)

/** Identity of a night's run, and how much of it is known. */
export interface Recorded {
  readonly run: string
  readonly isComplete: boolean
  readonly trials: number
}

/** Returns the identity of a night's run, and how much of it is known. */
export const recordedOf = (night: Night): Recorded => ({
  run: runOf(night),
  isComplete: isComplete(night),
  trials: ranIn(night)
})

/** True if a record of a run has more of it than another one. */
const isMore = (now: Recorded, was: Recorded): boolean =>
  (now.isComplete && !was.isComplete) || (now.isComplete === was.isComplete && now.trials >= was.trials)

/** Each run once: as it was when most of it was known. */
export const eachRunOnce = <A>(nights: Iterable<A>, of: (night: A) => Recorded): ReadonlyArray<A> => {
  const best = new Map<string, A>()
  for (const night of nights) {
    const now = of(night)
    const previous = best.get(now.run)
    if (previous === undefined || isMore(now, of(previous))) best.set(now.run, night)
  }
  return [...best.values()]
}

/** Number of unclosed braces and brackets in a text. A text that stops inside a string has more. */
const depthOf = (text: string): number => {
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gu, "")
  return (bare.match(/[[{]/gu)?.length ?? 0) - (bare.match(/[\]}]/gu)?.length ?? 0)
}

/** A line whose writer was killed: it begins as every line does, and then it stops, be it behind a brace. */
const isCutShort = (line: string) =>
  begins.some((begin) => line.startsWith(begin) || begin.startsWith(line)) && depthOf(line) > 0

const whyNot = (line: string): string => {
  const json = parsed(line)
  if (Result.isFailure(json)) {
    return /^(?:<{7}|={7}|>{7})/u.test(line)
      ? "it is a merge conflict marker. Delete it, and keep the lines of both sides"
      : json.failure
  }
  const { kind, version } = Object(json.success) as Readonly<Record<string, unknown>>
  const decoder = typeof kind === "string" && Object.hasOwn(decoders, kind) ? decoders[kind] : undefined
  if (decoder === undefined) return "it is no night. Name a file that run --record wrote"
  if (version !== 1 && version !== 2) {
    return `it has version ${JSON.stringify(version)}, and only versions 1 and 2 can be read. Use the release that wrote it, or another file`
  }
  const decoded = decoder(upgraded(json.success))
  return Result.isFailure(decoded) ? decoded.failure.message.replaceAll(/\s+/gu, " ") : ""
}

/** The position of a night's line in its file. */
export type Place = Pick<LineFile.Line, "offset" | "bytes" | "number">

/** A night, and its line, from which a night without its scenarios is read again. */
interface Entry {
  readonly night: Night
  readonly recorded: Recorded
  readonly place: Place
}

const byStart = (one: Entry, other: Entry) =>
  one.night.startedAt < other.night.startedAt ? -1 : one.night.startedAt > other.night.startedAt ? 1 : 0

/** Collects the lines of a history one after the other, so that a file doesn't have to be in memory as a whole. */
const makeCollector = (name: string, { isWhole }: { readonly isWhole: boolean }) => {
  const entries = new Map<string, Entry>()
  const accepted: Array<Accepted> = []
  const acknowledged: Array<Acknowledged> = []
  const warnings: Array<string> = []

  const addNight = (night: Night, place: Place) => {
    const recorded = recordedOf(night)
    const previous = entries.get(recorded.run)
    if (previous !== undefined && !isMore(recorded, previous.recorded)) return
    entries.set(recorded.run, { night: isWhole ? night : { ...night, scenarios: [] }, recorded, place })
  }

  const addPart = (part: string, place: Place): Result.Result<void, string> => {
    if (part === "") return Result.void
    const decoded = Result.flatMap(parsed(part), (json) => decode(upgraded(json)))
    if (Result.isSuccess(decoded)) {
      const { success } = decoded
      if (success.kind === "night") addNight(success, place)
      else if (success.kind === "accepted") accepted.push(success)
      else acknowledged.push(success)
    } else if (isCutShort(part)) warnings.push(`${name} line ${place.number} was skipped: it is incomplete.`)
    else return Result.fail(`${name} line ${place.number} is not a line of a history: ${whyNot(part)}.`)
    return Result.void
  }

  return {
    /** Adds a line; the failure says why it can't be read. */
    add: (text: string, place: Place): Result.Result<void, string> => {
      for (const part of text.split(between)) {
        // a power loss leaves zeros where a line was being written
        const added = addPart(part.replaceAll("\0", "").trim(), place)
        if (Result.isFailure(added)) return added
      }
      return Result.void
    },
    end: () => ({
      entries: [...entries.values()].toSorted(byStart),
      decisions: { accepted: unique(accepted), acknowledged: unique(acknowledged), warnings }
    })
  }
}

const nightsOf = (entries: ReadonlyArray<Entry>) => entries.map(({ night }) => night)

/**
 * Reads the text of a history file: nights ordered by start, each once, also when two files were joined. It skips, with a
 * warning, a line that a killed writer left unfinished, and reads what `cat` or a merge put behind it. Any other
 * unreadable line is the failure, in one sentence. `first` is the number of the first line.
 */
export const parse = (text: string, name: string, first = 1): Result.Result<ReadPast, string> => {
  const collector = makeCollector(name, { isWhole: true })
  for (const [index, line] of text.split("\n").entries()) {
    const added = collector.add(line, { offset: 0, bytes: 0, number: index + first })
    if (Result.isFailure(added)) return Result.fail(added.failure)
  }
  const { decisions, entries } = collector.end()
  return Result.succeed({ nights: nightsOf(entries), ...decisions })
}

const cannotRead = usageOf("--history: cannot read the history")

const collect = Effect.fnUntraced(function* (path: string, options: { readonly isWhole: boolean }) {
  const collector = makeCollector(path, options)
  let added: Result.Result<void, string> = Result.void
  const add = ({ text, ...place }: LineFile.Line) => {
    if (Result.isSuccess(added)) added = collector.add(text, place)
  }
  yield* Effect.mapError(LineFile.eachLine(path, add), cannotRead)
  yield* Effect.mapError(Effect.fromResult(added), (message) => usage(`--history: ${message}`))
  return collector.end()
})

/** Reads a history file, which need not exist yet. A file that can't be read, or is no history, is a UserError. */
export const read = (path: string): Effect.Effect<ReadPast, UserError, FileSystem.FileSystem> =>
  Effect.map(collect(path, { isWhole: true }), ({ decisions, entries }) => ({
    nights: nightsOf(entries),
    ...decisions
  }))

/** A run is judged by fewer nights than these. */
export const mostWhole = 100

/** Reads one night from its line; undefined if the file has been replaced. */
export const nightAt = (path: string, place: Place, id: string) =>
  Effect.map(LineFile.lineAt(path, place), (text) =>
    Result.match(parse(text, path), {
      onFailure: () => undefined,
      onSuccess: ({ nights }) => nights.find((night) => night.id === id)
    })
  )

/**
 * Returns the nights that a run needs with their scenarios: the last ones of each target and number of trials. Nights are in
 * the order of time.
 */
const recentOf = (nights: ReadonlyArray<Night>, most = mostWhole): ReadonlySet<Night> => {
  const comparable = Map.groupBy(nights, ({ fingerprint, partial }) =>
    JSON.stringify([fingerprint.target, fingerprint.trials, partial === undefined])
  )
  return new Set([...comparable.values()].flatMap((all) => all.slice(-most)))
}

/** Reads a history file for a run. Only recent nights have their scenarios, so that the memory for years is bounded. */
export const readRecent = Effect.fnUntraced(function* (path: string, most = mostWhole) {
  const { decisions, entries } = yield* collect(path, { isWhole: false })
  const recent = recentOf(nightsOf(entries), most)
  const nights = yield* Effect.forEach(entries, ({ night, place }) =>
    recent.has(night) ? Effect.map(nightAt(path, place, night.id), (whole) => whole ?? night) : Effect.succeed(night)
  ).pipe(Effect.mapError(cannotRead))
  return { nights, ...decisions } satisfies ReadPast
})

/** Fails as `append` would, before there is anything to add. A file that is not there yet is created, and is empty. */
export const prepare = (path: string) =>
  Effect.mapError(
    LineFile.prepare(path),
    usageOf("--record: the history cannot be written", "Name another file with --history.")
  )

/** Adds a line at the end of a history file. */
export const append = (path: string, line: Night | Accepted | Acknowledged) =>
  Effect.mapError(LineFile.append(path, line), usageOf("--record: the history cannot be written"))

/** A line with its id: a hash of all that it says. */
const withId = <Line extends object>(line: Line) => ({
  ...line,
  id: createHash("sha256").update(JSON.stringify(line)).digest("hex").slice(0, 12)
})

/** A line that accepts what got worse in a night. */
export const acceptance = (accepted: Omit<Accepted, "id" | "version" | "kind">): Accepted =>
  withId({ version: 1, kind: "accepted", ...accepted } as const)

/** A line that says who is working on the problems of a night. */
export const acknowledgement = (acknowledged: Omit<Acknowledged, "id" | "version" | "kind">): Acknowledged =>
  withId({ version: 1, kind: "acknowledged", ...acknowledged } as const)
