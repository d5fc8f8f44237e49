/** The bench `chaos`: its options as a chaos, and the outcome as tables. */
import { bundleServer, serverIn } from "../measure/Bundle.ts"
import { Mistake } from "../measure/Mistake.ts"
import {
  grouped,
  type Heading,
  headingLine,
  inFolder,
  none,
  type Options,
  paragraphs,
  table
} from "../measure/Report.ts"
import { versionsOf } from "../measure/Versions.ts"
import { type ChaosOptions, modes, type Outcome, run } from "./chaos.ts"

/** The result of the bench `chaos`. */
interface ChaosReport extends Heading {
  /** The commit of the version before. */
  readonly against: string | null
  readonly outcome: Outcome
}

const minutes = (text: string): number => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(s|m)$/u.exec(text) ?? []
  if (count === undefined) throw new Mistake("--duration takes a time such as 90s or 10m.")
  return Number(count) * (unit === "s" ? 1000 : 60_000)
}

const usualDuration = (mode: ChaosOptions["mode"], quick: boolean) => (quick ? "1m" : mode === "upgrade" ? "2m" : "10m")

/**
 * Ten minutes with 60 kills, 40 freezes, 12 drains and stops, 6 cuts, 3 restarts of Postgres and 3 stalls of it, unless
 * the options say otherwise.
 */
export const chaos = ({ against, chaos: asked, duration, log, quick, rounds }: Options): Promise<ChaosReport> =>
  inFolder(async (folder) => {
    const mode = modes.find((one) => one === (asked.mode ?? "chaos"))
    if (mode === undefined) throw new Mistake(`No mode is named "${asked.mode}". Use one of: ${modes.join(", ")}.`)
    if ((mode === "upgrade") !== (against !== undefined)) {
      throw new Mistake(
        "--mode upgrade needs --against with the commit of the version before, and no other mode has one."
      )
    }
    const { browsers = "simulated" } = asked
    if (browsers !== "simulated" && browsers !== "chromium") {
      throw new Mistake(`--browsers takes simulated or chromium, and not "${browsers}".`)
    }
    const [now, before] = await versionsOf("server", bundleServer, folder, { against, log })
    // another history each day
    const seed = asked.seed ?? Math.floor(Date.now() / 1000) % 1_000_000
    log(`${mode}, seed ${seed}`)
    const usual = quick
      ? { kills: 6, freezes: 4, restarts: 1, stalls: 1, drains: 2, cuts: 1 }
      : { kills: 60, freezes: 40, restarts: 3, stalls: 3, drains: 12, cuts: 6 }
    const outcome = await run({
      mode,
      seed,
      duration_ms: minutes(duration ?? usualDuration(mode, quick)),
      kills: mode === "rolling" ? (rounds ?? (quick ? 2 : 10)) : (asked.kills ?? usual.kills),
      freezes: asked.freezes ?? usual.freezes,
      restarts: asked.restarts ?? usual.restarts,
      stalls: asked.stalls ?? usual.stalls,
      drains: asked.drains ?? usual.drains,
      cuts: asked.cuts ?? usual.cuts,
      // more of them would make most browsers wait in vain for a real one
      clients: browsers === "chromium" ? 12 : 24,
      // the version before may lack some of it
      ...(mode === "chaos" || mode === "rolling" ? { uses: "everything", browsers } : {}),
      command: [process.execPath, serverIn(now.folder)],
      ...(before === undefined ? {} : { before: [process.execPath, serverIn(before.folder)] }),
      log
    })
    if (outcome.broken.length > 0) process.exitCode = 1
    return { outcome, against: before?.commit ?? null }
  })

const seconds = (all: ReadonlyArray<number>) => {
  if (all.length === 0) return none
  const at = (share: number) => ((all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0) / 1000).toFixed(1)
  return `${at(0.5)} s p50, ${at(1)} s max (${all.length} runs)`
}

const usedRows = ({
  closed,
  refused,
  strangers,
  unavailable,
  used
}: Outcome): ReadonlyArray<readonly [string, string]> =>
  used === null
    ? []
    : [
        ["questions to people", grouped(used.questions)],
        ["questions answered", grouped(used.answers)],
        ["files at the end", grouped(used.files)],
        ["browsers with a profile", grouped(used.profileBrowsers)],
        ["profiles deleted", grouped(used.profilesDeleted)],
        ...(used.kept === null
          ? []
          : ([
              ["visits that were signed in by their profile", grouped(used.kept.signedIn)],
              ["of these, signed in at another node", grouped(used.kept.elsewhere)],
              ["of these, after the end of the node that saved it", grouped(used.kept.afterLoss)]
            ] as const)),
        ["runs that waited for a browser", grouped(used.queued)],
        ["runs failed because no browser was free in time", grouped(used.unplaced)],
        ["creates of browsers that waited in vain", grouped(refused)],
        ["creates of browsers whose connection closed", grouped(closed)],
        ["of these, browsers that ran on because the response was on its way", grouped(used.unclaimed)],
        ["creates of browsers that got a 503", grouped(unavailable)],
        ["due times of schedules", grouped(used.scheduled)],
        ["webhook messages acknowledged", grouped(used.webhookMessages)],
        ["webhook requests", grouped(used.webhookRequests)],
        ["requests for records of another key", grouped(strangers)]
      ]

/** The figures of a report. */
export const markdown = (report: ChaosReport): string => {
  const { broken, ended, mode, seed, takeovers: times, takeoversInOutages, ...outcome } = report.outcome
  const versions = report.against === null ? "" : ` from ${report.against} to this version, back, and forward again`
  return paragraphs(
    headingLine(report, `three of our servers, bundled, on one Postgres 18; ${mode}${versions}, seed ${seed}`),
    table(
      ["what", "count"],
      [
        ["seconds", grouped(outcome.took_s)],
        ["kills", grouped(outcome.kills)],
        ["freezes of 7 to 11 s", grouped(outcome.freezes)],
        ["Postgres killed and started again", grouped(outcome.restarts)],
        ["Postgres frozen for 1 to 8 s", grouped(outcome.stalls)],
        ["nodes drained, or stopped and started again", grouped(outcome.drains)],
        ["all connections to Postgres cut", grouped(outcome.cuts)],
        ["rolling restarts of all three", grouped(outcome.rolled)],
        ["keys", grouped(outcome.keys)],
        ["runs", grouped(outcome.runs)],
        ...Object.entries(ended).map(([status, count]) => [`runs ${status}`, grouped(count)]),
        ["runs that ended with an untouched node", grouped(outcome.untouched)],
        ["runs deleted with their session", grouped(outcome.deleted)],
        ["browsers", grouped(outcome.browsers)],
        ["reads", grouped(outcome.reads)],
        ["walks over the list of runs, a page at each node", grouped(outcome.walks)],
        ...usedRows(report.outcome),
        ["takeover of what a lost node had", seconds(times)],
        ["the same while Postgres was away", seconds(takeoversInOutages)],
        ["**promises broken**", grouped(broken.length)]
      ]
    ),
    broken.length === 0
      ? ""
      : `Broken with seed ${seed}:\n\n${broken
          .slice(0, 20)
          .map((one) => `- ${one}`)
          .join("\n")}`
  )
}
