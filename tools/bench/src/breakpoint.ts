import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fingerprint } from "./Fingerprint.ts"
import { apiKey } from "./Fixtures.ts"
import { inspected } from "./Inspector.ts"
import type { BreakpointReport } from "./load/BreakpointReport.ts"
import { ourK6, versionOf } from "./load/K6Builds.ts"
import { figure, runK6 } from "./load/K6Process.ts"
import { type Climb, climb, type Limits, rates, type Step } from "./load/Ladder.ts"
import { Mistake } from "./Mistake.ts"
import { installPeers, versionOf as versionOfPeer } from "./PeerInstall.ts"
import { type Pinning, pinning } from "./Pinning.ts"
import { bundleServer } from "./ServerBundle.ts"
import { freePort, startServer } from "./ServerProcess.ts"

/** What the command line says. */
export interface BreakpointOptions {
  readonly quick: boolean
  readonly rounds: number | undefined
  readonly log: (line: string) => void
}

const script = fileURLToPath(new URL("../k6/flow.js", import.meta.url))

const limits: Limits = { p95_ms: 100, failed: 0.01, dropped: 0.01 }
const run_ms = 5

/** What a climb needs. */
interface Place {
  readonly k6: string
  readonly folder: string
  readonly pinning: Pinning
  readonly step_s: number
  readonly log: (line: string) => void
}

const round = (value: number, digits: number) => Number(value.toFixed(digits))

/** Starts a server and goes up with the load on it. */
const climbOn = async (
  name: string,
  args: (port: number) => ReadonlyArray<string>,
  wanted: ReadonlyArray<number>,
  { folder, k6, log, pinning, step_s }: Place
): Promise<Climb> => {
  const [port, inspector] = [await freePort(), await freePort()]
  const { command, loop } = inspected({ file: process.execPath, args: args(port) }, inspector)
  const server = await startServer(pinning.onServerCore(command), port, {
    method: "POST",
    path: "/api/v4/runs",
    headers: { "x-service-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ task: "Find a red mug" })
  })
  const measure = async (rate: number): Promise<Step> => {
    const before = { loop: await loop(), cpu_s: server.cpu_s(), at: performance.now() }
    const env = {
      BENCH_URL: server.url,
      BENCH_KEY: apiKey,
      BENCH_RATE: String(rate),
      BENCH_DURATION: `${step_s}s`
    }
    const { cpu_s, metrics } = await runK6({ k6, script, env }, { folder, pinning })
    const after = await loop()
    const took_s = (performance.now() - before.at) / 1000
    const [active, idle] = [after.active - before.loop.active, after.idle - before.loop.idle]
    const requests = figure(metrics, "http_reqs", "count")
    const time = (name: string) => round(figure(metrics, "http_req_duration", name), 2)
    const [starts, dropped] = [figure(metrics, "iterations", "count"), figure(metrics, "dropped_iterations", "count")]
    const step = {
      rate,
      requests,
      perSecond: round(requests / step_s, 1),
      p50_ms: time("med"),
      p95_ms: time("p(95)"),
      p99_ms: time("p(99)"),
      failed: figure(metrics, "http_req_failed", "rate"),
      lost: figure(metrics, "lost", "count"),
      dropped: dropped / Math.max(1, starts + dropped),
      cpu_us: round(((server.cpu_s() - before.cpu_s) * 1e6) / Math.max(1, requests), 1),
      // k6 takes a moment to begin and to end, in which nobody asks
      loop: round(Math.min(1, active / ((active + idle) * (step_s / took_s))), 3),
      k6: round(Math.min(1, cpu_s / step_s), 3)
    }
    log(
      `${name}: ${rate} starts/s, ${step.perSecond} requests/s, p50 ${step.p50_ms} p95 ${step.p95_ms} p99 ${step.p99_ms} ms, failed ${step.failed}, dropped ${round(step.dropped, 3)}, lost ${step.lost}, loop ${step.loop}, k6 ${step.k6}`
    )
    return step
  }
  try {
    // what is compiled on the way is none of the first step's
    await measure(wanted[0] ?? 1)
    return await climb(wanted, measure, limits)
  } finally {
    await server.stop()
  }
}

/** How much our simulated server carries, beside a server written by hand with Fastify, under the same load. */
export const breakpoint = async ({
  log,
  quick,
  rounds = quick ? 1 : 3
}: BreakpointOptions): Promise<BreakpointReport> => {
  if (process.platform !== "linux") throw new Mistake("CPU time is read from /proc: run this on Linux.")
  const installed = installPeers(log)
  const k6 = ourK6(log)
  const folder = mkdtempSync(join(tmpdir(), "webagent-bench-"))
  const machine = fingerprint()
  try {
    const bundle = await bundleServer(join(folder, "server"))
    const place: Place = { k6, folder, pinning: pinning(), step_s: quick ? 2 : 6, log }
    const wanted = quick ? rates(100, 2, 5) : rates(100, 1.25, 16)
    const servers = {
      ours: (port: number) => [
        bundle.file,
        "--port",
        String(port),
        "--api-key",
        apiKey,
        "--turn-duration",
        `${run_ms}ms`
      ],
      fastify: (port: number) => [join(installed, "fastify.mjs"), String(port), apiKey, String(run_ms)]
    }
    const climbs: Record<keyof typeof servers, Array<Climb>> = { ours: [], fastify: [] }
    for (let turn = 0; turn < rounds; turn++) {
      for (const name of turn % 2 === 0 ? (["ours", "fastify"] as const) : (["fastify", "ours"] as const)) {
        climbs[name].push(await climbOn(name, servers[name], wanted, place))
      }
    }
    return {
      bench: "breakpoint",
      date: new Date().toISOString().slice(0, 10),
      fingerprint: machine(),
      pinning: place.pinning.text,
      versions: { k6: versionOf(k6), fastify: versionOfPeer(installed, "fastify") },
      limits,
      step_s: place.step_s,
      climbs
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
