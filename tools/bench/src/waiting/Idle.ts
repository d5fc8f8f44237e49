/** CPU time of a server with 100 profiles and no work. */
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pools } from "../browsers/Devtools.ts"
import { until } from "../browsers/Served.ts"
import { ask } from "../measure/Ask.ts"
import { installServer } from "../measure/Bundle.ts"
import { cpuOfAll_s } from "../measure/Processes.ts"
import { type Heading, headingLine, inFolder, type Options, paragraphs, plain, table } from "../measure/Report.ts"
import { readHealth, startOurs } from "../measure/ServerProcess.ts"

/** The CPU time of one kind of server. */
export interface Idle {
  readonly name: string
  /** Milliseconds of CPU per second: of the server's process, and of its browsers. */
  readonly server: number
  readonly browsers: number
}

/** The result of the bench `idle`. */
export interface IdleReport extends Heading {
  readonly profiles: number
  readonly seconds: number
  readonly idle: ReadonlyArray<Idle>
}

const profiles = 100

const kinds = [
  { name: "simulated browsers", flags: ["--browsers", "simulated"] },
  { name: "Chromium", flags: ["--browsers", "chromium", "--min-isolation", "none"] }
] as const

/** Watches servers that get no requests, over a file each. */
export const idle = ({ log, quick }: Options): Promise<IdleReport> =>
  inFolder(async (folder) => {
    chmodSync(folder, 0o711)
    process.env["TMPDIR"] = folder
    const seconds = quick ? 20 : 120
    const program = await installServer(join(folder, "server"))
    const measured: Array<Idle> = []
    for (const [index, { flags, name }] of kinds.entries()) {
      const data = ["--data", join(folder, `${index}.db`)]
      const server = await startOurs([program, "serve"], [...data, ...flags], { probe: readHealth })
      try {
        for (let made = 0; made < profiles; made++) {
          await ask(`${server.url}/api/v4/profiles`, "POST", JSON.stringify({ name: `profile ${made}` }))
        }
        // browsers that wait have started
        await sleep(quick ? 5000 : 30_000)
        const before = { server: server.cpu_s(), all: cpuOfAll_s(server.pid), at: performance.now() }
        await sleep(seconds * 1000)
        const passed_s = (performance.now() - before.at) / 1000
        const own = ((server.cpu_s() - before.server) * 1000) / passed_s
        const all = ((cpuOfAll_s(server.pid) - before.all) * 1000) / passed_s
        measured.push({ name, server: own, browsers: Math.max(0, all - own) })
        log(`${name}: ${plain(own)} ms per second`)
      } finally {
        await server.stop()
        await until(() => pools(folder).length === 0)
      }
    }
    return { profiles, seconds, idle: measured }
  })

/** The table of a report. */
export const markdown = (report: IdleReport): string =>
  paragraphs(
    headingLine(report, `one server, bundled, over a file with ${report.profiles} profiles, ${report.seconds} s each`),
    table(
      ["CPU in ms per second", "server", "its browsers"],
      report.idle.map(({ browsers, name, server }) => [name, plain(server), plain(browsers)])
    )
  )
