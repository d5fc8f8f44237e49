import { readFileSync } from "node:fs"

/** Reads Linux's information about a process: its state, and the fields after it. */
const statOf = (pid: number): ReadonlyArray<string> => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // what is before the last bracket is the program's name, which may be anything
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** When a process was started, where the system says: ids are given again, and in each new container the first is 1. */
const startOf = (pid: number): string | undefined => {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8)
    const ticks = statOf(pid)[19]
    return ticks === undefined ? undefined : `${boot}-${ticks}`
  } catch {
    return undefined
  }
}

/** Returns whether a process has exited and its parent hasn't reaped it, which in a container may last. */
const isZombie = (pid: number): boolean => {
  try {
    return statOf(pid)[0] === "Z"
  } catch {
    return false
  }
}

/** Returns whether a process exists. A process of another user can't be signaled, but exists. */
const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/**
 * Returns this process as the `owner` of a ledger.
 *
 * @returns Text such as `process 4711 started 8c2f91d0-1482211`, without the start if it is unknown.
 * @example
 * ```ts
 * import { ProcessOwner } from "@webagent/core/node"
 *
 * console.log(ProcessOwner.current())
 * ```
 */
export const current = (): string => {
  const start = startOf(process.pid)
  return `process ${process.pid}${start === undefined ? "" : ` started ${start}`}`
}

/**
 * Returns the id of the process that an owner names, if it's running on this machine. A process with the same id that
 * was started at another time is another one. Shorter owners, `4711` and `process 4711`, name a process by its id
 * alone.
 *
 * @param owner - The owner of an open resource, as a ledger records it.
 * @returns The process id, or undefined if the process has exited.
 * @example
 * ```ts
 * import { Ledger } from "@webagent/core"
 * import { ProcessOwner } from "@webagent/core/node"
 * import * as Effect from "effect/Effect"
 *
 * export const orphans = Effect.gen(function* () {
 *   const open = yield* (yield* Ledger.Current).open
 *   return open.filter(({ owner }) => owner !== undefined && ProcessOwner.atWork(owner) === undefined)
 * })
 * ```
 */
export const atWork = (owner: string): number | undefined => {
  const [, id, start] = /^(?:process )?(\d+)(?: started (\S+))?$/u.exec(owner) ?? []
  const pid = Number(id)
  // 0 would be this process and all that it has started
  if (id === undefined || pid === 0 || !isThere(pid) || isZombie(pid)) return undefined
  return start === undefined || start === (startOf(pid) ?? start) ? pid : undefined
}
