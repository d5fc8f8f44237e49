import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"

/** A program and its arguments. */
export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
}

/** Keeps a command on a core of its own, so that server and load do not take turns on one. */
export interface Pinning {
  readonly onServerCore: (command: Command) => Command
  readonly onLoadCore: (command: Command) => Command
  /** Description for the result. */
  readonly text: string
}

/** Leaves commands to the scheduler. */
export const unpinned = (reason: string): Pinning => ({
  onServerCore: (command) => command,
  onLoadCore: (command) => command,
  text: `server and load not pinned: ${reason}`
})

const onCore =
  (core: number) =>
  ({ args, file }: Command): Command => ({ file: "taskset", args: ["-c", String(core), file, ...args] })

/** taskset's cores 0 and 1, where there are both. */
export const pinning = (): Pinning => {
  if (availableParallelism() < 2) return unpinned("there is one core")
  for (const core of ["0", "1"]) {
    const { error, status } = spawnSync("taskset", ["-c", core, process.execPath, "--version"])
    if (error !== undefined) return unpinned("there is no taskset here")
    if (status !== 0) return unpinned(`taskset may not use core ${core}`)
  }
  return { onServerCore: onCore(0), onLoadCore: onCore(1), text: "server on core 0, load on core 1" }
}
