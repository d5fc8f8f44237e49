import { fieldIssues, line, Spelling } from "@webagent/control"
import * as WrittenTime from "@webagent/scenario/Time"
import { type LoadTestName, loadTests } from "@webagent/load/LoadTest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { expected as templateExpected, isTemplate } from "./ReportUrl.ts"
import { isWebAddress, parseAmount } from "./Values.ts"

/** The reporters that write files. */
export const fileReporterNames = ["json", "junit", "markdown", "html", "ndjson"] as const

/** Every built-in reporter. */
export const reporterNames = ["console", "github", ...fileReporterNames] as const

const Text = Schema.String.check(
  Schema.makeFilter((text) => text.trim() !== "", { expected: "a text that is not empty" })
)
const Time = Schema.Union([Schema.String, Schema.Number]).check(
  Schema.makeFilter((time) => Option.isSome(WrittenTime.parse(time)), { expected: WrittenTime.expected })
)
const Amount = Schema.String.check(
  Schema.makeFilter((text) => Option.isSome(parseAmount(text)), { expected: 'an amount such as "5 USD" or "0.50 USD"' })
)
const Address = Schema.String.check(
  Schema.makeFilter(isWebAddress, { expected: "an address such as https://your.service" })
)
const Variable = Schema.String.check(
  Schema.makeFilter((text) => /^\w+$/u.test(text), { expected: "the name of an environment variable" })
)
const ReportUrl = Schema.String.check(Schema.makeFilter(isTemplate, { expected: templateExpected }))
const count = (least: number) =>
  Schema.Int.check(Schema.makeFilter((value) => value >= least, { expected: `an integer of ${least} or more` }))
const Share = Schema.Number.check(
  Schema.makeFilter((value) => value >= 0 && value <= 1, { expected: "a share from 0 to 1" })
)

/** A service by its address, with what the harness needs there. The key itself is only in the environment. */
const Target = Schema.Struct({
  /** Its address, with or without `/api/vN`. */
  url: Address,
  /** The variable that holds its key; `WEBAGENT_API_KEY` unless told. */
  apiKeyEnv: Schema.optional(Variable),
  /** The header for its key. */
  apiKeyHeader: Schema.optional(Text),
  /** The control API of a simulated server. */
  control: Schema.optional(Address),
  /** A session that v2 scenarios may read. */
  v2SessionId: Schema.optional(Text),
  /** Run scenarios that cost money there. */
  allowPaid: Schema.optional(Schema.Boolean)
})

/** The path of a module that exports a reporter. */
const ReporterPath = Schema.TemplateLiteral([Schema.String, Schema.Literals([".ts", ".mts", ".js", ".mjs"])])
const isReporterModule = Schema.is(ReporterPath)

/** True if a text is the path of a reporter's module, and not the name of a built-in reporter. */
export const isReporterPath = (text: string): boolean => isReporterModule(text)

const expected = `one of ${reporterNames.join(", ")}, or a path such as ./reporter.ts`

/** A reporter by its name or the path of its module, or with options, which the reporter decodes. */
const Reporter = Schema.Union([
  Schema.Literals(reporterNames),
  ReporterPath,
  Schema.Tuple([Schema.Union([Schema.Literals(reporterNames), ReporterPath]).annotate({ expected }), Schema.Json])
]).annotate({ expected })

/** A webhook by its address or the variable that has it, Slack by that variable, or a command. */
const Notification = Schema.Union([
  Schema.Struct({ webhook: Text }),
  Schema.Struct({ slack: Variable }),
  Schema.Struct({ command: Text })
])

/** Limits of scenarios that declare none themselves. */
const ScenarioLimits = Schema.Struct({
  /** Limit for the median duration of the trials that passed. */
  maxDuration: Schema.optional(Time),
  /** Limit for the average cost of a trial. */
  maxCost: Schema.optional(Amount)
})

/** Settings of a load test. Each has the name of its flag. */
const loadSettings = {
  rate: Schema.optional(count(1)),
  duration: Schema.optional(Time),
  vus: Schema.optional(count(1)),
  mix: Schema.optional(Text),
  sample: Schema.optional(Share),
  task: Schema.optional(Text),
  runTimeout: Schema.optional(Time),
  /** Limits by metric, or the file that has them. */
  thresholds: Schema.optional(Schema.Union([Text, Schema.Record(Schema.String, Schema.Array(Text))])),
  /** Behavior of the simulated service: a preset or a JSON file. */
  profile: Schema.optional(Text),
  segments: Schema.optional(count(1)),
  /** The file of earlier runs to compare with. */
  baseline: Schema.optional(Text),
  tolerance: Schema.optional(Share)
}

const LoadProfile = Schema.Struct({
  /** The load test that it is made of. */
  test: Schema.Literals(Object.keys(loadTests) as ReadonlyArray<LoadTestName>),
  ...loadSettings
})

/** Every key of `webagent.config.ts`. A key that has a flag of its name sets what the flag sets. */
export const Config = Schema.Struct({
  /** The service to test: `simulated`, an address, or one of `targets`. */
  target: Schema.optional(Text),
  targets: Schema.optional(Schema.Record(Schema.String, Target)),
  /** Suite files by glob, relative to this file, and names of built-in suites. */
  suites: Schema.optional(Schema.Union([Text, Schema.Array(Text)])),
  /** Run the built-in suites where none is named. */
  builtIn: Schema.optional(Schema.Boolean),
  /** Accept `only: true` of a scenario in CI. */
  allowOnly: Schema.optional(Schema.Boolean),
  trials: Schema.optional(count(1)),
  concurrency: Schema.optional(count(1)),
  seed: Schema.optional(count(0)),
  timeout: Schema.optional(Time),
  maxTime: Schema.optional(Time),
  maxOutage: Schema.optional(Time),
  maxScenarioTime: Schema.optional(Time),
  maxCost: Schema.optional(Amount),
  trialBudget: Schema.optional(Amount),
  maxRequests: Schema.optional(count(1)),
  reruns: Schema.optional(count(0)),
  extraTrials: Schema.optional(count(0)),
  history: Schema.optional(Text),
  /** Add whole runs to the history. */
  record: Schema.optional(Schema.Boolean),
  quarantine: Schema.optional(Text),
  /** Repetition of recorded nights. The measured setting applies to a key that is missing. */
  nightly: Schema.optional(
    Schema.Struct({
      /** Trials of each scenario that declares none and is free. */
      trials: Schema.optional(count(1)),
      /** Extra trials that all scenarios share. */
      extraTrials: Schema.optional(count(0))
    })
  ),
  /** Channels that are notified when a recorded night fails, or passes again. */
  notifications: Schema.optional(Schema.Array(Notification)),
  /** The address at which a report is kept, with placeholders such as `{run}`: notifications link to it. */
  reportUrl: Schema.optional(ReportUrl),
  /** Number of days after which a problem is notified again; 0 for never. */
  remindDays: Schema.optional(count(0)),
  reportDir: Schema.optional(Text),
  reporters: Schema.optional(Schema.Array(Reporter)),
  apiKeyEnv: Schema.optional(Variable),
  apiKeyHeader: Schema.optional(Text),
  allowPaid: Schema.optional(Schema.Boolean),
  /** By the name of a suite or a scenario, by `suite > scenario`, or by `tag:NAME`. */
  limits: Schema.optional(Schema.Record(Schema.String, ScenarioLimits)),
  load: Schema.optional(
    Schema.Struct({
      ...loadSettings,
      /** Load tests of your own, by the name that `load` takes. */
      profiles: Schema.optional(Schema.Record(Schema.String, LoadProfile))
    })
  )
})

/** The default export of `webagent.config.ts`. */
export type Config = typeof Config.Type

/** Names the keys of a configuration to your editor, and gives it back as it is. */
export const defineConfig = (config: Config): Config => config

/** The limits of scenarios, by what they are of. */
export const limitsOf = ({ limits = {} }: Config) =>
  Object.fromEntries(
    Object.entries(limits).map(([name, { maxCost, maxDuration }]) => [
      name,
      {
        maxCost_usd: maxCost === undefined ? undefined : Option.getOrUndefined(parseAmount(maxCost)),
        maxDuration: maxDuration === undefined ? undefined : Option.getOrUndefined(WrittenTime.parse(maxDuration))
      }
    ])
  )

/** The reason why the target of a configuration doesn't identify a service; undefined if it does. */
const wrongTarget = ({ target, targets = {} }: Config): string | undefined => {
  const names = ["simulated", ...Object.keys(targets)]
  if (target === undefined || names.includes(target) || isWebAddress(target)) return undefined
  const meant = Spelling.meant(target, names)
  const question = meant === undefined ? "" : `; did you mean "${meant}"?`
  return `target: expected an address, or one of ${names.join(", ")}, got ${JSON.stringify(target)}${question}`
}

/** Ends a sentence with a period, unless it is a question. */
export const ended = (sentence: string) => sentence.replace(/[^?]$/u, "$&.")

/** Old names of keys, each with the new name. */
export const renamed: Readonly<Record<string, string>> = { confirm: "extraTrials" }

/** Names the new key if a line is about the old one. */
const withNewName = (line: string) =>
  line.replace(/^(.*?)(\w+): is not a known field.*$/u, (whole, path: string, old: string) =>
    Object.hasOwn(renamed, old) ? `${path}${old} is called ${renamed[old]} now` : whole
  )

/** Decodes a value as a configuration. The failure has one line for each invalid key, with the key's path. */
export const decode = (value: unknown): Result.Result<Config, ReadonlyArray<string>> => {
  const decoded = Schema.decodeUnknownResult(Config, { errors: "all", onExcessProperty: "error" })(value)
  if (Result.isFailure(decoded)) {
    return Result.fail(fieldIssues(decoded.failure.issue, value).map((issue) => ended(withNewName(line(issue)))))
  }
  const wrong = wrongTarget(decoded.success)
  return wrong === undefined ? Result.succeed(decoded.success) : Result.fail([ended(wrong)])
}
