import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fingerprint } from "./Fingerprint.ts"
import { apiKey } from "./Fixtures.ts"
import { inspected } from "./Inspector.ts"
import { findings } from "./load/Control.ts"
import { harness, readReport, type SoakResult, type SoakSeries } from "./load/HarnessProcess.ts"
import type { Moment, SoakReport } from "./load/SoakReport.ts"
import { Mistake } from "./Mistake.ts"
import { bundleServer } from "./ServerBundle.ts"
import { freePort, startServer } from "./ServerProcess.ts"

/** What the command line says. */
export interface SoakOptions {
  readonly quick: boolean
  /** How long new work is started, such as `20m`; 20 minutes unless given. */
  readonly duration: string | undefined
  readonly log: (line: string) => void
}

/** The load that is sent to the server, and what it says in the end. */
export type Soak = (url: string) => Promise<{ readonly report: SoakResult; readonly series: SoakSeries }>

/** How often the server is weighed. */
export interface Weighing {
  readonly every_s: number
  /** Garbage is collected, and the heap measured, at every n-th measurement. */
  readonly collectEvery: number
}

const controlKey = "wck_bench"
const journalRows = 20_000

/** `harness load soak` from source, with its own mix and rate. */
const soakOf =
  (folder: string, { duration, log, quick }: SoakOptions): Soak =>
  async (url) => {
    const length = ["--duration", duration ?? (quick ? "30s" : "20m")]
    const { exitCode, text } = await harness(["load", "soak", "--target", url, ...length, "--report-dir", folder], log)
    // a crossed threshold is a result
    if (exitCode !== 0 && exitCode !== 1) throw new Mistake(`The load test did not run: ${text.trim()}`)
    return readReport(folder, "soak")
  }

/** Sends a load to our server, bundled and started as one would, and weighs its process until the load has ended. */
export const measureSoak = async (
  folder: string,
  soak: Soak,
  { collectEvery, every_s }: Weighing
): Promise<Omit<SoakReport, "bench" | "date" | "fingerprint">> => {
  const bundle = await bundleServer(folder)
  const [port, inspector, control] = [await freePort(), await freePort(), await freePort()]
  const flags = ["--port", String(port), "--api-key", apiKey, "--journal-size", String(journalRows)]
  const controlled = ["--control", "--control-port", String(control), "--control-key", controlKey]
  const { command, heapAfterCollection_MB } = inspected(
    { file: process.execPath, args: [bundle.file, ...flags, ...controlled] },
    inspector
  )
  const server = await startServer(command, port, {
    method: "POST",
    path: "/api/v4/runs",
    headers: { "x-service-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ task: "Find a red mug" })
  })
  try {
    const begin = performance.now()
    const since = () => (performance.now() - begin) / 1000
    const moments: Array<Moment> = []
    const ended = new AbortController()
    const weigh = async () => {
      for (let turn = 1; !ended.signal.aborted; turn++) {
        const at_s = since()
        const moment = { at_s, rss_MB: server.rss_MB(), cpu_s: server.cpu_s(), loadAverage: loadavg()[0] ?? 0 }
        moments.push(turn % collectEvery === 0 ? { ...moment, heap_MB: await heapAfterCollection_MB() } : moment)
        await sleep(Math.max(0, turn * every_s - since()) * 1000, undefined, { signal: ended.signal }).catch(() => {})
      }
    }
    const [result] = await Promise.all([soak(server.url).finally(() => ended.abort()), weigh()])
    return { journalRows, moments, ...result, findings: await findings(control, controlKey) }
  } finally {
    await server.stop()
  }
}

/** Twenty minutes of an ordinary load on our server: does it stay as fast and as small, and lose and leave nothing? */
export const soak = async (options: SoakOptions): Promise<SoakReport> => {
  if (process.platform !== "linux") throw new Mistake("CPU time and memory are read from /proc: run this on Linux.")
  const folder = mkdtempSync(join(tmpdir(), "webagent-soak-"))
  const machine = fingerprint()
  try {
    const measured = await measureSoak(folder, soakOf(folder, options), { every_s: 10, collectEvery: 3 })
    return { bench: "soak", date: new Date().toISOString().slice(0, 10), fingerprint: machine(), ...measured }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
