import { median } from "@webagent/statistics/Robust"
import { setTimeout as sleep } from "node:timers/promises"
import { apiKey } from "../measure/ServerProcess.ts"
import type { Tools } from "./Calls.ts"
import { type Memory, startClient } from "./ClientProcess.ts"
import type { Contestant } from "./Contestants.ts"
import { startService } from "./Service.ts"

/** Waits that begin together, and how long they are watched. */
export interface WaitSettings {
  readonly waits: number
  /** Runs end between these two, evenly, after the waits have begun. */
  readonly from_ms: number
  readonly to_ms: number
  /** Maximum time that they are observed; the remaining ones are abandoned. */
  readonly watched_ms: number
  /** When the process is weighed after they have begun; 0 leaves it out. */
  readonly weighedAfter_ms: number
}

/** Observations of many waits of one client. */
export interface Waited {
  readonly name: string
  readonly waits: number
  readonly polls: number
  readonly perSecond: number
  /** The most polls that came within 100 ms. */
  readonly peak: number
  readonly ended: number
  readonly failed: number
  /** One of the failures, if there are any. */
  readonly failure?: string
  /** From the end of a run until its wait has ended. */
  readonly delay_ms?: { readonly median: number; readonly max: number }
  /** The process before the waits, and with them. */
  readonly memory?: { readonly before: Memory; readonly standing: Memory }
}

/** The most instants that lie within 100 ms. */
export const peakOf = (instants_ms: ReadonlyArray<number>): number => {
  const sorted = instants_ms.toSorted((a, b) => a - b)
  let from = 0
  let peak = 0
  for (const [to, instant] of sorted.entries()) {
    while (instant - (sorted[from] ?? instant) >= 100) from++
    peak = Math.max(peak, to - from + 1)
  }
  return peak
}

const pollsOf = async (url: string) => {
  const answer = await fetch(`${url}/polls`)
  return (await answer.json()) as ReadonlyArray<number>
}

/** Begins the waits in a process of its own and watches them. */
export const measureWaits = async (
  { module, name }: Contestant,
  settings: WaitSettings,
  { log, modules, pinning }: Tools
): Promise<Waited> => {
  log(`${settings.waits} waits: ${name}`)
  const { from_ms, to_ms, waits, watched_ms, weighedAfter_ms } = settings
  const service = await startService(modules.installed, pinning)
  const start = { name, module: module(modules), installed: modules.installed, url: service.url, apiKey, polls: 1 }
  const client = await startClient(start, pinning)
  try {
    const before = await client.memory()
    const began = Date.now()
    const end = (index: number) => Math.round(began + from_ms + ((index + 0.5) * (to_ms - from_ms)) / waits)
    await client.wait(Array.from({ length: waits }, (_, index) => `t-${end(index)}-${index}`))
    let standing: Memory | undefined
    if (weighedAfter_ms > 0) {
      await sleep(weighedAfter_ms)
      standing = await client.memory()
    }
    const over = () => client.delays_ms.length + client.failures.length === waits
    while (!over() && Date.now() < began + watched_ms) await sleep(50)
    const took_s = (Date.now() - began) / 1000
    const polls = await pollsOf(service.url)
    const [failure] = client.failures
    return {
      name,
      waits,
      polls: polls.length,
      perSecond: polls.length / took_s,
      peak: peakOf(polls),
      ended: client.delays_ms.length,
      failed: client.failures.length,
      ...(failure === undefined ? {} : { failure }),
      ...(client.delays_ms.length === 0
        ? {}
        : { delay_ms: { median: median(client.delays_ms), max: Math.max(...client.delays_ms) } }),
      ...(standing === undefined ? {} : { memory: { before, standing } })
    }
  } finally {
    await Promise.all([client.stop(), service.stop()])
  }
}
