import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fingerprint } from "./Fingerprint.ts"
import { autocannon } from "./Load.ts"
import { type Contestant, measure, type Settings } from "./Measurement.ts"
import { Mistake } from "./Mistake.ts"
import { installPeers } from "./PeerInstall.ts"
import { type Peer, peers } from "./Peers.ts"
import { pinning } from "./Pinning.ts"
import type { Report } from "./Report.ts"
import { bundleServer } from "./ServerBundle.ts"

/** What the command line says. */
export interface BenchOptions {
  readonly quick: boolean
  /** Names of peers; all when empty. */
  readonly peers: ReadonlyArray<string>
  readonly rounds: number | undefined
  readonly log: (line: string) => void
}

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

const chosen = (names: ReadonlyArray<string>): ReadonlyArray<Peer> => {
  const known = peers.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Mistake(`No server named "${unknown}". There are: ${known.join(", ")}.`)
  return peers.filter(({ name }) => names.length === 0 || names.includes(name))
}

/** The simulated server beside mock servers and hand-written ones. */
export const simulated = async (options: BenchOptions): Promise<Report> => {
  if (process.platform !== "linux") throw new Mistake("CPU time and memory are read from /proc: run this on Linux.")
  const selection = chosen(options.peers)
  const settings = {
    ...(options.quick ? quick : full),
    ...(options.rounds === undefined ? {} : { rounds: options.rounds })
  }
  const installed = installPeers(options.log)
  const scratch = mkdtempSync(join(tmpdir(), "webagent-bench-"))
  try {
    const bundle = await bundleServer(join(scratch, "server"))
    const place = { installed, bundle: bundle.file }
    const folderOf = ({ name }: Peer) => {
      const folder = join(scratch, name)
      mkdirSync(folder, { recursive: true })
      return folder
    }
    const commandOf = (peer: Peer, port: number, runs_ms: number) =>
      peer.command({ ...place, port, runs_ms, folder: folderOf(peer) })

    const contestants: Array<Contestant> = []
    const skipped = new Map<string, string>()
    for (const peer of selection) {
      const trial = commandOf(peer, 0, 0)
      if (typeof trial === "string") {
        skipped.set(peer.name, trial)
        continue
      }
      contestants.push({
        name: peer.name,
        stateful: peer.stateful,
        live: peer.live,
        warmups: peer.warmups ?? 1,
        command: (port, runs_ms) => {
          const command = commandOf(peer, port, runs_ms)
          if (typeof command === "string") throw new Error(`${peer.name}: ${command}`)
          return command
        }
      })
    }

    const machine = fingerprint()
    const pinned = pinning()
    const tools = { load: autocannon(installed, pinned), pinning: pinned, log: options.log }
    const measured = await measure(contestants, settings, tools)
    return {
      bench: "simulated",
      date: new Date().toISOString().slice(0, 10),
      fingerprint: machine(),
      pinning: pinned.text,
      settings,
      bundle_kB: bundle.size_kB,
      base: contestants.some(({ name }) => name === "fastify") ? "fastify" : (contestants[0]?.name ?? ""),
      rows: selection.map((peer) => {
        const result = measured.find(({ name }) => name === peer.name)
        return {
          name: peer.name,
          title: peer.title(place),
          remark: peer.remark,
          result: result ?? { skipped: skipped.get(peer.name) ?? "no figures" }
        }
      })
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
