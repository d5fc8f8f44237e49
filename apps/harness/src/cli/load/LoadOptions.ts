import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { availableParallelism, totalmem } from "node:os"
import * as K6 from "../../load/K6.ts"
import type { LoadSettings } from "../../load/LoadSettings.ts"
import * as LoadTarget from "../../load/LoadTarget.ts"
import { type LoadPlan, loadTests, mistakeInMix, usersOf, worstCase } from "../../load/LoadTest.ts"
import * as ThresholdFile from "../../load/ThresholdFile.ts"
import { usage } from "@webagent/report/UserError"
import { counted } from "@webagent/report/Text"
import { program } from "../Program.ts"
import { closest } from "../SuiteSource.ts"
import * as TargetSource from "../TargetSource.ts"
import { isWebAddress } from "../Parsers.ts"

/** What the flags and arguments of `load` say, whatever it is to do. */
export interface LoadOptions {
  readonly test: string
  /** Starts a second; the test's own unless given. */
  readonly rate: number | undefined
  /** How long new work is started; the test's own unless given. */
  readonly duration: Duration.Duration | undefined
  readonly vus: number | undefined
  readonly mix: string | undefined
  readonly sample: number | undefined
  readonly task: string | undefined
  readonly runTimeout: Duration.Duration | undefined
  /** A file of limits. */
  readonly thresholds: string | undefined
  /** How a simulated service that is started for this behaves. */
  readonly profile: string | undefined
  readonly reportDir: string | undefined
  readonly allowRemote: boolean
  readonly apiKeyEnv: string
}

// k6 takes no less for an even load, and the scripts for a wait; what goes on for years is a slip of the hand
const bounds = {
  "--duration": { shortest: Duration.seconds(1), longest: Duration.days(365) },
  "--run-timeout": { shortest: Duration.millis(100), longest: Duration.days(365) }
}

/** What is wrong with a time, in one sentence; undefined when nothing is. */
const mistakeInTime = (flag: keyof typeof bounds, time: Duration.Duration | undefined): string | undefined => {
  const { longest, shortest } = bounds[flag]
  if (time === undefined) return undefined
  if (Duration.isLessThan(time, shortest)) {
    return `${flag} is ${Duration.format(shortest)} or more, not ${Duration.format(time)}.`
  }
  return Duration.isGreaterThan(time, longest)
    ? `${flag} is ${Duration.format(longest)} or less, not ${Duration.format(time)}.`
    : undefined
}

/** The load test by its name; one that is not known is a UserError that says which there are. */
export const planOf = ({ duration, rate, test: name }: LoadOptions) => {
  const test = Object.hasOwn(loadTests, name) ? loadTests[name] : undefined
  const mistake = mistakeInTime("--duration", duration)
  if (mistake !== undefined) return Effect.fail(usage(mistake))
  if (test !== undefined) {
    return Effect.succeed<LoadPlan>({ test, rate: rate ?? test.rate, duration: duration ?? test.duration })
  }
  const names = Object.keys(loadTests)
  const meant = closest(name, names)
  const known = meant === undefined ? `There are: ${names.join(", ")}.` : `Did you mean ${meant}?`
  return Effect.fail(usage(`No load test named "${name}". ${known} See: ${program} load --help`))
}

/** What shapes the load beside the plan, with the limits read from their file. */
export const settingsOf = Effect.fnUntraced(function* (options: LoadOptions) {
  const { mix, runTimeout, sample, task, thresholds, vus } = options
  const mistake = (mix === undefined ? undefined : mistakeInMix(mix)) ?? mistakeInTime("--run-timeout", runTimeout)
  if (mistake !== undefined) return yield* usage(mistake)
  return {
    mix,
    sample,
    task,
    run_timeout_ms: runTimeout && Duration.toMillis(runTimeout),
    thresholds: thresholds === undefined ? undefined : yield* ThresholdFile.read(thresholds),
    vus
  } satisfies LoadSettings
})

/** The fields that have a value, as a report holds them. */
export const given = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

// one that decodes takes more, and most do not
const memoryOfUser_bytes = 700_000

const gigabytes = (bytes: number) => `${(bytes / 1e9).toLocaleString("en-US", { maximumFractionDigits: 1 })} GB`

/** Refuses a load whose virtual users this machine cannot hold: it would end more than the test. */
export const ensureItFits = (plan: LoadPlan, { run_timeout_ms, vus }: LoadSettings) => {
  const users = vus ?? usersOf(plan, run_timeout_ms)
  // a container has less than its machine, and outside of one the limit is none or nothing
  const limit = process.constrainedMemory() || Infinity
  const [needed, there] = [users * memoryOfUser_bytes, Math.min(totalmem(), limit)]
  if (needed <= there) return Effect.void
  const less = vus === undefined ? "--rate, or a shorter --run-timeout," : "--vus"
  return Effect.fail(
    usage(
      `This takes ${counted(users, "virtual user")} of k6, about ${gigabytes(needed)}; this machine has ${gigabytes(there)}. Give a lower ${less} or share it among machines with --render k6-operator.`
    )
  )
}

const processesOfCore = 4

/** Refuses more processes than a machine runs at a time: they would measure how they wait for each other. */
export const ensureTheyFit = (segments: number) => {
  const cores = availableParallelism()
  const most = cores * processesOfCore
  return segments <= most
    ? Effect.void
    : Effect.fail(
        usage(
          `--segments is ${most} or less on this machine, ${processesOfCore} for each of its cores, not ${segments}: share the load among machines with --render k6-operator.`
        )
      )
}

/** What is asked of a service at most, in words; `times` is how often the load is sent, `segments` by how many. */
export const most = (
  plan: LoadPlan,
  { mix, run_timeout_ms, vus }: LoadSettings,
  { segments = 1, times = 1 }: { readonly times?: number; readonly segments?: number } = {}
): string => {
  if (vus === undefined) return worstCase(plan, { mix, run_timeout_ms, times, segments })
  const time = Duration.format(Duration.times(plan.duration, times))
  return `send and create as much as ${counted(vus, "virtual user")} can in ${time}`
}

/**
 * The service at an address, or one that is started for this. Another machine is refused before anything is sent to it, one
 * that may cost as soon as that is known.
 */
export const open = Effect.fnUntraced(function* (
  url: string,
  { allowRemote, apiKeyEnv, profile }: LoadOptions,
  asked: string
) {
  if (url === "simulated") return yield* LoadTarget.simulated(profile)
  const refuse = (why: string) => usage(`This would ${asked} at ${url}, ${why}. If you mean it and may: --allow-remote`)
  if (isWebAddress(url) && !LoadTarget.isThisMachine(url) && !allowRemote) {
    return yield* refuse("which is not this machine")
  }
  const found = yield* TargetSource.remote({ target: url, apiKeyEnv, allowPaid: false, v2SessionId: undefined })
  if (!found.simulated && !allowRemote) return yield* refuse("which is not simulated, and may cost")
  const { apiKey, info, simulated } = found
  const { address, apiKeyHeader, name } = info
  return { name, address, apiKey, apiKeyHeader, simulated } satisfies LoadTarget.LoadTarget
})

const namedK6 = Config.option(Config.NonEmptyString("WEBAGENT_K6")).pipe(
  Effect.map(Option.getOrUndefined),
  Effect.orElseSucceed(() => undefined)
)

/** The k6 to use; how a build goes on is said on stderr. */
export const findK6 = Effect.flatMap(namedK6, (named) => K6.find(named, Console.error))

/** The target for a headline: `simulated service on 127.0.0.1:40213`. */
export const whereOf = ({ address, name }: LoadTarget.LoadTarget): string =>
  name === address ? address : `${name} on ${address.replace(/^http:\/\//u, "")}`

/** The load for a headline. */
export const loadOf = ({ duration, rate }: LoadPlan, vus: number | undefined): string => {
  const time = Duration.format(duration)
  if (vus !== undefined) return `closed model · ${counted(vus, "virtual user")} for ${time}`
  return `open model · ${counted(rate, "start")} a second for ${time}`
}
