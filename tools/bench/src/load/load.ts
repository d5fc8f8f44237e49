import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleServer } from "../measure/Bundle.ts"
import { installPeers, versionOf as versionOfPeer } from "../measure/PeerInstall.ts"
import { autocannon } from "../measure/Load.ts"
import { pinning } from "../measure/Pinning.ts"
import { inFolder, type Options } from "../measure/Report.ts"
import { apiKey, createRun, type ServerProcess, startServer } from "../measure/ServerProcess.ts"
import { timed } from "../measure/TimedProcess.ts"
import { ourK6, stockK6, versionOf } from "./K6Builds.ts"
import { figure, type K6Request, type K6Run, runK6 } from "./K6Process.ts"
import type { Decoding, Generator, GeneratorSample, K6Report } from "./K6Report.ts"
import { orderOf } from "./Order.ts"

const readScript = fileURLToPath(new URL("../../k6/read.js", import.meta.url))
const loadScript = fileURLToPath(new URL("../../../../packages/harness/load/k6/smoke.load.ts", import.meta.url))

const users = 32

/** A server on its core, stopped when the work with it is done. */
const withServer = async <A>(
  args: (port: number) => ReadonlyArray<string>,
  use: (server: ServerProcess) => Promise<A>
) => {
  const { onServerCore } = pinning()
  const server = await startServer((port) => onServerCore({ file: process.execPath, args: args(port) }), createRun)
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}

/** Runs each maker of load in every round, in an order that is fair over the rounds. */
const interleaved = async <Name extends string, A>(
  makers: Readonly<Record<Name, () => Promise<A>>>,
  rounds: number,
  log: (line: string) => void
): Promise<Readonly<Record<Name, ReadonlyArray<A>>>> => {
  const names = Object.keys(makers) as Array<Name>
  const found = Object.fromEntries(names.map((name) => [name, [] as Array<A>])) as Record<Name, Array<A>>
  for (let round = 1; round <= rounds; round++) {
    for (const number of orderOf(names.length, round - 1)) {
      const name = names[number]
      if (name !== undefined) found[name].push(await makers[name]())
    }
    log(`round ${round} of ${rounds}`)
  }
  return found
}

const ofRun = ({ cpu_s, metrics, peak_MB }: K6Run): GeneratorSample => {
  const requests = figure(metrics, "http_reqs", "count")
  // a wrong answer would be fast for the wrong reason
  if (requests === 0 || figure(metrics, "http_req_failed", "rate") > 0) throw new Error("k6 had bad answers")
  return { requests, perSecond: figure(metrics, "http_reqs", "rate"), cpu_us: (cpu_s * 1e6) / requests, peak_MB }
}

const seconds = (quick: boolean) => (quick ? 1 : 3)

/** Reads of one address by each k6 and by autocannon. */
const measureGenerators = (
  { log, quick, rounds = quick ? 3 : 20 }: Options,
  { folder, installed, k6, stock }: Record<"folder" | "installed" | "k6" | "stock", string>
) =>
  withServer(
    (port) => [join(installed, "node-http.mjs"), String(port), apiKey, "5"],
    async ({ firstAnswer, url }) => {
      const pinned = pinning()
      const path = `${createRun.path}/${(JSON.parse(firstAnswer) as { readonly id: string }).id}/status`
      const env = {
        BENCH_URL: `${url}${path}`,
        BENCH_KEY: apiKey,
        BENCH_USERS: String(users),
        BENCH_DURATION: `${seconds(quick)}s`
      }
      const read = (request: Pick<K6Request, "k6" | "flags">) => async () =>
        ofRun(await runK6({ ...request, script: readScript, env }, { folder, pinning: pinned }))
      const work = {
        url,
        apiKey,
        connections: users,
        duration_s: seconds(quick),
        work: { kind: "read", path }
      } as const
      const byAutocannon = async (): Promise<GeneratorSample> => {
        const { answers, cpu_s, duration_s, peak_MB } = await autocannon(installed, pinned)(work)
        return { requests: answers, perSecond: answers / duration_s, cpu_us: (cpu_s * 1e6) / answers, peak_MB }
      }
      const makers: Record<Generator, () => Promise<GeneratorSample>> = {
        stock: read({ k6: stock }),
        again: read({ k6: stock }),
        ours: read({ k6 }),
        csv: read({ k6, flags: ["--out", "csv=-"] }),
        autocannon: byAutocannon
      }
      return interleaved(makers, rounds, log)
    }
  )

const shares = [0, 0.01, 1] as const

/** Our load test against our server, with different shares of its starts decoded by the contract. */
const measureDecoding = async (
  { log, quick, rounds }: Options,
  { folder, k6 }: Record<"folder" | "k6", string>
): Promise<ReadonlyArray<Decoding>> => {
  const bundle = await bundleServer(join(folder, "server"))
  // bundled once: what is compared is what the script does
  const script = join(folder, "smoke.js")
  const { stdout } = await timed({ file: k6, args: ["x", "ts", loadScript] })
  writeFileSync(script, stdout)
  return withServer(
    (port) => [bundle.file, "--port", String(port), "--api-key", apiKey],
    async ({ url }) => {
      const pinned = pinning()
      const env = {
        WEBAGENT_BASE_URL: url,
        WEBAGENT_API_KEY: apiKey,
        // users are what takes memory, so there are always as many
        WEBAGENT_LOAD_VUS: "20",
        WEBAGENT_LOAD_DURATION: quick ? "3s" : "10s",
        WEBAGENT_LOAD_MIX: "runs=4,browsers=2,status=8,queue=1,v3=2,v2=1",
        WEBAGENT_LOAD_THRESHOLDS: "{}"
      }
      const makers = Object.fromEntries(
        shares.map((share) => [
          String(share),
          () => runK6({ k6, script, env: { ...env, WEBAGENT_LOAD_SAMPLE: String(share) } }, { folder, pinning: pinned })
        ])
      )
      const runs = await interleaved(makers, rounds ?? (quick ? 2 : 6), log)
      return shares.map((share) => ({
        share,
        runs: (runs[String(share)] ?? []).map(({ cpu_s, metrics, peak_MB }) => ({
          starts: figure(metrics, "iterations", "count"),
          decoded: figure(metrics, "answers_decoded", "count"),
          violations: figure(metrics, "contract_violations", "count"),
          users: figure(metrics, "vus_max", "max"),
          cpu_s,
          peak_MB
        }))
      }))
    }
  )
}

/** Our k6 beside k6 without our extension, and what decoding a share of the answers costs. */
export const load = (options: Options): Promise<K6Report> =>
  inFolder(async (folder) => {
    const installed = installPeers(options.log)
    const [k6, stock] = [ourK6(options.log), stockK6(options.log)]
    const generators = await measureGenerators(options, { folder, installed, k6, stock })
    return {
      pinning: pinning().text,
      versions: { k6: versionOf(k6), stock: versionOf(stock), autocannon: versionOfPeer(installed, "autocannon") },
      users,
      window_s: seconds(options.quick),
      generators,
      decoding: await measureDecoding(options, { folder, k6 })
    }
  })
