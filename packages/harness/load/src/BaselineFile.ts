import * as LineFile from "@webagent/cli/LineFile"
import * as Machine from "@webagent/report/Machine"
import { usage, usageOf } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { dirname } from "node:path"
import { Measurements } from "./Measurements.ts"

/** The machine that ran a load test. Measurements from another machine are not a baseline. */
const LoadMachine = Schema.Struct({ ...Machine.Machine.fields, k6: Schema.String })
type LoadMachine = typeof LoadMachine.Type

/**
 * Describes this machine and its k6, because measurements of another machine aren't a baseline.
 *
 * @param k6 - The version of k6, such as `2.2.0`.
 * @returns This machine, as a baseline stores it.
 * @example
 * ```ts
 * import { thisMachine } from "@webagent/load/BaselineFile"
 *
 * const { cores, cpu, k6 } = thisMachine("2.2.0")
 * console.log(`${cores} cores of ${cpu}, k6 ${k6}`)
 * ```
 */
export const thisMachine = (k6: string): LoadMachine => ({ ...Machine.here(), k6 })

/**
 * Returns the fields in which two machines differ.
 *
 * @param one - A machine.
 * @param other - Another machine.
 * @returns The names of the fields; none if the machines are the same.
 * @example
 * ```ts
 * import { differences, type Entry, thisMachine } from "@webagent/load/BaselineFile"
 *
 * // for example ["cores", "k6"]
 * export const movedFrom = ({ machine }: Entry) => differences(machine, thisMachine("2.2.0"))
 * ```
 */
export const differences = (one: LoadMachine, other: LoadMachine): ReadonlyArray<string> =>
  (["cpu", "cores", "platform", "node", "k6"] as const).filter((field) => one[field] !== other[field])

/** A load test that was recorded, as one line of a baseline file. */
export const Entry = Schema.Struct({
  version: Schema.Literal(2),
  test: Schema.String,
  startedAt: Schema.String,
  verdict: Schema.Literals(["passed", "failed"]),
  machine: LoadMachine,
  /** A hash of everything that shaped the load. */
  settings: Schema.String,
  measurements: Measurements
})
export type Entry = typeof Entry.Type

const decodeEntry = Schema.decodeUnknownEffect(Schema.fromJsonString(Entry))

/**
 * Returns a hash of settings that doesn't depend on their order.
 *
 * @param settings - The settings of a load test.
 * @returns The hash, as 16 hexadecimal digits. Undefined settings don't count.
 * @example
 * ```ts
 * import { settingsHash } from "@webagent/load/BaselineFile"
 *
 * console.log(settingsHash({ rate: 5, mix: "runs=1" }) === settingsHash({ mix: "runs=1", rate: 5 })) // true
 * ```
 */
export const settingsHash = (settings: Readonly<Record<string, unknown>>): string => {
  const named = Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash("sha256").update(JSON.stringify(named)).digest("hex").slice(0, 16)
}

/**
 * Reads the entries of a baseline file, oldest first. A missing file has no entries.
 *
 * @param path - The path of the file.
 * @returns The entries, one per line.
 * @throws `UserError` if the file can't be read, or a line isn't a load test of this version.
 * @example
 * ```ts
 * import { read } from "@webagent/load/BaselineFile"
 * import * as Effect from "effect/Effect"
 *
 * export const passed = Effect.map(read("load.ndjson"), (entries) =>
 *   entries.filter(({ verdict }) => verdict === "passed")
 * )
 * ```
 */
export const read = Effect.fnUntraced(function* (path: string) {
  const lines: Array<LineFile.Line> = []
  yield* Effect.mapError(
    LineFile.eachLine(path, (line) => void lines.push(line)),
    usageOf("Cannot read the baseline")
  )
  return yield* Effect.forEach(
    lines.filter(({ text }) => text.trim() !== ""),
    ({ number, text }) =>
      Effect.mapError(decodeEntry(text), ({ message }) =>
        usage(
          `${path} line ${number} is not a load test of this version. Delete the line, or record to a new file. ${message}`
        )
      )
  )
})

const cannotWrite = usageOf("Cannot write the baseline")

/**
 * Checks before a load test that its baseline file can be written.
 *
 * @param path - The path of the file. If it doesn't exist, its folder must be writable.
 * @returns An effect that succeeds if the file can be written.
 * @throws `UserError` if it can't be written.
 * @example
 * ```ts
 * import { append, type Entry, ensureWritable } from "@webagent/load/BaselineFile"
 * import * as Effect from "effect/Effect"
 *
 * export const record = <E, R>(path: string, test: Effect.Effect<Entry, E, R>) =>
 *   ensureWritable(path).pipe(
 *     Effect.andThen(test),
 *     Effect.flatMap((entry) => append(path, entry))
 *   )
 * ```
 */
export const ensureWritable = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const existing = (yield* fs.exists(path)) ? path : dirname(path)
  yield* fs.access(existing, { writable: true })
}, Effect.mapError(cannotWrite))

/**
 * Adds an entry at the end of a baseline file, on a line of its own.
 *
 * @param path - The path of the file.
 * @param entry - The run to be added.
 * @returns An effect that succeeds once the line is written.
 * @throws `UserError` if the file can't be written.
 * @example
 * ```ts
 * import { append, type Entry } from "@webagent/load/BaselineFile"
 *
 * export const record = (run: Entry) => append("load.ndjson", run)
 * ```
 */
export const append = (path: string, entry: Entry) => Effect.mapError(LineFile.append(path, entry), cannotWrite)
