import * as Wilson from "@webagent/statistics/Wilson"
import type { PassRate } from "./RunReport.ts"
import { isScored, type Trial } from "./Trial.ts"

/** The pass rate of a scenario; nothing where it has one trial only, or none that is scored. */
export const of = (trials: ReadonlyArray<Trial>): PassRate | undefined => {
  const scored = trials.filter(isScored).length
  if (trials.length < 2 || scored === 0) return undefined
  const passed = trials.filter(({ verdict }) => verdict === "passed").length
  return { passed, scored, rate: passed / scored, ...Wilson.interval(passed, scored) }
}
