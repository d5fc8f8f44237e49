import { help } from "../Help.ts"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import { version } from "../Program.ts"
import { flags, nightFlags, nightLimits, optionsOf, reporters } from "../RunFlags.ts"
import { configured } from "../Configured.ts"

/** `merge`: shards of a run as one report. What it runs with is loaded when it runs. */
export const merge = configured(
  "merge",
  {
    directories: Argument.String("folder").pipe(
      Argument.withDescription("The report folder of each shard"),
      Argument.variadic({ min: 1 })
    ),
    allowMissing: Flags.switched("allow-missing", "Merge the existing shards; scenarios of missing ones are skipped"),
    reportDir: Flags.reportDir("the merged reports"),
    reporters,
    ...nightLimits,
    ...nightFlags,
    config: Flags.config
  },
  ({
    allowMissing,
    directories,
    history,
    maxCost,
    maxRequests,
    maxTime,
    notify,
    quarantine,
    record,
    remindDays,
    reportDir,
    reporters,
    reportUrl
  }) =>
    Effect.gen(function* () {
      const { mergeShards, read } = yield* Effect.promise(() => import("./mergeShards.ts"))
      const reports = yield* Effect.forEach(directories, (directory) => read(directory, allowMissing))
      const shards = reports.filter((shard) => shard !== undefined)
      // how a scenario is run again is as the shards themselves were called
      const again = Command.make("run", flags, (parsed) => {
        const was = optionsOf(parsed)
        return mergeShards({
          shards,
          allowMissing,
          limits: {
            ...(maxTime === undefined ? {} : { time_ms: Duration.toMillis(maxTime) }),
            ...(maxCost === undefined ? {} : { cost_usd: maxCost }),
            ...(maxRequests === undefined ? {} : { requests: maxRequests })
          },
          options: {
            ...was,
            reporters,
            reportDir,
            history: history ?? was.history,
            quarantine: quarantine ?? was.quarantine,
            notify: notify.length > 0 ? notify : was.notify,
            reportUrl: reportUrl ?? was.reportUrl,
            remindDays: remindDays ?? was.remindDays,
            record: record || was.record
          }
        })
      })
      yield* Command.runWith(again, { version })(shards[0]?.report.header.args ?? [])
    })
).pipe(
  help("Merge shard reports", {
    does: "Merge shard reports into one run",
    exits: {
      0: "all scenarios passed",
      1: "a failure, a leak or a regression",
      2: "wrong usage, or a shard is missing"
    },
    more: [
      "Takes history and quarantine from the shards unless you name others",
      "Limits apply to the sum of all shards"
    ],
    examples: { "merge shards/* --report-dir report": "All shards in a folder" }
  })
)
