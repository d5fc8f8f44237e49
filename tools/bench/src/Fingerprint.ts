import { availableParallelism, cpus, loadavg, totalmem } from "node:os"

/** What a reader has to know of the machine, and nothing that names it. */
export interface Fingerprint {
  readonly cpu: string
  readonly cores: number
  readonly memory_GB: number
  readonly node: string
  readonly platform: string
  /** Processes that wanted a core, over the minute before and the minute at the end. */
  readonly loadBefore: number
  readonly loadAfter: number
}

const load = () => Math.round((loadavg()[0] ?? 0) * 100) / 100

/** Reads the machine now; the function that it gives completes the picture at the end. */
export const fingerprint = (): (() => Fingerprint) => {
  const loadBefore = load()
  return () => ({
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memory_GB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    loadBefore,
    loadAfter: load()
  })
}
