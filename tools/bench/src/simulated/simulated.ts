import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { bundleServer, serverIn } from "../measure/Bundle.ts"
import { installPeers } from "../measure/PeerInstall.ts"
import { pinning } from "../measure/Pinning.ts"
import { chosen, inFolder, type Options } from "../measure/Report.ts"
import { autocannon } from "../measure/Load.ts"
import { versionsOf } from "../measure/Versions.ts"
import { measure, type Settings } from "./Measurement.ts"
import { contestant, earlier, type Peer, peers } from "./Peers.ts"
import type { Report } from "./Report.ts"

const full: Settings = {
  rounds: 11,
  window_s: 1,
  warmup_s: 3,
  starts: 7,
  connections: 32,
  liveRuns: 100_000,
  settle_s: 2
}
const quick: Settings = { rounds: 3, window_s: 1, warmup_s: 1, starts: 2, connections: 32, liveRuns: 0, settle_s: 0 }

/** The simulated server beside mock servers and hand-written ones. */
export const simulated = (options: Options): Promise<Report> =>
  inFolder(async (scratch) => {
    const [now, ...before] = await versionsOf("server", bundleServer, scratch, options)
    // ours comes first, and is followed by its other version
    const selection = chosen(peers, options.peers).toSpliced(1, 0, ...before.map(earlier))
    const measures = options.quick ? quick : full
    const settings = { ...measures, rounds: options.rounds ?? measures.rounds }
    const installed = installPeers(options.log)
    const bundle = serverIn(now.folder)
    const prepared = new Map(
      selection.map((peer: Peer) => {
        const folder = join(scratch, peer.name)
        mkdirSync(folder, { recursive: true })
        return [peer.name, contestant(peer, { folder, installed, bundle })]
      })
    )
    const contestants = [...prepared.values()].filter((each) => typeof each !== "string")
    const pinned = pinning()
    const tools = { load: autocannon(installed, pinned), pinning: pinned, log: options.log }
    const measured = await measure(contestants, settings, tools)
    return {
      pinning: pinned.text,
      settings,
      base: contestants.some(({ name }) => name === "fastify") ? "fastify" : (contestants[0]?.name ?? ""),
      rows: selection.map(({ name, remark, title }) => ({
        name,
        title: title({ installed }),
        remark,
        result: measured.find((each) => each.name === name) ?? { skipped: String(prepared.get(name)) }
      }))
    }
  })
