import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Flags from "./Flags.ts"
import { type ReporterName, reporterNames, type RunOptions } from "./RunOptions.ts"
import { parseAmount, parseDuration, parseShard } from "./Parsers.ts"

const parseReporters = (text: string): Option.Option<ReadonlyArray<ReporterName>> => {
  const names = text.split(",").map((name) => name.trim())
  const known = reporterNames.filter((name) => names.includes(name))
  return known.length === new Set(names).size ? Option.some(known) : Option.none()
}

/** A flag that need not be there: then it is undefined. */
const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.optional, Flag.map(Option.getOrUndefined))

const several = (name: string) => Flag.String(name).pipe(Flag.atLeast(0))

const time = (name: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(parseDuration, (text) => `Expected: a time such as 500ms, 30s or 5m, got "${text}"`)
  )

const amount = (name: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(parseAmount, (text) => `Expected: an amount in USD such as 5 or 0.50, got "${text}"`)
  )

/** `--reporter`. */
export const reporters = Flag.String("reporter").pipe(
  Flag.filterMap(parseReporters, (text) => `Expected: some of ${reporterNames.join(", ")}, with commas, got "${text}"`),
  Flag.withDescription(`Write only these reports, with commas (default: ${reporterNames.join(",")})`),
  Flag.withDefault(reporterNames)
)

/** By which nights a run is judged, and what of it is known to fail. */
export const nightFlags = {
  history: Flag.String("history").pipe(
    Flag.withDescription(
      "Compare with the nights in this file (default: none; with --record .webagent/history.ndjson)"
    ),
    optional
  ),
  record: Flag.Boolean("record").pipe(Flag.withDescription("Add this run to the history"), Flag.withDefault(false)),
  quarantine: Flag.String("quarantine").pipe(
    Flag.withDescription("Read known failures from this file (default: webagent.quarantine.json)"),
    optional
  )
}

/** Limits of a whole night, for where its shards are put together. */
export const nightLimits = {
  maxTime: time("max-time").pipe(Flag.withDescription("Fail if a shard took longer (default: no limit)"), optional),
  maxCost: amount("max-cost").pipe(
    Flag.withDescription("Fail if all shards cost more USD (default: the sum of their limits)"),
    optional
  ),
  maxRequests: Flags.integer("max-requests", 1).pipe(
    Flag.withDescription("Fail if all shards sent more requests (default: no limit)"),
    optional
  )
}

/** What `run` and `plan` are told: which scenarios, where, how often, and within which limits. */
export const flags = {
  suites: Argument.String("suite").pipe(
    Argument.withDescription("Names of built-in suites, and files *.suite.ts (default: every built-in suite)"),
    Argument.variadic()
  ),
  target: Flags.target("a service in this process"),
  suite: several("suite").pipe(Flag.withDescription("Run this suite, as if named without a flag; may be repeated")),
  tag: several("tag").pipe(Flag.withDescription("Run only scenarios with this tag; may be repeated (default: all)")),
  name: Flag.String("name").pipe(
    Flag.withDescription("Run only scenarios whose name contains this text (default: all)"),
    optional
  ),
  trials: Flags.integer("trials", 1).pipe(
    Flag.withDescription("Repeat each scenario this often (default: as it declares)"),
    optional
  ),
  trial: Flags.integer("trial", 1).pipe(
    Flag.withDescription("Run only the trial with this number, from 1 (default: all)"),
    optional
  ),
  concurrency: Flags.integer("concurrency", 1).pipe(
    Flag.withDescription("Run this many trials at a time (default: 8; with --debug 1)"),
    optional
  ),
  timeout: time("timeout").pipe(
    Flag.withDescription("Limit the time of a trial (default: 30s simulated, else 10m)"),
    optional
  ),
  maxTime: time("max-time").pipe(Flag.withDescription("Stop everything after this time (default: no limit)"), optional),
  maxScenarioTime: time("max-scenario-time").pipe(
    Flag.withDescription("Limit the time of all trials of one scenario (default: no limit)"),
    optional
  ),
  maxCost: amount("max-cost").pipe(
    Flag.withDescription("Start nothing that may exceed this cost in USD (default: no limit)"),
    optional
  ),
  trialBudget: amount("trial-budget").pipe(
    Flag.withDescription("Limit the USD of a trial without a declared budget (default: none)"),
    optional
  ),
  maxRequests: Flags.integer("max-requests", 1).pipe(
    Flag.withDescription("Start nothing new after this many requests (default: no limit)"),
    optional
  ),
  reruns: Flags.integer("reruns", 0).pipe(
    Flag.withDescription("Total retries for infrastructure errors (default: a tenth of the trials, at least 3)"),
    optional
  ),
  seed: Flags.integer("seed", 0).pipe(
    Flag.withDescription("Draw random inputs from this seed (default: 1)"),
    Flag.withDefault(1)
  ),
  reportDir: Flags.reportDir("the reports"),
  reporters,
  apiKeyEnv: Flags.apiKeyEnv,
  control: Flag.String("control").pipe(
    Flag.withDescription(
      "Read a simulated server through its control API; key in WEBAGENT_CONTROL_KEY (default: none)"
    ),
    optional
  ),
  v2SessionId: Flag.String("v2-session-id").pipe(
    Flag.withDescription("Let v2 scenarios read this session (default: none)"),
    optional
  ),
  debug: Flag.Boolean("debug").pipe(
    Flag.withDescription("Print each request on standard error, without the key"),
    Flag.withDefault(false)
  ),
  shard: Flag.String("shard").pipe(
    Flag.filterMap(parseShard, (text) => `Expected: which part of how many, such as 1/4, got "${text}"`),
    Flag.withDescription("Run only one part, such as 1/4; limits then apply to this part (default: all)"),
    optional
  ),
  ...nightFlags,
  allowPaid: Flag.Boolean("allow-paid").pipe(
    Flag.withDescription("Run scenarios that cost money on a service that is not simulated"),
    Flag.withDefault(false)
  )
}

/** What the flags were given. */
export type ParsedFlags = {
  readonly [Name in keyof typeof flags]: (typeof flags)[Name] extends
    | Flag.Flag<infer Value>
    | Argument.Argument<infer Value>
    ? Value
    : never
}

/** The options that the flags say. */
export const optionsOf = ({ suite, suites, tag: tags, ...flags }: ParsedFlags): RunOptions => ({
  ...flags,
  suites: [...suites, ...suite],
  tags,
  reportDir: Option.getOrUndefined(flags.reportDir),
  // what happens at the same time cannot be told apart
  concurrency: flags.concurrency ?? (flags.debug ? 1 : 8)
})
