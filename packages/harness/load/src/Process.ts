import * as Effect from "effect/Effect"
import type * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"

/**
 * Starts a process in a process group of its own. When the scope closes, it's asked to exit, and killed after ten
 * seconds. If this program exits at once, as it does on a second Ctrl-C, the process is killed at once.
 *
 * @param command - The program and its arguments.
 * @returns The handle of the process, with its output and its exit code.
 * @throws `PlatformError` if the program can't be started.
 * @example
 * ```ts
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import * as Process from "@webagent/load/Process"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import * as ChildProcess from "effect/process/ChildProcess"
 * import * as Stream from "effect/Stream"
 *
 * export const program = Process.start(ChildProcess.make("k6", ["version"])).pipe(
 *   Effect.flatMap(({ stdout }) => Stream.runForEach(Process.lines(stdout), Console.log)),
 *   Effect.scoped,
 *   Effect.provide(NodeServices.layer)
 * )
 * ```
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
 * Splits the output of a process into lines, as they come.
 *
 * @param output - The bytes that a process writes.
 * @returns A stream of lines without their ends.
 * @example
 * ```ts
 * import { lines } from "@webagent/load/Process"
 * import * as Stream from "effect/Stream"
 *
 * const output = Stream.make(new TextEncoder().encode("one\ntwo\n"))
 * export const first = lines(output).pipe(Stream.take(1), Stream.runCollect)
 * ```
 */
export const lines = <E>(output: Stream.Stream<Uint8Array, E>): Stream.Stream<string, E> =>
  output.pipe(Stream.decodeText(), Stream.splitLines)
