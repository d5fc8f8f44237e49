import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fingerprint } from "./Fingerprint.ts"
import { Mistake } from "./Mistake.ts"

/** What the command line says. */
export interface AbOptions {
  /** Fewer pairs, shorter: a look, not a figure. */
  readonly quick: boolean
  /** Comparisons of each kind; 20 unless given. */
  readonly rounds: number | undefined
  readonly log: (line: string) => void
}

const harness = fileURLToPath(new URL("../../../apps/harness/src/main.ts", import.meta.url))
const apiKey = "wak_bench"

/** 30 % more service time is time that goes 1.3 times as slowly. */
const slower = 1.3

// A service that thinks, as one behind a network seems to: what slows it down is then more than what the machine does to
// both. A run takes what the load test asks for, a request what this says.
const profile = {
  extends: "instant",
  name: "thinking",
  latency: { lognormal: { median: "60ms", sigma: 0.3 } }
}

const program = (args: ReadonlyArray<string>): ChildProcess =>
  spawn(process.execPath, ["--conditions=@webagent/source", harness, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, WEBAGENT_API_KEY: apiKey, NO_COLOR: "1" }
  })

/** Starts a simulated service whose time runs slower by `factor`; resolves to its address and a function that stops it. */
const serve = (profileFile: string, factor: number) =>
  new Promise<{ readonly address: string; readonly stop: () => void }>((resolve, reject) => {
    const flags = ["--port", "0", "--api-key", apiKey, "--profile", profileFile, "--journal-size", "0"]
    const child = program(["serve", ...flags, "--time-scale", String(1 / factor)])
    let text = ""
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      const address = /^simulated service on (http:\S+?),/u.exec(text)?.[1]
      if (address !== undefined) resolve({ address, stop: () => child.kill("SIGKILL") })
    })
    let said = ""
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (said += chunk))
    child.once("close", () => reject(new Mistake(`The simulated service did not start: ${said.trim()}`)))
  })

interface Compared {
  readonly code: number | null
  readonly verdict: string
}

/** Runs `load --ab` once: exit code, and the line that says what happened. */
const compare = (a: string, b: string, seed: number, quick: boolean, folder: string) =>
  new Promise<Compared>((resolve) => {
    const size = quick ? ["--pairs", "4", "--duration", "1s"] : ["--pairs", "7", "--duration", "2s"]
    const load = ["--rate", "20", "--mix", "runs=1,status=4", ...size]
    const child = program(["load", "smoke", "--ab", a, b, "--seed", String(seed), "--report-dir", folder, ...load])
    let text = ""
    for (const output of [child.stdout, child.stderr])
      output?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    child.once("close", (code) => {
      const verdict = /^(?:B is|no difference seen|cannot tell|The comparison).*$/mu.exec(text)?.[0] ?? text.trim()
      resolve({ code, verdict })
    })
  })

/**
 * How often `load --ab` calls a service worse that is the same, and one that is 30 % slower in its service time: two services
 * of each kind stand through all comparisons, which take turns.
 */
export const ab = async ({ log, quick, rounds = quick ? 3 : 20 }: AbOptions): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-ab-"))
  const profileFile = join(folder, "thinking.json")
  writeFileSync(profileFile, JSON.stringify(profile))
  const machine = fingerprint()
  const services: Array<Awaited<ReturnType<typeof serve>>> = []
  // Ctrl-C would leave the services behind
  const stop = () => {
    for (const service of services) service.stop()
    process.exit(130)
  }
  process.once("SIGINT", stop).once("SIGTERM", stop)
  try {
    for (const factor of [1, 1, slower]) services.push(await serve(profileFile, factor))
    const [base, same, slow] = services.map(({ address }) => address)
    if (base === undefined || same === undefined || slow === undefined) throw new Mistake("A service did not start.")
    const alarms = { same: 0, slow: 0, unknown: 0, failed: 0 }
    for (let round = 1; round <= rounds; round++) {
      for (const [kind, other] of [
        ["same", same],
        ["slow", slow]
      ] as const) {
        const { code, verdict } = await compare(base, other, round, quick, folder)
        if (code === 1 && verdict.startsWith("B is worse")) alarms[kind]++
        else if (code === 5) alarms.unknown++
        else if (code !== 0) alarms.failed++
        log(`round ${round} of ${rounds}, ${kind}: exit code ${code}, ${verdict}`)
      }
    }
    const { cores, cpu, loadAfter, loadBefore, node, platform } = machine()
    const pairs = quick ? "4 pairs of 1 s" : "7 pairs of 2 s"
    return [
      `| B, ${pairs} each | called worse |`,
      "| --- | --: |",
      `| the same as A | ${alarms.same} of ${rounds} |`,
      `| ${Math.round((slower - 1) * 100)} % slower in service time | ${alarms.slow} of ${rounds} |`,
      "",
      ...(alarms.unknown === 0 ? [] : [`${alarms.unknown} comparisons could not tell.`, ""]),
      ...(alarms.failed === 0 ? [] : [`${alarms.failed} comparisons had no result.`, ""]),
      `${cpu}, ${cores} cores, Node ${node}, ${platform}; load ${loadBefore} before, ${loadAfter} after.`
    ].join("\n")
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop)
    for (const service of services) service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
