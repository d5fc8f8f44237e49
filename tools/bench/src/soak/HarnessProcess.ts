import type { LoadReport } from "@webagent/load/LoadReport"
import type { TimeSeries } from "@webagent/load/TimeSeries"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { apiKey } from "../measure/ServerProcess.ts"

const main = fileURLToPath(new URL("../../../../apps/harness/src/main.ts", import.meta.url))

/** Exit of the harness. */
interface HarnessEnd {
  readonly exitCode: number | null
  /** All that it printed. */
  readonly text: string
}

/** Runs the harness from source to its end, as a process of its own; its lines are also logged as they come. */
export const harness = (args: ReadonlyArray<string>, log: (line: string) => void = () => {}): Promise<HarnessEnd> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--conditions=@webagent/source", main, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, WEBAGENT_API_KEY: apiKey, NO_COLOR: "1" }
    })
    let text = ""
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        for (const line of chunk.split("\n")) if (line.trim() !== "") log(line)
      })
    }
    // asked: it has a k6 of its own to end
    const stop = () => child.kill("SIGTERM")
    process.once("exit", stop)
    child.once("error", reject)
    child.once("close", (exitCode) => {
      process.off("exit", stop)
      resolve({ exitCode, text })
    })
  })

/** Output of the harness for a load test, limited to the fields that are read here. */
export type SoakResult = Pick<LoadReport, "rate" | "duration_ms" | "verdict" | "measurements" | "metrics">

/** The same over time. */
export type SoakSeries = Pick<TimeSeries, "step_ms" | "operations" | "time_to_terminal">

const read = <A>(file: string): A => JSON.parse(readFileSync(file, "utf8")) as A

/** The reports of a load test in a folder. */
export const readReport = (
  folder: string,
  test: string
): { readonly report: SoakResult; readonly series: SoakSeries } => ({
  report: read(join(folder, `load-${test}.json`)),
  series: read(join(folder, `load-${test}.series.json`))
})
