import { letterOf } from "@webagent/harness-api/NightCells"
import { type Night, plannedOf } from "@webagent/nights/Night"
import * as LineFile from "@webagent/cli/LineFile"
import * as NightFile from "@webagent/nights/NightFile"
import type { Accepted, Acknowledged } from "@webagent/nights/Past"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"

/** The results of a scenario in a night, by which the screens draw it. */
interface Cells {
  /** One letter per row of the index. */
  readonly letters: Uint8Array
  readonly passed: Uint32Array
  readonly scored: Uint32Array
  /** 0 if nothing was measured. */
  readonly median_ms: Float64Array
  readonly cost_usd: Float64Array
}

/** A night without its scenarios, which are only read when one asks for the night. */
export interface IndexedNight extends Cells {
  readonly head: Night
  readonly planned: ReturnType<typeof plannedOf>
  /** Number of leaked browsers. */
  readonly leaks: number
  readonly place: NightFile.Place
  readonly recorded: NightFile.Recorded
}

/** A row of the heat map: a scenario that any night has. */
interface Row {
  readonly suite: string
  readonly name: string
}

/** A history without the scenarios of its nights: a year of 500 scenarios takes some megabytes. */
export interface HistoryIndex {
  readonly rows: ReadonlyArray<Row>
  /** The oldest night first, each run once. */
  readonly nights: ReadonlyArray<IndexedNight>
  readonly accepted: ReadonlyArray<Accepted>
  readonly acknowledged: ReadonlyArray<Acknowledged>
  /** One sentence for each line that can't be read. The other nights are all there. */
  readonly problems: ReadonlyArray<string>
}

/** State between two readings of a file that only grows. */
interface Progress {
  readonly rowOf: Map<string, number>
  readonly rows: Array<Row>
  readonly nights: Array<IndexedNight>
  readonly accepted: Array<Accepted>
  readonly acknowledged: Array<Acknowledged>
  readonly problems: Array<string>
  /** The first line that is still to be read. */
  next: LineFile.Start
}

const begin = (): Progress => ({
  rowOf: new Map(),
  rows: [],
  nights: [],
  accepted: [],
  acknowledged: [],
  problems: [],
  next: { offset: 0, number: 1 }
})

const copyOf = (progress: Progress): Progress => ({
  ...progress,
  rowOf: new Map(progress.rowOf),
  rows: [...progress.rows],
  nights: [...progress.nights],
  accepted: [...progress.accepted],
  acknowledged: [...progress.acknowledged],
  problems: [...progress.problems]
})

const rowIn = ({ rowOf, rows }: Progress, { name, suite }: Row): number => {
  const key = JSON.stringify([suite, name])
  const existing = rowOf.get(key)
  if (existing !== undefined) return existing
  rowOf.set(key, rows.length)
  rows.push({ suite, name })
  return rows.length - 1
}

const indexed = (progress: Progress, night: Night, place: NightFile.Place): IndexedNight => {
  const placed = night.scenarios.map((scenario) => ({ row: rowIn(progress, scenario), scenario }))
  const count = progress.rows.length
  const letters = new Uint8Array(count)
  const [passed, scored] = [new Uint32Array(count), new Uint32Array(count)]
  const [median_ms, cost_usd] = [new Float64Array(count), new Float64Array(count)]
  for (const { row, scenario } of placed) {
    letters[row] = letterOf(scenario.verdict).charCodeAt(0)
    passed[row] = scenario.passed
    scored[row] = scenario.scored
    median_ms[row] = scenario.durations?.median_ms ?? 0
    cost_usd[row] = Number(scenario.cost_usd)
  }
  const leaks = night.scenarios.reduce((sum, scenario) => sum + scenario.leaks, 0)
  const head = { ...night, scenarios: [] }
  const planned = plannedOf(night)
  return {
    head,
    planned,
    leaks,
    place,
    recorded: NightFile.recordedOf(night),
    letters,
    passed,
    scored,
    median_ms,
    cost_usd
  }
}

/** The index of nights that are all in memory, oldest first. */
export const ofNights = (nights: ReadonlyArray<Night>): HistoryIndex => {
  const progress = begin()
  for (const night of nights) progress.nights.push(indexed(progress, night, { offset: 0, bytes: 0, number: 0 }))
  return { ...progress, nights: progress.nights }
}

const take = (progress: Progress, { text, ...place }: LineFile.Line, name: string): void => {
  const past = NightFile.parse(text, name, place.number)
  if (Result.isFailure(past)) progress.problems.push(past.failure)
  else {
    const { accepted, acknowledged, nights, warnings } = past.success
    for (const night of nights) progress.nights.push(indexed(progress, night, place))
    progress.accepted.push(...accepted)
    progress.acknowledged.push(...acknowledged)
    progress.problems.push(...warnings)
  }
}

const byStart = (one: IndexedNight, other: IndexedNight) =>
  one.head.startedAt < other.head.startedAt ? -1 : one.head.startedAt > other.head.startedAt ? 1 : 0

const uniqueById = <A>(all: ReadonlyArray<A>, idOf: (one: A) => string): Iterable<A> =>
  new Map(all.map((one) => [idOf(one), one])).values()

const conclude = ({ accepted, acknowledged, nights, problems, rows }: Progress): HistoryIndex => ({
  rows: [...rows],
  nights: NightFile.eachRunOnce(
    uniqueById(nights, ({ head }) => head.id),
    ({ recorded }) => recorded
  ).toSorted(byStart),
  accepted: [...uniqueById(accepted, ({ id }) => id)],
  acknowledged: [...uniqueById(acknowledged, ({ id }) => id)],
  problems: [...problems]
})

/** Which file, and how it was when it was read. */
interface Stamp {
  readonly size: number
  readonly file: string
  readonly modified: number
}

/** Reads a history that grows: a second reading only reads new lines. */
export interface HistoryReader {
  /** The history as it is now; a file that isn't there is empty. */
  readonly read: Effect.Effect<HistoryIndex, PlatformError>
  /** A night with its scenarios. */
  readonly night: (indexed: IndexedNight) => Effect.Effect<Night | undefined, PlatformError>
}

const empty = conclude(begin())

/** Makes the reader of a history file. */
export const make = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const oneAtATime = Semaphore.makeUnsafe(1)
  let progress = begin()
  let index = empty
  let stamp: Stamp | undefined

  const stampOf = Effect.map(fs.stat(path), ({ dev, ino, mtime, size }) => ({
    size: ByteSize.toNumberUnsafe(size),
    file: `${dev} ${Option.getOrElse(ino, () => 0)}`,
    modified: Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() })
  }))

  const read = Effect.gen(function* () {
    const now = yield* stampOf
    if (now.size === stamp?.size && now.file === stamp.file && now.modified === stamp.modified) return index
    // only a file that has grown is read from where the last reading ended
    if (stamp === undefined || now.file !== stamp.file || now.size < stamp.size) progress = begin()
    let shown = progress
    const add = (line: LineFile.Line) => {
      // a line without an end is read again with its end
      if (!line.hasEnd) shown = copyOf(progress)
      take(shown, line, path)
      if (line.hasEnd) progress.next = { offset: line.offset + line.bytes + 1, number: line.number + 1 }
    }
    yield* Effect.provideService(LineFile.eachLine(path, add, progress.next), FileSystem.FileSystem, fs)
    index = conclude(shown)
    stamp = now
    return index
  }).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed(empty)
    )
  )

  return {
    // two pages may ask at the same time
    read: oneAtATime.withPermit(read),
    night: ({ head, place }) =>
      Effect.provideService(NightFile.nightAt(path, place, head.id), FileSystem.FileSystem, fs)
  } satisfies HistoryReader
})
