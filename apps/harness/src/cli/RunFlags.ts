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
  Flag.withDescription(`Which reports to make; default: ${reporterNames.join(",")}`),
  Flag.withDefault(reporterNames)
)

/** By which nights a run is judged, and what of it is known to fail. */
export const nightFlags = {
  history: Flag.String("history").pipe(
    Flag.withDescription(
      "The file of the nights before, by which this run is judged; default: none, with --record .webagent/history.ndjson"
    ),
    optional
  ),
  record: Flag.Boolean("record").pipe(
    Flag.withDescription("Add this run to the history; default: no"),
    Flag.withDefault(false)
  ),
  quarantine: Flag.String("quarantine").pipe(
    Flag.withDescription(
      "The file of scenarios that are known to fail; default: webagent.quarantine.json, if it is there"
    ),
    optional
  )
}

/** Limits of a whole night, for where its shards are put together. */
export const nightLimits = {
  maxTime: time("max-time").pipe(
    Flag.withDescription("The longest that any shard should have taken; default: no limit that is judged"),
    optional
  ),
  maxCost: amount("max-cost").pipe(
    Flag.withDescription("USD that all shards should have cost together; default: the sum of their own limits"),
    optional
  ),
  maxRequests: Flags.integer("max-requests", 1).pipe(
    Flag.withDescription("Requests that all shards should have sent together; default: no limit that is judged"),
    optional
  )
}

/** What `run` and `plan` are told: which scenarios, where, how often, and within which limits. */
export const flags = {
  suites: Argument.String("suite").pipe(
    Argument.withDescription("Built-in suites by name, and files *.suite.ts; default: every built-in suite"),
    Argument.variadic()
  ),
  target: Flags.target("a service inside this program"),
  suite: several("suite").pipe(Flag.withDescription("The same as naming the suite without a flag; may be repeated")),
  tag: several("tag").pipe(Flag.withDescription("Only scenarios with this tag; may be repeated; default: all")),
  name: Flag.String("name").pipe(
    Flag.withDescription("Only scenarios whose name contains this, or the one that is called so; default: all"),
    optional
  ),
  trials: Flags.integer("trials", 1).pipe(
    Flag.withDescription("How often each scenario is repeated; default: as often as it says itself"),
    optional
  ),
  trial: Flags.integer("trial", 1).pipe(
    Flag.withDescription("Only this one of the trials, counted from 1, as it runs among the others; default: all"),
    optional
  ),
  concurrency: Flags.integer("concurrency", 1).pipe(
    Flag.withDescription("How many trials run at a time; default: 8, with --debug 1"),
    optional
  ),
  timeout: time("timeout").pipe(
    Flag.withDescription("The longest a trial may take; default: 30s on a simulated service, else 10m"),
    optional
  ),
  maxTime: time("max-time").pipe(
    Flag.withDescription("The longest all may take: at its end what runs is stopped; default: no limit"),
    optional
  ),
  maxScenarioTime: time("max-scenario-time").pipe(
    Flag.withDescription("The longest all trials of one scenario may take; default: no limit"),
    optional
  ),
  maxCost: amount("max-cost").pipe(
    Flag.withDescription("USD that all may cost: what might cost more does not begin; default: no limit"),
    optional
  ),
  trialBudget: amount("trial-budget").pipe(
    Flag.withDescription("USD that a trial may cost where its scenario declares no budget; default: none"),
    optional
  ),
  maxRequests: Flags.integer("max-requests", 1).pipe(
    Flag.withDescription("When so many requests have been sent nothing new begins; default: no limit"),
    optional
  ),
  reruns: Flags.integer("reruns", 0).pipe(
    Flag.withDescription(
      "How often trials that only the infrastructure ended may run again, all together; default: a tenth of them, at least 3"
    ),
    optional
  ),
  seed: Flags.integer("seed", 0).pipe(
    Flag.withDescription("Random inputs derive from it: the same seed, the same inputs; default: 1"),
    Flag.withDefault(1)
  ),
  reportDir: Flags.reportDir("the reports go"),
  reporters,
  apiKeyEnv: Flags.apiKeyEnv,
  control: Flag.String("control").pipe(
    Flag.withDescription(
      "The address of the control API of a simulated server, its key in WEBAGENT_CONTROL_KEY; default: none"
    ),
    optional
  ),
  v2SessionId: Flag.String("v2-session-id").pipe(
    Flag.withDescription("A session of the service that scenarios of API v2 may read; default: none"),
    optional
  ),
  debug: Flag.Boolean("debug").pipe(
    Flag.withDescription("Show every request on standard error as it happens, without the key; default: no"),
    Flag.withDefault(false)
  ),
  shard: Flag.String("shard").pipe(
    Flag.filterMap(parseShard, (text) => `Expected: which part of how many, such as 1/4, got "${text}"`),
    Flag.withDescription(
      "Only one part of the scenarios, such as 1/4, split by how long they took before; limits are then of this part alone; default: all"
    ),
    optional
  ),
  ...nightFlags,
  allowPaid: Flag.Boolean("allow-paid").pipe(
    Flag.withDescription("Run scenarios that cost, on a service that is not simulated; default: no"),
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
