import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Acknowledgements from "@webagent/nights/Acknowledgements"
import { judge, type Suspect, suspects } from "@webagent/nights/Judge"
import { learned } from "@webagent/nights/Learned"
import * as Night from "@webagent/nights/Night"
import * as NightFile from "@webagent/nights/NightFile"
import * as Onsets from "@webagent/nights/Onsets"
import { usage } from "@webagent/cli/UserError"
import * as Quarantine from "@webagent/nights/Quarantine"
import * as Release from "@webagent/nights/Release"
import type { RunReport } from "@webagent/report/RunReport"

/** Which files to read, and whether to add the run to the history. */
interface NightFiles {
  /** The file of the nights before. */
  readonly history: string | undefined
  readonly record: boolean
  /** The file of what is in quarantine; undefined for the standard one, if it is there. */
  readonly quarantine: string | undefined
}

/** Facts that are available before a run: earlier nights, and scenarios that are expected to fail. */
export interface NightHistory {
  /** The file of the nights; undefined where there is none. */
  readonly history: string | undefined
  readonly nights: ReadonlyArray<Night.Night>
  /** Returns the statistics of the nights on a target: `simulated`, or its address with or without /api/vN. */
  readonly learned: (target: string) => ReturnType<typeof learned>
  /** Which scenarios of a run are suspicious by its planned trials; none is without a history. */
  readonly suspects: (report: RunReport) => ReadonlyArray<Suspect>
  /** The report with what is in quarantine marked, judged by the nights before, and who may be let go. */
  readonly conclude: (report: RunReport) => RunReport
  /** Fails where the run could not be added to the history, before it costs a night. */
  readonly prepare: ReturnType<typeof NightFile.prepare>
  /**
   * Adds the run to the history where that is wanted, with the folder of its report; a shard is added when all are
   * together.
   */
  readonly record: (report: RunReport, directory: string | undefined) => ReturnType<typeof NightFile.append>
}

/** Reads the history and the quarantine that the flags name; what is wrong with either is a UserError before anything runs. */
export const open = Effect.fnUntraced(function* (
  { history, quarantine: file, record }: NightFiles,
  scenarios: ReadonlyArray<{ readonly suite: string; readonly name: string }>
) {
  const path = history ?? (record ? NightFile.standard : undefined)
  const past = path === undefined ? { nights: [], accepted: [], warnings: [] } : yield* NightFile.readRecent(path)
  for (const warning of past.warnings) yield* Console.error(warning)
  const quarantine = yield* Quarantine.read(file, DateTime.formatIso(yield* DateTime.now).slice(0, 10))
  const excess = Quarantine.tooMany(quarantine, scenarios)
  if (excess !== undefined) return yield* usage(excess)
  for (const stranger of Quarantine.strangers(quarantine, scenarios)) yield* Console.error(`${stranger}.`)

  // a night that is put together again may be among them, and others after it
  const before = (tonight: Night.Night) => past.nights.filter(({ startedAt }) => startedAt < tonight.startedAt)

  const tonightOf = (report: RunReport) => {
    const marked = Quarantine.mark(quarantine, report)
    const held = marked.results.filter(({ quarantine }) => quarantine?.expired === false)
    return { marked, tonight: Night.ofReport(marked), held }
  }

  const conclude = (report: RunReport): RunReport => {
    const { held, marked, tonight } = tonightOf(report)
    // a part is judged when the whole is put together
    const isShard = report.header.shard !== undefined
    const judgement = path === undefined || isShard ? undefined : judge(past, tonight, held)
    const proposals = isShard ? [] : Release.proposals(quarantine, [...before(tonight), tonight])
    const judged = {
      ...marked,
      ...(judgement === undefined ? {} : { judgement }),
      ...(proposals.length === 0 ? {} : { proposals })
    }
    return Acknowledgements.mark(Onsets.mark(judged, past.nights), past)
  }

  return {
    history: path,
    nights: past.nights,
    learned: (target) => learned(past.nights, target.replace(/(?:\/api\/v\d+)?\/*$/u, "")),
    suspects: (report) => {
      const { held, tonight } = tonightOf(report)
      return suspects(past, tonight, held)
    },
    conclude,
    prepare: record && path !== undefined ? NightFile.prepare(path) : Effect.void,
    record: (report, directory) =>
      record && path !== undefined && report.header.shard === undefined
        ? NightFile.append(path, Night.ofReport(report, directory && NightFile.pathFrom(path, directory)))
        : Effect.void
  } satisfies NightHistory
})
