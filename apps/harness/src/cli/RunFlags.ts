import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as Stdio from "effect/Stdio"
import type { Suite } from "@webagent/scenario"
import type { RunReport } from "@webagent/report/RunReport"
import type { UserError } from "@webagent/cli/UserError"
import type { Shard } from "../run/shards/Shards.ts"
import { type Config, isReporterPath, reporterNames } from "../config/Config.ts"
import { nightlySetting } from "@webagent/nights/NightlySetting"
import * as ReportUrl from "../config/ReportUrl.ts"
import { parseAmount, parseChannel } from "../config/Values.ts"
import type { ScenarioName } from "@webagent/report/Comparison"
import * as Flags from "./Flags.ts"

/** A shard as `--shard` takes it, such as `1/4`; nothing for any other text, or a part that there is not. */
const parseShard = (text: string): Option.Option<Shard> => {
  const [, index, of] = /^(\d+)\/(\d+)$/u.exec(text.trim()) ?? []
  const shard = { index: Number(index), of: Number(of) }
  return shard.index >= 1 && shard.index <= shard.of ? Option.some(shard) : Option.none()
}

/** Names of built-in reporters, and paths of modules. */
const parseReporters = (text: string): Option.Option<ReadonlyArray<string>> => {
  const names = text.split(",").map((name) => name.trim())
  const isReporter = (name: string) => isReporterPath(name) || reporterNames.some((known) => known === name)
  return names.every(isReporter) ? Option.some(names) : Option.none()
}

/** USD, as an exact decimal. */
const amount = (name: string, description: string) =>
  Flags.optional(
    Flag.String(name).pipe(Flag.filterMap(parseAmount, () => "an amount in USD such as 5 or 0.50")),
    description
  )

/** `--reporter`. */
export const reporters = Flag.String("reporter").pipe(
  Flag.filterMap(
    parseReporters,
    () => `some of ${reporterNames.join(", ")}, with commas, or the path of a module such as ./reporter.ts`
  ),
  Flag.withDescription(
    `Use only these reporters: names, with commas, or the path of a module; may be repeated (default: ${reporterNames.join(",")})`
  ),
  Flag.atLeast(0),
  Flag.map((lists): ReadonlyArray<string> => (lists.length === 0 ? reporterNames : [...new Set(lists.flat())]))
)

/** By which nights a run is judged, and what of it is known to fail. */
export const nightFlags = {
  history: Flags.text(
    "history",
    "Compare with the nights in this file (default: none; with --record .webagent/history.ndjson)"
  ),
  record: Flags.switched("record", "Add this run to the history"),
  notify: Flag.String("notify").pipe(
    Flag.filterMap(parseChannel, () => "webhook=URL, slack=VARIABLE (which has the URL) or command=TEXT"),
    Flag.withDescription(
      "With --record: notify when a night fails or passes again, through webhook=URL, slack=VARIABLE or command=TEXT"
    ),
    Flag.atLeast(0)
  ),
  reportUrl: Flags.optional(
    Flag.String("report-url").pipe(Flag.filter(ReportUrl.isTemplate, () => ReportUrl.expected)),
    "Link notifications to reports here, such as https://host/{run}/report.html (default: none)"
  ),
  remindDays: Flags.count("remind-days", 0, "Notify again of a problem after this many days, 0 for never (default: 7)"),
  quarantine: Flags.text("quarantine", "Read known failures from this file (default: webagent.quarantine.json)")
}

/** Limits of a whole night, for where its shards are put together. */
export const nightLimits = {
  maxTime: Flags.duration("max-time", "Fail if a shard took longer (default: no limit)"),
  maxCost: amount("max-cost", "Fail if all shards cost more USD (default: the sum of their limits)"),
  maxRequests: Flags.count("max-requests", 1, "Fail if all shards sent more requests (default: no limit)")
}

/** Which suites. */
export const suites = Argument.String("suite").pipe(
  Argument.withDescription("Suite files, file patterns, and names of built-in suites (default: **/*.suite.ts)"),
  Argument.variadic()
)

/** Flags of `run` and `plan`: which scenarios run, where, how often, and within which limits. */
export const flags = {
  suites,
  target: Flags.target("a service in this process").pipe(Flag.withAlias("u")),
  config: Flags.config,
  builtIn: Flags.builtIn,
  allowOnly: Flags.switched("allow-only", "Accept only: true of a scenario in CI (default: refuse)"),
  suite: Flags.texts("suite", "Run this suite, as if named without a flag; may be repeated"),
  tag: Flags.texts("tag", "Run only scenarios with this tag; may be repeated (default: all)"),
  owner: Flags.texts("owner", "Run only scenarios with this owner; may be repeated (default: all)"),
  name: Flags.text("name", "Run only scenarios whose name contains this text (default: all)").pipe(Flag.withAlias("g")),
  trials: Flags.count(
    "trials",
    1,
    `Repeat each scenario this often (default: as declared; with --record, ${nightlySetting.trials} for free scenarios that declare none)`
  ),
  trial: Flags.count("trial", 1, "Run only the trial with this number, from 1 (default: all)"),
  concurrency: Flags.count("concurrency", 1, "Run this many trials at a time (default: 8; with --debug 1)").pipe(
    Flag.withAlias("j")
  ),
  timeout: Flags.duration("timeout", "Limit the time of a trial (default: 30s simulated, else 10m)"),
  maxTime: Flags.duration("max-time", "Stop everything after this time (default: no limit)"),
  maxOutage: Flags.duration(
    "max-outage",
    "Wait this long for a service that stopped responding, then skip the other trials (default: 30m)"
  ),
  maxScenarioTime: Flags.duration(
    "max-scenario-time",
    "Limit the time of all trials of one scenario (default: no limit)"
  ),
  maxCost: amount("max-cost", "Start nothing that may exceed this cost in USD (default: no limit)"),
  trialBudget: amount("trial-budget", "Limit the USD of a trial without a declared budget (default: none)"),
  maxRequests: Flags.count("max-requests", 1, "Start nothing new after this many requests (default: no limit)"),
  reruns: Flags.count(
    "reruns",
    0,
    "Limit the retries for infrastructure errors to this total (default: a tenth of the trials, at least 3)"
  ),
  lastFailed: Flags.switched(
    "last-failed",
    "Run only scenarios that failed in the newest report, or that an outage skipped"
  ),
  bail: Flags.count(
    "bail",
    1,
    "Start nothing new after this many failed scenarios, 1 without a number (default: no limit)"
  ).pipe(Flag.withAlias("x")),
  extraTrials: Flags.count(
    "extra-trials",
    0,
    `Run up to this many extra trials of scenarios that look worse than before (default: 0; with --record ${nightlySetting.confirm})`
  ),
  seed: Flags.integer("seed", 0).pipe(
    Flag.withDescription("Draw random inputs from this seed (default: 1)"),
    Flag.withDefault(1)
  ),
  reportDir: Flags.reportDir("the reports"),
  reporters,
  apiKeyEnv: Flags.apiKeyEnv,
  apiKeyHeader: Flags.apiKeyHeader,
  control: Flags.text(
    "control",
    "Read a simulated server through its control API; key in WEBAGENT_CONTROL_KEY (default: none)"
  ),
  v2SessionId: Flags.text("v2-session-id", "Let v2 scenarios read this session (default: none)"),
  serviceVersion: Flags.text(
    "service-version",
    "Record this version of the service (default: the one in /health or X-Service-Version)"
  ),
  debug: Flags.switched("debug", "Print each request on standard error, without the key"),
  shard: Flags.optional(
    Flag.String("shard").pipe(Flag.filterMap(parseShard, () => "a part such as 1/4")),
    "Run only one part, such as 1/4; limits then apply to this part (default: all)"
  ),
  ...nightFlags,
  allowPaid: Flags.switched("allow-paid", "Run scenarios that cost money on a service that is not simulated")
}

/** The parsed values of the flags. */
export type ParsedFlags = Command.Command.Config.Infer<typeof flags>

/**
 * Repetition of scenarios: a whole night that is recorded uses the setting of the configuration, or the measured one, for each
 * flag that is not set.
 */
const repetitionOf = (
  { extraTrials, record, trial, trials }: Pick<ParsedFlags, "extraTrials" | "record" | "trial" | "trials">,
  nightly: Config["nightly"]
) => {
  const isNight = record && trial === undefined
  const more = extraTrials ?? (isNight ? (nightly?.extraTrials ?? nightlySetting.confirm) : 0)
  return {
    trials: trials ?? (isNight ? (nightly?.trials ?? nightlySetting.trials) : undefined),
    /**
     * True if scenarios that declare their trials, or cost money, keep their own number because no flag overrides it.
     */
    keepsDeclaredTrials: isNight && trials === undefined,
    confirm: more === 0 ? undefined : more
  }
}

/** The options that the flags say. `nightly` is the configuration's setting of recorded nights. */
export const optionsOf = (
  { owner: owners, suite, suites, tag: tags, ...flags }: ParsedFlags,
  nightly?: Config["nightly"]
) => ({
  ...flags,
  ...repetitionOf(flags, nightly),
  /** The flags themselves, and the setting of nights: a page may record some of the runs that it starts. */
  repetition: { extraTrials: flags.extraTrials, trials: flags.trials, nightly },
  suites: [...suites, ...suite],
  tags,
  owners,
  // what happens at the same time cannot be told apart
  concurrency: flags.concurrency ?? (flags.debug ? 1 : 8)
})

/** A run of `eval`, which brings its suites. */
export interface Evaluation {
  /** The suites, with the words that name them on the command line of `eval`. */
  readonly suites: ReadonlyArray<{ readonly suite: Suite.Suite; readonly argument: string }>
  /** The flags of a command that repeats one of its trials. */
  readonly flags: ReadonlyArray<string>
  /** The name of the service in reports, where its address differs between runs: nights of one target are compared. */
  readonly target: { readonly name: string; readonly address: string } | undefined
  /** The key of the service; by default it's read from the environment. */
  readonly apiKey: Redacted.Redacted | undefined
  /** Receives the report and its folder; returns whether the command fails. */
  readonly hasFailed: (
    report: RunReport,
    directory: string | undefined
  ) => Effect.Effect<boolean, UserError, FileSystem.FileSystem | Stdio.Stdio>
}

/** The options of `run`, from its flags and arguments. */
export type RunOptions = ReturnType<typeof optionsOf> & {
  /** Only these scenarios: a page names each, and a command line can't. */
  readonly scenarios?: ReadonlyArray<ScenarioName>
  /** The suites and the verdict of an evaluation. */
  readonly evaluation?: Evaluation
}

/** The options of a run that a page starts. One that it records is a night, as with `run --record`. */
export const startedAs = (
  options: RunOptions,
  {
    record = false,
    trial,
    trials
  }: {
    readonly record: boolean | undefined
    readonly trial: number | undefined
    readonly trials: number | undefined
  }
): RunOptions => {
  const { repetition } = options
  const asked = { extraTrials: repetition.extraTrials, record, trial, trials: trials ?? repetition.trials }
  return { ...options, record, trial, ...repetitionOf(asked, repetition.nightly) }
}
