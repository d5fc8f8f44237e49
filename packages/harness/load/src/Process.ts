import * as Effect from "effect/Effect"
import type * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"

/**
 * Starts a process, with its own process group, that ends with the scope: asked first, after ten seconds killed. It is
 * killed at once when this program ends at once, as it does on a second Ctrl-C.
 */
export const start = Effect.fnUntraced(function* (command: ChildProcess.Command) {
  const group: { pid?: number } = {}
  const kill = () => {
    if (group.pid === undefined) return
    try {
      process.kill(process.platform === "win32" ? group.pid : -group.pid, "SIGKILL")
    } catch {
      // it has ended by itself
    }
  }
  // before the process and so released after it: it may have to be killed while it is being asked
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("exit", kill)),
    () => Effect.sync(() => process.off("exit", kill))
  )
  const handle = yield* command
  group.pid = handle.pid
  return handle
})

/**
 * The lines of an output, as they come.
 *
 * @param output - The bytes that a process writes.
 * @returns A stream of lines without their ends.
 */
export const lines = <E>(output: Stream.Stream<Uint8Array, E>): Stream.Stream<string, E> =>
  output.pipe(Stream.decodeText(), Stream.splitLines)
