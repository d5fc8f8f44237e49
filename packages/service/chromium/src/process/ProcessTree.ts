import { readdirSync, readFileSync } from "node:fs"

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    // the process has ended, or is another user's
    return undefined
  }
}

/** The fields of `/proc/PID/stat` from the third on: the second, the name, may hold anything. */
const statOf = (pid: number | string): ReadonlyArray<string> | undefined => {
  const text = read(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(")") + 2).split(" ")
}

/** When a process began, in ticks since the machine did; undefined of one that is not there. With it a pid is unique. */
export const startOf = (pid: number): string | undefined => statOf(pid)?.[19]

const everyPid = (): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)

/** The children of every process. */
const children = (): ReadonlyMap<number, ReadonlyArray<number>> => {
  const all = new Map<number, Array<number>>()
  for (const pid of everyPid()) {
    const parent = Number(statOf(pid)?.[1] ?? 0)
    const siblings = all.get(parent)
    if (siblings === undefined) all.set(parent, [pid])
    else siblings.push(pid)
  }
  return all
}

/**
 * True if a process runs. A process that exited remains listed until its parent waits for it: in a container, perhaps
 * forever.
 */
export const isRunning = (pid: number): boolean => !["Z", "X", undefined].includes(statOf(pid)?.[0])

/** The processes of a group that run. */
export const runningIn = (group: number): ReadonlyArray<number> =>
  everyPid().filter((pid) => statOf(pid)?.[2] === `${group}` && isRunning(pid))

/** Each process with what it started, and so on. */
export const trees = (roots: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
  const all = children()
  const from = (pid: number): ReadonlyArray<number> => [pid, ...(all.get(pid) ?? []).flatMap(from)]
  return roots.map(from)
}

const page_bytes = 4096

const statmOf = (pid: number) => {
  const [, resident = 0, shared = 0] = (read(`/proc/${pid}/statm`) ?? "").split(" ").map(Number)
  return { resident: resident * page_bytes, shared: shared * page_bytes }
}

/** Memory that counts each shared page for its share; what no other process shares where that cannot be read. */
const proportionalOf = (pid: number): number => {
  const [, pss] = /^Pss:\s+(\d+)/mu.exec(read(`/proc/${pid}/smaps_rollup`) ?? "") ?? []
  if (pss !== undefined) return Number(pss) * 1024
  const { resident, shared } = statmOf(pid)
  return resident - shared
}

const sum = (pids: ReadonlyArray<number>, of: (pid: number) => number) => pids.reduce((all, pid) => all + of(pid), 0)

/** Memory of processes, each shared page counted once. */
const memoryOf = (pids: ReadonlyArray<number>): number => sum(pids, proportionalOf)

/**
 * True if processes use more memory than a limit. The exact value takes milliseconds, and is read only near the limit.
 */
export const exceeds = (pids: ReadonlyArray<number>, limit_bytes: number): boolean =>
  sum(pids, (pid) => statmOf(pid).resident) > limit_bytes && memoryOf(pids) > limit_bytes
