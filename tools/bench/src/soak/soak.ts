import { bundleServer } from "../measure/Bundle.ts"
import { inspected } from "../measure/Inspector.ts"
import { Mistake } from "../measure/Mistake.ts"
import { type Heading, inFolder, type Options } from "../measure/Report.ts"
import { freePort, startOurs } from "../measure/ServerProcess.ts"
import { findings } from "./Findings.ts"
import { harness, readReport, type SoakResult, type SoakSeries } from "./HarnessProcess.ts"
import type { Moment, SoakReport } from "./SoakReport.ts"
import { whileUnder } from "./Weighing.ts"

/** The load that is sent to the server, and what it says in the end. */
export type Soak = (url: string) => Promise<{ readonly report: SoakResult; readonly series: SoakSeries }>

/** Intervals for measuring the server's memory. */
interface Weighing {
  readonly every_s: number
  /** Garbage is collected, and the heap measured, at every n-th measurement. */
  readonly collectEvery: number
}

const controlKey = "wck_bench"
const journalRows = 20_000

/** `harness load soak` from source, with its own mix and rate. */
const soakOf =
  (folder: string, { duration, log, quick }: Options): Soak =>
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
): Promise<Omit<SoakReport, keyof Heading>> => {
  const bundle = await bundleServer(folder)
  const [inspector, control] = [await freePort(), await freePort()]
  const controlled = ["--control", "--control-port", String(control), "--control-key", controlKey]
  const { heapAfterCollection_MB, inspect } = inspected(inspector)
  const server = await startOurs([bundle.file], ["--journal-size", String(journalRows), ...controlled], { inspect })
  try {
    const { load, moments } = await whileUnder(
      soak(server.url),
      server,
      every_s,
      async (weight, turn): Promise<Moment> =>
        turn % collectEvery === 0 ? { ...weight, heap_MB: await heapAfterCollection_MB() } : weight
    )
    return { journalRows, moments, ...load, findings: await findings(control, controlKey) }
  } finally {
    await server.stop()
  }
}

/** Twenty minutes of an ordinary load on our server: does it stay as fast and as small, and lose and leave nothing? */
export const soak = (options: Options): Promise<SoakReport> =>
  inFolder((folder) => measureSoak(folder, soakOf(folder, options), { every_s: 10, collectEvery: 3 }))
