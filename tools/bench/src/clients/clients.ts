import { join } from "node:path"
import { installPeers } from "../measure/PeerInstall.ts"
import { pinning } from "../measure/Pinning.ts"
import { chosen, inFolder, type Options } from "../measure/Report.ts"
import { versionsOf } from "../measure/Versions.ts"
import { bundleClients, type Bundled, clientsIn } from "./Bundle.ts"
import { type CallSettings, measureCalls, type Tools } from "./Calls.ts"
import type { ClientsReport } from "./ClientsReport.ts"
import { callers, type Contestant, waiters, wideWaiter, withEarlier } from "./Contestants.ts"
import { type Imports, measureImports } from "./Imports.ts"
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

const waitsOf = async (
  contestants: ReadonlyArray<Contestant>,
  selection: ReadonlyArray<string>,
  settings: ReadonlyArray<WaitSettings>,
  tools: Tools
) => {
  const waited: Array<Waited> = []
  for (const each of settings) {
    for (const contestant of [...contestants, ...(each === many ? [wideWaiter] : [])]) {
      if (selection.some((name) => contestant.name.startsWith(name))) {
        waited.push(await measureWaits(contestant, each, tools))
      }
    }
  }
  return waited
}

/** Imports of this version, each next to the same import of another one. */
const importsOf = (
  now: Imports,
  before: (Pick<Bundled, "imports"> & { readonly commit: string }) | undefined
): Imports =>
  Object.fromEntries(
    Object.entries(now).flatMap(([name, file]) => {
      const other = before?.imports[name]
      return [[name, file], ...(other === undefined ? [] : [[`${name}, ${before?.commit}`, other]])]
    })
  )

/** Our clients, in this version and in that of `--against`, next to another SDK and requests by hand. */
export const clients = async (options: Options): Promise<ClientsReport> => {
  const selection = chosen(callers, options.peers)
  const settings = options.quick ? quick : full
  const calls = { ...settings.calls, rounds: options.rounds ?? settings.calls.rounds }
  const installed = installPeers(options.log)
  return inFolder(async (folder) => {
    const pinned = pinning()
    const [now, other] = await versionsOf("clients", bundleClients(installed), folder, options)
    const { imports, ours, parts, sizes } = clientsIn(now.folder)
    const before = other && { commit: other.commit, ...clientsIn(other.folder) }
    const modules = { installed, ours }
    const tools: Tools = { modules, pinning: pinned, log: options.log }
    const names = selection.map(({ name }) => name)
    const measured = await measureCalls(withEarlier(selection, before), calls, tools)
    const waits = await waitsOf(withEarlier(waiters, before), names, settings.waits, tools)
    options.log("imports")
    const sdk = { "browser-use-sdk/v4": join(installed, "node_modules/browser-use-sdk/dist/v4.js") }
    const titled = [...withEarlier(callers, before), wideWaiter]
    return {
      pinning: pinned.text.replace("server", "service").replace("load", "client"),
      settings: calls,
      against: before?.commit ?? null,
      titles: Object.fromEntries(titled.map(({ name, title }) => [name, title(modules)])),
      calls: measured,
      waits,
      sizes,
      sizesBefore: before?.sizes ?? [],
      parts,
      imports: measureImports({ ...importsOf(imports, before), ...sdk }, settings.imports)
    }
  })
}
