import type { Pinning } from "../measure/Pinning.ts"
import { apiKey } from "../measure/ServerProcess.ts"
import { inTurns } from "../measure/Versions.ts"
import { type ClientProcess, startClient, type Work } from "./ClientProcess.ts"
import type { Contestant, Modules } from "./Contestants.ts"
import { startService } from "./Service.ts"

/** Amount of measurement for calls. */
export interface CallSettings {
  readonly rounds: number
  readonly window_ms: number
  readonly warmup_ms: number
  /** Calls that are under way at a time. */
  readonly concurrency: number
  /** Polls of a run. */
  readonly polls: number
}

/** The works, in the order of the report. */
export const works: ReadonlyArray<Work> = ["create", "status", "get", "run"]

/** Cost of a client's calls: CPU µs per call, in the order of the rounds, the same for all clients. */
export interface Costs {
  readonly name: string
  readonly cpu_us: Readonly<Record<Work, ReadonlyArray<number>>>
}

/** Dependencies of both measurements. */
export interface Tools {
  readonly modules: Modules
  readonly pinning: Pinning
  readonly log: (line: string) => void
}

/** Rounds over all clients and works, one after the other and then again, so that a slow minute hits all alike. */
export const measureCalls = async (
  contestants: ReadonlyArray<Contestant>,
  settings: CallSettings,
  { log, modules, pinning }: Tools
): Promise<ReadonlyArray<Costs>> => {
  const service = await startService(modules.installed, pinning)
  const clients: Array<{
    readonly name: string
    readonly process: ClientProcess
    readonly cpu_us: Record<Work, Array<number>>
  }> = []
  try {
    for (const { module, name } of contestants) {
      const start = { name, module: module(modules), installed: modules.installed, url: service.url, apiKey }
      const process = await startClient({ ...start, polls: settings.polls }, pinning)
      clients.push({ name, process, cpu_us: { create: [], status: [], get: [], run: [] } })
    }
    for (const { name, process } of clients) {
      log(`warm-up: ${name}`)
      for (const work of works) await process.call(work, settings.concurrency, settings.warmup_ms)
    }
    for (let round = 1; round <= settings.rounds; round++) {
      log(`calls, round ${round} of ${settings.rounds}`)
      for (const work of works) {
        for (const { cpu_us, process } of inTurns(clients, round)) {
          const called = await process.call(work, settings.concurrency, settings.window_ms)
          cpu_us[work].push(called.cpu_us / called.calls)
        }
      }
    }
    return clients.map(({ cpu_us, name }) => ({ name, cpu_us }))
  } finally {
    await Promise.all([...clients.map(({ process }) => process.stop()), service.stop()])
  }
}
