import { join } from "node:path"
import { installPeers } from "../measure/PeerInstall.ts"
import { pinning } from "../measure/Pinning.ts"
import { chosen, inFolder, type Options } from "../measure/Report.ts"
import { bundleOurs } from "./Bundle.ts"
import { type CallSettings, measureCalls, type Tools } from "./Calls.ts"
import type { ClientsReport } from "./ClientsReport.ts"
import { callers, waiters, wideWaiter } from "./Contestants.ts"
import { measureImports } from "./Imports.ts"
import { measureParts, measureSizes } from "./Sizes.ts"
import { measureWaits, type Waited, type WaitSettings } from "./Waits.ts"

interface Settings {
  readonly calls: CallSettings
  readonly imports: number
  /** Settings of the waits that are measured. */
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
export const clients = async (options: Options): Promise<ClientsReport> => {
  const selection = chosen(callers, options.peers)
  const settings = options.quick ? quick : full
  const calls = { ...settings.calls, rounds: options.rounds ?? settings.calls.rounds }
  const installed = installPeers(options.log)
  return inFolder(async (folder) => {
    const pinned = pinning()
    const modules = { installed, ours: await bundleOurs(join(folder, "ours")) }
    const tools: Tools = { modules, pinning: pinned, log: options.log }
    const names = selection.map(({ name }) => name)
    const measured = await measureCalls(selection, calls, tools)
    const waits = await waitsOf(names, settings.waits, tools)
    options.log("sizes and imports")
    return {
      pinning: pinned.text.replace("server", "service").replace("load", "client"),
      settings: calls,
      titles: Object.fromEntries([...callers, wideWaiter].map(({ name, title }) => [name, title(modules)])),
      calls: measured,
      waits,
      sizes: await measureSizes(installed),
      parts: await measureParts("@webagent/v4"),
      imports: await measureImports(folder, installed, settings.imports)
    }
  }, installed)
}
