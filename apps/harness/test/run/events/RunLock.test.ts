import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as RunLock from "../../../src/run/events/RunLock.ts"

const inFolder = <A, E, R>(use: (directory: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* use(yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

// beyond what Linux gives
const dead = `process ${2 ** 22 + 1}`

/** The lock of another process, as it would have written it. */
const leave = (fs: FileSystem.FileSystem, directory: string, generation: number, owner: string) =>
  fs.writeFileString(`${directory}/run.${generation}.lock`, owner)

const pidOf = (directory: string) =>
  Effect.map(Effect.flip(RunLock.take(directory)), (error) => "pid" in error && error.pid)

/** A process that is at work until the scope closes. */
const another = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = spawn(process.execPath, ["-e", "process.stdout.write('.'); setInterval(() => {}, 1000)"])
    await once(child.stdout, "data")
    return child
  }),
  (child) =>
    Effect.promise(() => {
      child.kill("SIGKILL")
      return once(child, "exit")
    })
)

describe("RunLock", () => {
  it.live("is held while the scope is open, and leaves nothing behind", () =>
    inFolder((directory, fs) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* RunLock.take(directory).pipe(Scope.provide(scope))
        assert.deepStrictEqual(yield* fs.readDirectory(directory), ["run.1.lock"])
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(yield* fs.readDirectory(directory), [])
      })
    )
  )

  it.live("is kept by a running process, which is named", () =>
    inFolder((directory, fs) =>
      Effect.gen(function* () {
        const { pid } = yield* another
        yield* leave(fs, directory, 3, `process ${pid}`)
        assert.strictEqual(yield* pidOf(directory), pid)
        assert.deepStrictEqual(yield* fs.readDirectory(directory), ["run.3.lock"])
      })
    )
  )

  it.live("is not kept by a killed process, nor by one whose id another process has now", () =>
    inFolder((directory, fs) =>
      Effect.gen(function* () {
        const { pid } = yield* another
        for (const holder of [dead, `process ${pid} started 00000000-1`, "half a li"]) {
          yield* leave(fs, directory, 7, holder)
          yield* Effect.scoped(RunLock.take(directory))
          assert.deepStrictEqual(yield* fs.readDirectory(directory), [])
        }
      })
    )
  )

  it.live("is not taken by a slow process after two others took it", () =>
    inFolder((directory, fs) =>
      Effect.gen(function* () {
        const { pid } = yield* another
        yield* leave(fs, directory, 1, dead)
        let isFirst = true
        const slow: FileSystem.FileSystem = {
          ...fs,
          // between the look and the link one process has taken the lock and was killed, and another one has it
          link: (from, to) =>
            Effect.suspend(() => {
              if (!isFirst) return Effect.void
              isFirst = false
              return Effect.andThen(fs.remove(`${directory}/run.1.lock`), leave(fs, directory, 3, `process ${pid}`))
            }).pipe(Effect.andThen(fs.link(from, to)))
        }
        assert.strictEqual(yield* Effect.provideService(pidOf(directory), FileSystem.FileSystem, slow), pid)
        assert.deepStrictEqual(yield* fs.readDirectory(directory), ["run.3.lock"])
      })
    )
  )

  it.live("is taken by one of many processes after a kill", () =>
    inFolder((directory, fs) =>
      Effect.gen(function* () {
        yield* leave(fs, directory, 1, dead)
        const script = `
          setInterval(() => {}, 1000)
          const { take } = await import(${JSON.stringify(new URL("../../../src/run/events/RunLock.ts", import.meta.url).href)})
          const Effect = await import("effect/Effect")
          const NodeFileSystem = await import("@effect/platform-node/NodeFileSystem")
          const taken = Effect.andThen(take(${JSON.stringify(directory)}), Effect.sync(() => console.log("mine")))
          const run = Effect.andThen(Effect.catchTag(taken, "RunInProgress", () => Effect.sync(() => console.log("busy"))), Effect.never)
          void Effect.runPromise(run.pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer)))`
        const children = yield* Effect.acquireRelease(
          Effect.sync(() =>
            Array.from({ length: 3 }, () =>
              spawn(process.execPath, ["--conditions=@webagent/source", "--input-type=module", "-e", script])
            )
          ),
          (children) => Effect.sync(() => children.forEach((child) => child.kill("SIGKILL")))
        )
        const said = yield* Effect.promise(() => Promise.all(children.map((child) => once(child.stdout, "data"))))
        assert.deepStrictEqual(said.map(([text]) => String(text).trim()).toSorted(), ["busy", "busy", "mine"])
      })
    )
  )
})
