import { ProcessOwner } from "@webagent/core/node"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { join } from "node:path"

/** Another process writes to the report directory. */
export class RunInProgress extends Schema.TaggedError<RunInProgress>()("RunInProgress", { pid: Schema.Int }) {}

const nameOf = (generation: number) => `run.${generation}.lock`
const generationOf = (name: string): number => Number(/^run\.(\d+)\.lock$/u.exec(name)?.[1] ?? 0)

/**
 * Takes a report directory for this process until the scope closes; fails when another process that is at work has it. A
 * process that was killed leaves its lock: the next one takes the next number, which only one can.
 */
export const take = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const owner = ProcessOwner.current()
  const mine = join(directory, `run.${process.pid}.new`)
  const ownerOf = (generation: number) =>
    Effect.orElseSucceed(fs.readFileString(join(directory, nameOf(generation))), () => "")

  const attempt: Effect.Effect<string, RunInProgress | PlatformError> = Effect.gen(function* () {
    const names = (yield* fs.readDirectory(directory)).filter((name) => generationOf(name) > 0)
    const last = Math.max(0, ...names.map(generationOf))
    const pid = last === 0 ? undefined : ProcessOwner.atWork(yield* ownerOf(last))
    if (pid !== undefined && pid !== process.pid) return yield* new RunInProgress({ pid })
    const path = join(directory, nameOf(last + 1))
    // a link is made whole, with what it says, and only where there is none; not every file system has links
    const won = yield* fs.link(mine, path).pipe(
      Effect.catchIf(
        (error) => error.reason._tag !== "AlreadyExists",
        () => fs.writeFileString(path, owner, { flag: "wx" })
      ),
      Effect.as(true),
      Effect.catchIf(
        (error) => error.reason._tag === "AlreadyExists",
        () => Effect.succeed(false)
      )
    )
    if (!won) return yield* attempt
    // a process that looked long ago may get a number that was taken, and freed, since
    if ((yield* fs.readDirectory(directory)).some((name) => generationOf(name) > last + 1)) {
      yield* Effect.ignore(fs.remove(path))
      return yield* attempt
    }
    yield* Effect.forEach(names, (name) => Effect.ignore(fs.remove(join(directory, name))), { discard: true })
    return path
  })

  yield* fs.writeFileString(mine, owner)
  yield* Effect.acquireRelease(attempt.pipe(Effect.ensuring(Effect.ignore(fs.remove(mine)))), (path) =>
    Effect.ignore(fs.remove(path))
  )
})

/** True if a running process writes to the report directory. */
export const isHeld = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const names = (yield* fs.readDirectory(directory)).filter((name) => generationOf(name) > 0)
  const owners = yield* Effect.forEach(names, (name) =>
    Effect.orElseSucceed(fs.readFileString(join(directory, name)), () => "")
  )
  return owners.some((owner) => ProcessOwner.atWork(owner) !== undefined)
})
