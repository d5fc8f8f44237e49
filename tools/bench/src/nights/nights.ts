import { nightlySetting } from "@webagent/nights/NightlySetting"
import { inFolder, type Options } from "../measure/Report.ts"
import { changed, gateNames, type GateName, type MonthsOptions, quiet } from "./Months.ts"
import type { NightsReport } from "./NightsReport.ts"
import type { Preset } from "./Disturbances.ts"
import { changes } from "./World.ts"

const worlds: ReadonlyArray<Preset> = ["calm", "realistic", "harsh"]
// other gates are told apart by a few months, and each month of change points is slow
const isOurs = (gate: GateName) => gate.startsWith("ours")

/** Months of nights in virtual time, most of them with a change: how soon it is found, and how often in vain. */
export const nights = ({ log, quick, rounds }: Options): Promise<NightsReport> =>
  inFolder(async () => {
    const months = rounds ?? (quick ? 2 : 20)
    const options: MonthsOptions = { seed: 1, scenarios: 100, trials: nightlySetting.trials, before: 60 }
    const report = worlds.map((preset) => ({
      preset,
      gates: gateNames.map((gate) => {
        const few = isOurs(gate) ? months : Math.ceil(months / 4)
        const calm = quiet(options, preset, gate, 2 * few)
        log(`${preset}: ${gate}, ${2 * few} months without a change`)
        const kinds = changes.filter((change) => change !== "none")
        const detections = kinds.map((change) => changed(options, preset, gate, change, few))
        log(`${preset}: ${gate}, ${few} months of each change`)
        return { gate, quiet: calm, found: detections }
      })
    }))
    return { options, worlds: report }
  })
