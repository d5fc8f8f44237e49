import * as LineFile from "@webagent/cli/LineFile"
import * as Machine from "@webagent/report/Machine"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { dirname } from "node:path"
import { Measurements } from "./Measurements.ts"

/** The machine that ran a load test. Measurements from another machine are not a baseline. */
const LoadMachine = Schema.Struct({ ...Machine.Machine.fields, k6: Schema.String })
type LoadMachine = typeof LoadMachine.Type

/**
 * This machine, with its k6.
 *
 * @param k6 - The version of k6.
 * @returns This machine, as a baseline stores it.
 */
export const thisMachine = (k6: string): LoadMachine => ({ ...Machine.here(), k6 })

/**
 * Returns the fields in which two machines differ.
 *
 * @param one - A machine.
 * @param other - Another machine.
 * @returns The names of the fields; none if the machines are the same.
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
 * @returns The hash, as hexadecimal digits.
 */
export const settingsHash = (settings: Readonly<Record<string, unknown>>): string => {
  const named = Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash("sha256").update(JSON.stringify(named)).digest("hex").slice(0, 16)
}

/** Reads the entries of a baseline file in order. A missing file has no entries. */
export const read = Effect.fnUntraced(function* (path: string) {
  const lines: Array<LineFile.Line> = []
  yield* Effect.mapError(
    LineFile.eachLine(path, (line) => void lines.push(line)),
    (error) => usage(`Cannot read the baseline: ${describePlatformError(error)}.`)
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

const cannotWrite = (error: PlatformError) => usage(`Cannot write the baseline: ${describePlatformError(error)}.`)

/** Fails early if a baseline file can't be written. */
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
 * @returns The effect, which fails if the file can't be written.
 */
export const append = (path: string, entry: Entry) => Effect.mapError(LineFile.append(path, entry), cannotWrite)
