import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { bundleServer } from "../measure/Bundle.ts"
import { grouped, type Heading, headingLine, inFolder, type Options, paragraphs, table } from "../measure/Report.ts"

const program = fileURLToPath(new URL("../../../../apps/server/test/kill-server.ts", import.meta.url))

/** Result of killing a server, as the server's tests report it. */
interface Outcome {
  readonly kills: number
  readonly acknowledged: Readonly<Record<"runs" | "sessions" | "messages" | "browsers" | "keys", number>>
  readonly lost: ReadonlyArray<string>
  readonly doubled: ReadonlyArray<string>
  readonly stuck: ReadonlyArray<string>
  readonly unexplained: ReadonlyArray<string>
  readonly ended: number
}

/** The result of the bench `kills`. */
interface KillsReport extends Heading {
  readonly seed: number
  readonly outcome: Outcome
}

const run = promisify(execFile)

/** Kills a server over a file, 200 times unless `rounds` says otherwise. */
export const kills = ({ log, quick, rounds }: Options): Promise<KillsReport> =>
  inFolder(async (folder) => {
    const file = await bundleServer(folder)
    const count = rounds ?? (quick ? 20 : 200)
    // another history each day
    const seed = Math.floor(Date.now() / 1000) % 1_000_000
    log(`${count} kills, seed ${seed}`)
    const args = [
      "--conditions=@webagent/source",
      program,
      "--kills",
      `${count}`,
      "--seed",
      `${seed}`,
      "--server",
      file
    ]
    const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 26 })
    return { seed, outcome: JSON.parse(stdout) as Outcome }
  })

const listed = (what: ReadonlyArray<string>) =>
  what.length === 0 ? "0" : `${grouped(what.length)}: ${what.slice(0, 5).join(", ")}`

/** The counts of a report. */
export const markdown = (report: KillsReport): string => {
  const { acknowledged, doubled, ended, kills: count, lost, stuck, unexplained } = report.outcome
  return paragraphs(
    headingLine(report, `our server bundled, --data FILE; seed ${report.seed}`),
    table(
      ["what", "count"],
      [
        ["kills, a fifth of them as the server starts", grouped(count)],
        ...Object.entries(acknowledged).map(([kind, number]) => [`${kind} acknowledged`, grouped(number)]),
        ["runs that a kill ended, each with that as its reason", grouped(ended)],
        ["**lost**", listed(lost)],
        ["**made, performed or ended twice**", listed(doubled)],
        ["**stuck**", listed(stuck)],
        ["**ended without a reason**", listed(unexplained)]
      ]
    )
  )
}
