import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { bundleOurs } from "./clients/Bundle.ts"
import { type CallSettings, measureCalls, type Tools } from "./clients/Calls.ts"
import type { ClientsReport } from "./clients/ClientsReport.ts"
import { callers, type Contestant, waiters, wideWaiter } from "./clients/Contestants.ts"
import { measureImports } from "./clients/Imports.ts"
import { measureParts, measureSizes } from "./clients/Sizes.ts"
import { measureWaits, type Waited, type WaitSettings } from "./clients/Waits.ts"
import { fingerprint } from "./Fingerprint.ts"
import { Mistake } from "./Mistake.ts"
import { installPeers } from "./PeerInstall.ts"
import { pinning } from "./Pinning.ts"
import type { BenchOptions } from "./simulated.ts"

interface Settings {
  readonly calls: CallSettings
  readonly imports: number
  /** How many of the waits' settings are measured. */
  readonly waits: ReadonlyArray<WaitSettings>
}

const one: WaitSettings = { waits: 1, from_ms: 8100, to_ms: 8100, watched_ms: 30_000, weighedAfter_ms: 0 }
const hundred: WaitSettings = { waits: 100, from_ms: 2000, to_ms: 15_000, watched_ms: 40_000, weighedAfter_ms: 0 }
const many: WaitSettings = { waits: 10_000, from_ms: 6000, to_ms: 20_000, watched_ms: 40_000, weighedAfter_ms: 4000 }

const full: Settings = {
  calls: { rounds: 11, window_ms: 500, warmup_ms: 3000, concurrency: 16, polls: 30 },
  imports: 11,
  waits: [one, hundred, many]
}
const quick: Settings = {
  calls: { rounds: 3, window_ms: 300, warmup_ms: 500, concurrency: 16, polls: 30 },
  imports: 3,
  waits: [hundred]
}

const chosen = (names: ReadonlyArray<string>): ReadonlyArray<Contestant> => {
  const known = callers.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Mistake(`No client named "${unknown}". There are: ${known.join(", ")}.`)
  return callers.filter(({ name }) => names.length === 0 || names.includes(name))
}

const waitsOf = async (selection: ReadonlyArray<string>, settings: ReadonlyArray<WaitSettings>, tools: Tools) => {
  const waited: Array<Waited> = []
  for (const each of settings) {
    const contestants = [...waiters, ...(each === many ? [wideWaiter] : [])]
    for (const contestant of contestants) {
      if (selection.some((name) => contestant.name.startsWith(name))) {
        waited.push(await measureWaits(contestant, each, tools))
      }
    }
  }
  return waited
}

/** Our clients beside another SDK and what one writes by hand. */
export const clients = async (options: BenchOptions): Promise<ClientsReport> => {
  if (process.platform !== "linux") throw new Mistake("Processes are kept on cores by taskset: run this on Linux.")
  const selection = chosen(options.peers)
  const settings = options.quick ? quick : full
  const calls = { ...settings.calls, ...(options.rounds === undefined ? {} : { rounds: options.rounds }) }
  const installed = installPeers(options.log)
  const folder = mkdtempSync(join(installed, "clients-"))
  try {
    const machine = fingerprint()
    const pinned = pinning()
    const modules = { installed, ours: await bundleOurs(join(folder, "ours")) }
    const tools: Tools = { modules, pinning: pinned, log: options.log }
    const names = selection.map(({ name }) => name)
    const measured = await measureCalls(selection, calls, tools)
    const waits = await waitsOf(names, settings.waits, tools)
    options.log("sizes and imports")
    const sizes = await measureSizes(installed)
    const parts = await measureParts("@webagent/v4")
    const imports = await measureImports(folder, installed, settings.imports)
    return {
      bench: "clients",
      date: new Date().toISOString().slice(0, 10),
      fingerprint: machine(),
      pinning: pinned.text.replace("server", "service").replace("load", "client"),
      settings: calls,
      titles: Object.fromEntries([...callers, wideWaiter].map(({ name, title }) => [name, title(modules)])),
      calls: measured,
      waits,
      sizes,
      parts,
      imports
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
