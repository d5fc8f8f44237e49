import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { dirname, relative } from "node:path"
import { usage } from "@webagent/cli/UserError"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
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
interface ReadPast extends Required<Past> {
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

/** Each run once: as it was when most of it was known. */
export const eachRunOnce = <A>(nights: Iterable<A>, of: (night: A) => Recorded): ReadonlyArray<A> => {
  const best = new Map<string, A>()
  for (const night of nights) {
    const now = of(night)
    const previous = best.get(now.run)
    const was = previous === undefined ? undefined : of(previous)
    const isMore =
      was === undefined ||
      (now.isComplete && !was.isComplete) ||
      (now.isComplete === was.isComplete && now.trials >= was.trials)
    if (isMore) best.set(now.run, night)
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

/**
 * Reads the text of a history file: nights ordered by start, each once, also when two files were joined. It skips, with a
 * warning, a line that a killed writer left unfinished, and reads what `cat` or a merge put behind it. It also skips a
 * last line that cannot be read. Any other unreadable line is the failure, in one sentence. `first` is the number of the
 * first line.
 */
export const parse = (text: string, name: string, first = 1): Result.Result<ReadPast, string> => {
  const lines = text
    .split("\n")
    .flatMap((line, index) => line.split(between).map((part) => ({ line: part.trim(), number: index + first })))
  const filled = lines.filter(({ line }) => line !== "")
  const nights: Array<Night> = []
  const accepted: Array<Accepted> = []
  const acknowledged: Array<Acknowledged> = []
  const warnings: Array<string> = []
  for (const { line, number } of filled) {
    const decoded = Result.flatMap(parsed(line), (json) => decode(upgraded(json)))
    if (Result.isSuccess(decoded)) {
      const { success } = decoded
      if (success.kind === "night") nights.push(success)
      else if (success.kind === "accepted") accepted.push(success)
      else acknowledged.push(success)
    } else if (isCutShort(line) || number === filled.at(-1)?.number) {
      warnings.push(`${name} line ${number} was skipped: ${isCutShort(line) ? "it is incomplete" : whyNot(line)}.`)
    } else {
      return Result.fail(`${name} line ${number} is not a line of a history: ${whyNot(line)}.`)
    }
  }
  return Result.succeed({
    nights: eachRunOnce(unique(nights), recordedOf).toSorted((a, b) =>
      a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0
    ),
    accepted: unique(accepted),
    acknowledged: unique(acknowledged),
    warnings
  })
}

/** Reads a history file; one that is not there yet says nothing. One that cannot be read is a UserError. */
export const read = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.mapError(LineFile.read(path), (error) =>
    usage(`--history: cannot read the history: ${describePlatformError(error)}.`)
  )
  return yield* Effect.mapError(Effect.fromResult(parse(text, path)), (message) => usage(`--history: ${message}`))
})

/** Fails as `append` would, before there is anything to add. A file that is not there yet is created, and is empty. */
export const prepare = (path: string) =>
  Effect.mapError(LineFile.prepare(path), (error) =>
    usage(`--record: the history cannot be written: ${describePlatformError(error)}. Name another file with --history.`)
  )

/** Adds a line at the end of a history file. */
export const append = (path: string, line: Night | Accepted | Acknowledged) =>
  Effect.mapError(LineFile.append(path, line), (error) =>
    usage(`--record: the history cannot be written: ${describePlatformError(error)}.`)
  )

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
