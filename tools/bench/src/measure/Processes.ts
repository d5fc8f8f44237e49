import { readdirSync, readFileSync } from "node:fs"

/** Figures of Linux about a process. */
interface Process {
  readonly parent: number
  /** CPU time, user and system, of all its threads. */
  readonly cpu_s: number
  /** The same of those that it started and that have ended. */
  readonly ended_s: number
}

/** Linux counts CPU time in hundredths of a second. */
const ticks_per_s = 100

const statOf = (pid: number): Process => {
  // the name of the program may hold spaces: fields are counted from the end of it
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? []
  const seconds = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) / ticks_per_s
  return { parent: Number(fields[1]), cpu_s: seconds(11), ended_s: seconds(13) }
}

/** CPU time that a process has used, user and system, all threads. */
export const cpuOf_s = (pid: number): number => statOf(pid).cpu_s

/** The processes that a process started, and those that they started, by their ids. */
export const descendantsOf = (root: number): ReadonlyMap<number, Process> => {
  const all = new Map<number, Process>()
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/u.test(entry))) {
    try {
      all.set(Number(name), statOf(Number(name)))
    } catch {
      // it has ended
    }
  }
  const isBelow = (pid: number): boolean => {
    const parent = all.get(pid)?.parent ?? 0
    return parent === root || (parent > 1 && isBelow(parent))
  }
  return new Map([...all].filter(([pid]) => isBelow(pid)))
}

/** CPU time of a process and of all that it started, also of what has ended. */
export const cpuOfAll_s = (root: number): number =>
  [statOf(root), ...descendantsOf(root).values()].reduce((sum, { cpu_s, ended_s }) => sum + cpu_s + ended_s, 0)

/** CPU time of the processes that a process started and that have ended. */
export const cpuOfEnded_s = (pid: number): number => statOf(pid).ended_s
