import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { killGroup } from "../../src/process/BrowserProcess.ts"
import { isRunning, runningIn } from "../../src/process/ProcessTree.ts"

it.live.skipIf(process.platform !== "linux")(
  "a finished process of a group isn't considered running, even if its parent never reaps it",
  () =>
    Effect.gen(function* () {
      // the shell becomes a program that does not ask for its child; then the child ends
      const script = "exec 3<&0; (read line <&3) & echo $!; exec sleep 1000"
      const {
        pid = 0,
        stdin,
        stdout
      } = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("/bin/sh", ["-c", script], { detached: true })),
        ({ pid = 0 }) => Effect.sync(() => killGroup(pid))
      )
      const child = Number(String((yield* Effect.promise(() => once(stdout, "data")))[0]))
      const until = (of: number, says: RegExp) =>
        Effect.repeat(Effect.sleep("5 millis"), {
          while: () => !says.test(readFileSync(`/proc/${of}/stat`, "latin1"))
        })
      yield* until(pid, /\(sleep\)/u)
      stdin.write("\n")
      yield* until(child, /\) Z /u)
      assert.deepStrictEqual(runningIn(pid), [pid])
      assert.deepStrictEqual([isRunning(pid), isRunning(child), isRunning(2 ** 30)], [true, false, false])
    }).pipe(Effect.scoped)
)
