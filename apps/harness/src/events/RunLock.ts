import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { join } from "node:path"

/** A process, and when the system started it, which tells it from a later one with the same id. */
const Holder = Schema.Struct({ pid: Schema.Int, start: Schema.optionalKey(Schema.String) })

type Holder = typeof Holder.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Holder))

/** Another process writes to the report directory. */
export class RunInProgress extends Schema.TaggedError<RunInProgress>()("RunInProgress", { pid: Schema.Int }) {}

/** What Linux says of a process: whether it has ended and nobody has taken note, and when it was started. */
const statOf = (fs: FileSystem.FileSystem, pid: number) =>
  fs.readFileString(`/proc/${pid}/stat`).pipe(
    Effect.map((text) => {
      // the program's name before it may hold blanks and brackets
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
      return { ended: fields[0] === "Z" || fields[0] === "X", start: fields[19] }
    }),
    Effect.option,
    Effect.map(Option.getOrUndefined)
  )

const answersSignals = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const isAtWork = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, { pid, start }: Holder) {
  if (pid === process.pid || !answersSignals(pid)) return false
  const stat = yield* statOf(fs, pid)
  return stat === undefined || start === undefined || (!stat.ended && stat.start === start)
})

const nameOf = (generation: number) => `run.${generation}.lock`
const generationOf = (name: string): number => Number(/^run\.(\d+)\.lock$/u.exec(name)?.[1] ?? 0)

/**
 * Takes a report directory for this process until the scope closes; fails when another process that is at work has it. A
 * process that was killed leaves its lock: the next one takes the next number, which only one can.
 */
export const take = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const holderOf = (generation: number) =>
    fs.readFileString(join(directory, nameOf(generation))).pipe(
      Effect.map((text) => Option.getOrUndefined(decode(text))),
      Effect.orElseSucceed(() => undefined)
    )
  const stat = yield* statOf(fs, process.pid)
  const own: Holder = { pid: process.pid, ...(stat?.start === undefined ? {} : { start: stat.start }) }
  const mine = join(directory, `run.${process.pid}.new`)

  const attempt: Effect.Effect<string, RunInProgress | PlatformError> = Effect.gen(function* () {
    const names = (yield* fs.readDirectory(directory)).filter((name) => generationOf(name) > 0)
    const last = Math.max(0, ...names.map(generationOf))
    const holder = last === 0 ? undefined : yield* holderOf(last)
    if (holder !== undefined && (yield* isAtWork(fs, holder))) return yield* new RunInProgress({ pid: holder.pid })
    const path = join(directory, nameOf(last + 1))
    // a link is made whole, with what it says, and only where there is none; not every file system has links
    const won = yield* fs.link(mine, path).pipe(
      Effect.catchIf(
        (error) => error.reason._tag !== "AlreadyExists",
        () => fs.writeFileString(path, JSON.stringify(own), { flag: "wx" })
      ),
      Effect.as(true),
      Effect.catchIf(
        (error) => error.reason._tag === "AlreadyExists",
        () => Effect.succeed(false)
      )
    )
    if (!won) return yield* attempt
    yield* Effect.forEach(names, (name) => Effect.ignore(fs.remove(join(directory, name))), { discard: true })
    return path
  })

  yield* fs.writeFileString(mine, JSON.stringify(own))
  yield* Effect.acquireRelease(attempt.pipe(Effect.ensuring(Effect.ignore(fs.remove(mine)))), (path) =>
    Effect.ignore(fs.remove(path))
  )
})
