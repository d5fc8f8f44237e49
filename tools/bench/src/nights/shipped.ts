import { nightlySetting } from "@webagent/nights/NightlySetting"
import * as Wilson from "@webagent/statistics/Wilson"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { type Heading, inFolder, type Options, paragraphs, table } from "../measure/Report.ts"
import type { MonthsDone, MonthsJob } from "./MonthsJob.ts"
import { alarmed, disturbed, monthly, titles } from "./NightsReport.ts"

/** Results of the setting that `init` and `run --record` use. */
export interface ShippedReport extends Heading {
  readonly done: ReadonlyArray<MonthsDone>
}

// the longest first, so that both cores end together
const jobs: ReadonlyArray<MonthsJob> = [
  { preset: "realistic", change: "none", months: 45 },
  { preset: "realistic", change: "none", months: 45, from: 45 },
  { preset: "calm", change: "none", months: 30 },
  { preset: "realistic", change: "one +20 % time", months: 20 },
  { preset: "realistic", change: "+10 % time", months: 20 },
  { preset: "realistic", change: "steady +10 % time", months: 20 },
  { preset: "realistic", change: "95 to 50 %", months: 120 },
  { preset: "realistic", change: "95 to 50 % after ten slow", months: 30 },
  { preset: "realistic", change: "95 to 50 % and ten slow", months: 30 },
  { preset: "realistic", change: "one +50 % time", months: 60 },
  { preset: "realistic", change: "100 to 80 %", months: 60 },
  { preset: "realistic", change: "+20 % time", months: 40 },
  { preset: "realistic", change: "five share a cause", months: 30 },
  { preset: "realistic", change: "-10 points", months: 30 },
  { preset: "realistic", change: "+15 % cost", months: 20 },
  { preset: "calm", change: "95 to 50 %", months: 120 },
  { preset: "calm", change: "100 to 80 %", months: 30 },
  { preset: "calm", change: "one +50 % time", months: 30 }
]

const inWorker = (workerData: MonthsJob) =>
  new Promise<MonthsDone>((resolve, reject) => {
    new Worker(new URL("MonthsJob.ts", import.meta.url), { workerData }).once("message", resolve).once("error", reject)
  })

/** Months of the shipped setting, on as many cores as there are; `rounds` is the number of each kind. */
export const shipped = ({ log, quick, rounds }: Options): Promise<ShippedReport> =>
  inFolder(async () => {
    const most = rounds ?? (quick ? 2 : Infinity)
    const waiting = jobs.map((job) => ({ ...job, months: Math.min(most, job.months) }))
    const done: Array<MonthsDone> = []
    const next = async (): Promise<void> => {
      const job = waiting.shift()
      if (job === undefined) return
      done.push(await inWorker(job))
      log(`${job.preset}: ${job.change}, ${job.months} months`)
      return next()
    }
    await Promise.all(Array.from({ length: availableParallelism() }, next))
    return { done }
  })

const share = (found: number, of: number): string => {
  const { high, low } = Wilson.interval(found, of)
  const percent = (value: number) => Math.round(100 * value)
  return `${percent(found / of)} % (${percent(low)} to ${percent(high)})`
}

const worlds = ["calm", "realistic"] as const

/** The tables of the shipped setting, with 95 % intervals. */
export const markdown = ({ date, done }: ShippedReport): string => {
  const quietRows = worlds.flatMap((world) => {
    const all = done.flatMap(({ preset, quiet }) => (preset === world && quiet !== undefined ? [quiet] : []))
    if (all.length === 0) return []
    const quiet = {
      nights: all.reduce((sum, { nights }) => sum + nights, 0),
      confirmTrials: all.reduce((sum, { confirmTrials }) => sum + confirmTrials, 0),
      red: all.flatMap(({ red }) => red),
      warnings: all.flatMap(({ warnings }) => warnings),
      disturbances: all.flatMap(({ disturbances }) => disturbances),
      falseAlarms: all.flatMap(({ falseAlarms }) => falseAlarms)
    }
    return [
      [
        world,
        String(quiet.red.length),
        monthly(quiet.red),
        disturbed(quiet),
        alarmed(quiet),
        monthly(quiet.warnings),
        (quiet.confirmTrials / quiet.nights).toFixed(0)
      ]
    ]
  })
  const found = done.flatMap(({ change, found, preset }) =>
    found === undefined || change === "none"
      ? []
      : [
          [
            preset,
            titles[change],
            String(found.nights.length),
            ...[1, 3, 10].map((most) =>
              share(found.nights.filter((night) => night !== null && night <= most).length, found.nights.length)
            )
          ]
        ]
  )
  return paragraphs(
    `${date}: what \`init\` writes, ${nightlySetting.trials} trials and at most ${nightlySetting.confirm} extra trials of 100 scenarios, four at a time; 60 nights of history before each month; 95 % intervals. Seeds from 20,000,000 on without a change, and from 20,010,000 on with one: no rule was chosen with them.`,
    table(
      [
        "world",
        "months",
        "failed nights in 30",
        "caused by a real disturbance",
        "false alarms",
        "nights with warnings only",
        "extra trials per night"
      ],
      quietRows
    ),
    table(["world", "change", "months", "first night", "within 3", "within 10"], found)
  )
}
