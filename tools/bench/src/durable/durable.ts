import { TestPostgres } from "@webagent/test-postgres"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { bundleServer } from "../measure/Bundle.ts"
import { autocannon } from "../measure/Load.ts"
import { installPeers } from "../measure/PeerInstall.ts"
import { pinning } from "../measure/Pinning.ts"
import { type Heading, inFolder, type Options } from "../measure/Report.ts"
import { apiKey } from "../measure/ServerProcess.ts"
import { type Contestant, measure, type Measured, type Settings } from "../simulated/Measurement.ts"
import { type Commits, measureCommits } from "./Commits.ts"
import { type FullFile, fullFile, growth } from "./FullFile.ts"

/** The result of the bench `durable`. */
export interface DurableReport extends Heading {
  readonly pinning: string
  readonly settings: Settings
  readonly servers: ReadonlyArray<Measured>
  readonly growth: Awaited<ReturnType<typeof growth>>
  readonly commits: Readonly<Record<"thread" | "commit", ReadonlyArray<Commits>>>
  readonly full: FullFile
}

const full: Settings = {
  rounds: 11,
  window_s: 1,
  warmup_s: 3,
  starts: 5,
  connections: 32,
  liveRuns: 0,
  settle_s: 0
}
const quick: Settings = { ...full, rounds: 3, warmup_s: 1, starts: 2 }

/** Where the state of our server is, and the flags for that. */
const places = (folder: string, address: string): Readonly<Record<string, ReadonlyArray<string>>> => ({
  memory: ["--journal-size", "0"],
  file: ["--data", join(folder, "file.db")],
  "file, --durable full": ["--data", join(folder, "full.db"), "--durable", "full"],
  // on this machine, as durable as a file by default; what Postgres itself uses is not counted
  Postgres: ["--data", address]
})

/** Our server over a file and over Postgres beside the one in memory, and a file with a million runs. */
export const durable = async (options: Options): Promise<DurableReport> => {
  const postgres = ManagedRuntime.make(TestPostgres.layer)
  try {
    return await beside(options, await postgres.runPromise(TestPostgres.use(({ database }) => database)))
  } finally {
    await postgres.dispose()
  }
}

const beside = (options: Options, address: string): Promise<DurableReport> =>
  inFolder(async (scratch) => {
    const measures = options.quick ? quick : full
    const settings = { ...measures, rounds: options.rounds ?? measures.rounds }
    const installed = installPeers(options.log)
    const { file: bundle } = await bundleServer(join(scratch, "server"))
    const pinned = pinning()
    let starts = 0
    const contestants = Object.keys(places("", "")).map((name): Contestant => ({
      name,
      stateful: true,
      live: false,
      command: (port, runs_ms) => {
        const folder = join(scratch, `${++starts}`)
        mkdirSync(folder)
        const simulated = ["--browsers", "simulated", "--turn-duration", `${runs_ms}ms`]
        const flags = ["--port", String(port), "--api-key", apiKey, ...simulated]
        return { file: process.execPath, args: [bundle, ...flags, ...(places(folder, address)[name] ?? [])] }
      }
    }))
    const tools = { load: autocannon(installed, pinned), pinning: pinned, log: options.log }
    const servers = await measure(contestants, settings, tools)
    options.log("growth of the file")
    const grown = await growth(bundle, join(scratch, "growth.db"), options.quick ? 500 : 5000)
    options.log("commits")
    const commits = await measureCommits(scratch, options.quick ? 2 : 5, options.quick ? 1000 : 4000)
    const filled = await fullFile(bundle, join(scratch, "filled.db"), options.quick ? 20_000 : 1_000_000, options.log)
    return { pinning: pinned.text, settings, servers, growth: grown, commits, full: filled }
  })
