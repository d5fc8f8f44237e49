import { existsSync, readFileSync } from "node:fs"
import { availableParallelism, totalmem } from "node:os"
import { join } from "node:path"

const mebibyte = 1024 * 1024

/** Memory budget of a browser: an empty one takes 75 MiB, one with a heavy page 500. */
const ofBrowser_bytes = 512 * mebibyte

/** Memory reserved for all other programs, and their share if memory is small. */
const ofOthers_bytes = 2048 * mebibyte
const shareOfOthers = 1 / 4

const perCore = 8

/**
 * Number of concurrent launches that save time, because each one is limited by the processor. A container's share of it
 * counts.
 */
export const launches = availableParallelism()

/** Resources of the machine that determine the number of browsers. */
export interface Machine {
  /** Memory of the machine. */
  readonly memory_bytes: number
  /** The least limit that the cgroups around this process set; more than the machine has where there is none. */
  readonly constrained_bytes: number
  readonly cores: number
}

/** Maximum number of browsers that run at once, and the reason. */
export interface Most {
  readonly count: number
  readonly why: string
}

const gibibytes = (bytes: number) => `${Math.round((bytes / 1024 / mebibyte) * 10) / 10} GiB`

/** Computes the number of browsers that fit on a machine, from its memory and processors, or those of a container. */
export const most = ({ constrained_bytes, cores, memory_bytes }: Machine = machine()): Most => {
  const isLimited = constrained_bytes < memory_bytes
  const all_bytes = isLimited ? constrained_bytes : memory_bytes
  const for_bytes = all_bytes - Math.min(ofOthers_bytes, all_bytes * shareOfOthers)
  const byMemory = Math.max(1, Math.floor(for_bytes / ofBrowser_bytes))
  if (byMemory >= perCore * cores) {
    return { count: perCore * cores, why: `${perCore} for each of ${cores} ${cores === 1 ? "core" : "cores"}` }
  }
  const whose = isLimited ? "that the container's limit allows" : "of memory"
  return { count: byMemory, why: `${gibibytes(ofBrowser_bytes)} each, of the ${gibibytes(all_bytes)} ${whose}` }
}

/** The first number in a file after a name, or at its start. */
const numberIn = (file: string, name = ""): number | undefined => {
  try {
    const [, found] = new RegExp(`^${name}\\s*(\\d+)`, "mu").exec(readFileSync(file, "latin1")) ?? []
    return found === undefined ? undefined : Number(found)
  } catch {
    // there is no such file here
    return undefined
  }
}

/**
 * Locations of the kernel's memory counters of this process's cgroup and the enclosing ones, with their names in each
 * version.
 */
const cgroups = (system: string) => {
  const own = (() => {
    try {
      return readFileSync(join(system, "proc/self/cgroup"), "latin1")
    } catch {
      return ""
    }
  })()
  const mount = join(system, "sys/fs/cgroup")
  const [, inV1] = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/mu.exec(own) ?? []
  const [, inV2 = "/"] = /^0::(.*)$/mu.exec(own) ?? []
  // a container may see itself as the root of what is mounted, and read its path outside
  const within = (root: string, path: string) => {
    const names = existsSync(join(root, path)) ? path.split("/").filter((name) => name !== "") : []
    return [root, ...names.map((_, index) => join(root, ...names.slice(0, index + 1)))]
  }
  return inV1 === undefined
    ? { folders: within(mount, inV2), limit: "memory.max", used: "memory.current", prefix: "" }
    : {
        folders: within(join(mount, "memory"), inV1),
        limit: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        prefix: "total_"
      }
}

/** This machine, or the one whose files have this root. */
export const machine = (system = "/"): Machine => {
  const { folders, limit } = cgroups(system)
  return {
    memory_bytes: totalmem(),
    constrained_bytes: Math.min(...folders.map((folder) => numberIn(join(folder, limit)) ?? Infinity)),
    cores: launches
  }
}

/**
 * Memory that this process's cgroups still allow, with the files that the kernel gives up for it; Infinity where no
 * limit is set. Of the files in use, half stay: as the kernel reckons what is available to a machine.
 */
const allowed_bytes = (system: string): number => {
  const { folders, limit, prefix, used } = cgroups(system)
  const left = folders.flatMap((folder) => {
    const [most, taken] = [numberIn(join(folder, limit)), numberIn(join(folder, used))]
    if (most === undefined || taken === undefined) return []
    const files = (which: string) => numberIn(join(folder, "memory.stat"), `${prefix}${which}_file`) ?? 0
    return [most - taken + files("inactive") + files("active") / 2]
  })
  return Math.min(...left)
}

/**
 * True if there is currently memory for one more browser, including if it can't be determined. `system` is the root of
 * the kernel's files.
 */
export const hasMemory = (system = "/"): boolean => {
  const available_kB = numberIn(join(system, "proc/meminfo"), "MemAvailable:") ?? Infinity
  return Math.min(available_kB * 1024, allowed_bytes(system)) > ofBrowser_bytes
}
