import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Pinning } from "../measure/Pinning.ts"
import { timed } from "../measure/TimedProcess.ts"

/** The metrics of a run of k6, as its scripts sum them up. */
export type Metrics = Readonly<Record<string, { readonly values: Readonly<Record<string, number | null>> } | undefined>>

/** One run of k6. */
export interface K6Run {
  readonly exitCode: number | null
  readonly cpu_s: number
  readonly peak_MB: number
  readonly metrics: Metrics
}

/** A figure of a metric; 0 when it was never counted. */
export const figure = (metrics: Metrics, metric: string, name: string): number => metrics[metric]?.values[name] ?? 0

const quiet = { K6_NO_USAGE_REPORT: "true", K6_AUTO_EXTENSION_RESOLUTION: "false" }

/** What to run. */
export interface K6Request {
  readonly k6: string
  readonly script: string
  readonly flags?: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/** Runs k6 on the core for load, one run at a time in a folder. An exit code of 99, a crossed threshold, is a result. */
export const runK6 = async (
  { env, flags = [], k6, script }: K6Request,
  { folder, pinning }: { readonly folder: string; readonly pinning: Pinning }
): Promise<K6Run> => {
  const summary = join(folder, "summary.json")
  rmSync(summary, { force: true })
  const command = pinning.onLoadCore({ file: k6, args: ["run", "--quiet", ...flags, script] })
  const { cpu_s, exitCode, peak_MB, stderr } = await timed(
    command,
    { ...quiet, ...env, WEBAGENT_LOAD_SUMMARY: summary },
    false
  )
  if (exitCode !== 0 && exitCode !== 99) throw new Error(`k6 ended with ${exitCode}: ${stderr.trim().slice(-2000)}`)
  const { metrics } = JSON.parse(readFileSync(summary, "utf8")) as { readonly metrics: Metrics }
  return { exitCode, cpu_s, peak_MB, metrics }
}
