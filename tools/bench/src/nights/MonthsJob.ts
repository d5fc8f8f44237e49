import { nightlySetting } from "@webagent/nights/NightlySetting"
import { parentPort, workerData } from "node:worker_threads"
import type { Preset } from "./Disturbances.ts"
import { changed, type Found, quiet, type Quiet } from "./Months.ts"
import type { Change } from "./World.ts"

/** Months of the shipped setting in one world: quiet ones, or with a change that is planted. */
export interface MonthsJob {
  readonly preset: Preset
  readonly change: Change
  readonly months: number
  /** The number of the first of these months. */
  readonly from?: number
}

/** The months of a job: of its quiet ones, or of those with its change. */
export interface MonthsDone extends MonthsJob {
  readonly quiet?: Quiet
  readonly found?: Found
}

/** Draws and judges the months of a job. No rule was chosen with these seeds; they are the same for each rule, to compare rules. */
const work = ({ change, from = 0, months, preset }: MonthsJob): MonthsDone => {
  const options = { seed: 20_000_000 + from, scenarios: 100, trials: nightlySetting.trials, before: 60 }
  return {
    preset,
    change,
    months,
    ...(change === "none"
      ? { quiet: quiet(options, preset, "ours, --extra-trials", months) }
      : { found: changed(options, preset, "ours, --extra-trials", change, months) })
  }
}

parentPort?.postMessage(work(workerData as MonthsJob), [])
