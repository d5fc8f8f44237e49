import { isLoopback } from "@webagent/contract/Loopback"
import { Spelling } from "@webagent/control"
import * as K6 from "@webagent/load/K6"
import type { LoadPlan, LoadSettings, LoadTarget } from "@webagent/load/LoadPlan"
import { type LoadTestName, loadTests, preAllocatedVUs } from "@webagent/load/LoadTest"
import * as LoadScript from "@webagent/load/LoadScript"
import * as Mix from "@webagent/load/Mix"
import * as ThresholdFile from "@webagent/load/ThresholdFile"
import { worstCase } from "@webagent/load/WorstCase"
import { counted, number } from "@webagent/cli/Text"
import { usage } from "@webagent/cli/UserError"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { availableParallelism, totalmem } from "node:os"
import { program } from "../Program.ts"
import { terminalBeside, variable } from "@webagent/cli/Terminal"
import * as TargetSource from "../TargetSource.ts"
import { isWebAddress } from "../../config/Values.ts"
import * as ReportDirectory from "../reports/ReportDirectory.ts"
import type { Access, Workload } from "./LoadFlags.ts"
import * as SimulatedService from "./SimulatedService.ts"

const isLoadTest = (name: string): name is LoadTestName => Object.hasOwn(loadTests, name)

/** Finds the load test of a name, with its rate and duration. */
export const planOf = (name: string, { duration, rate, vus }: Workload) => {
  if (rate !== undefined && vus !== undefined) {
    return Effect.fail(
      usage("--rate and --vus cannot be combined: with --vus the rate follows from response times. Remove one.")
    )
  }
  if (isLoadTest(name)) {
    const test = loadTests[name]
    const duration_ms = duration === undefined ? test.duration_ms : Duration.toMillis(duration)
    return Effect.succeed<LoadPlan>({ test, rate: rate ?? test.rate, duration_ms })
  }
  const names = Object.keys(loadTests)
  const meant = Spelling.meant(name, names)
  const advice = meant === undefined ? `Load tests: ${names.join(", ")}.` : `Did you mean ${meant}?`
  return Effect.fail(usage(`No load test named "${name}". ${advice} See: ${program} load --help`))
}

/** The default task names its own outcome and duration, so with a profile it is one that leaves both to the profile. */
const plainTask = "Say hello"

/** Reads the settings of a load test that are not in its plan, including the thresholds from their file. */
export const settingsOf = Effect.fnUntraced(function* (
  {
    mix,
    profile,
    runTimeout,
    sample,
    task = profile === undefined ? undefined : plainTask,
    vus
  }: Workload & { readonly profile?: string | undefined },
  thresholds?: string
) {
  if (mix !== undefined) {
    yield* Effect.try({
      try: () => Mix.parse(mix, "--mix"),
      catch: (error) => usage(error instanceof Error ? error.message : String(error))
    })
  }
  return {
    mix,
    sample,
    task,
    run_timeout_ms: runTimeout && Duration.toMillis(runTimeout),
    thresholds: thresholds === undefined ? undefined : yield* ThresholdFile.read(thresholds, Spelling.meant),
    vus
  } satisfies LoadSettings
})

/** Returns whether an address is on this machine, without looking up names. */
export const isThisMachine = (address: string): boolean => isLoopback(URL.parse(address)?.hostname ?? "")

// a user that checks responses takes more, and most do not
const memoryOfUser_bytes = 700_000

const gigabytes = (bytes: number) => `${number(bytes / 1e9)} GB`

/** Refuses a load whose virtual users need more memory than this machine has. */
const ensureItFits = ({ rate }: LoadPlan, { run_timeout_ms, vus }: LoadSettings) => {
  const users = vus ?? preAllocatedVUs(rate, run_timeout_ms)
  // a container has less than its machine, and outside of one the limit is none or nothing
  const limit = process.constrainedMemory() || Infinity
  const [needed, available] = [users * memoryOfUser_bytes, Math.min(totalmem(), limit)]
  if (needed <= available) return Effect.void
  const less = vus === undefined ? "Lower --rate or --run-timeout" : "Lower --vus"
  return Effect.fail(
    usage(
      `The load needs ${counted(users, "virtual user")}, about ${gigabytes(needed)}; this machine has ${gigabytes(available)}. ${less}, or use several machines with load render.`
    )
  )
}

const processesOfCore = 4

/** Refuses more processes than a machine can run at a time: they would measure their own waits. */
const ensureTheyFit = (segments: number) => {
  const cores = availableParallelism()
  const most = cores * processesOfCore
  return segments <= most
    ? Effect.void
    : Effect.fail(
        usage(
          `--segments must be ${most} or less on this machine (${processesOfCore} per core); got ${segments}. Use several machines with load render.`
        )
      )
}

/** Describes the most that a load can do at a service. `times` is the number of runs, `segments` of processes per run. */
export const most = (
  plan: LoadPlan,
  { mix, run_timeout_ms, vus }: LoadSettings,
  { segments = 1, times = 1 }: { readonly times?: number; readonly segments?: number } = {}
): string => {
  if (vus !== undefined) {
    const time = Duration.format(Duration.millis(plan.duration_ms * times))
    return `send and create as much as ${counted(vus, "virtual user")} can in ${time}`
  }
  return worstCase(plan, {
    mix: mix === undefined ? undefined : Mix.parse(mix, "--mix"),
    run_timeout_ms,
    times,
    segments
  })
}

/** Connects to the service at an address. Fails if it's on another machine or has real costs, unless that is allowed. */
const open = Effect.fnUntraced(function* (url: string, { allowRemote, apiKeyEnv, apiKeyHeader }: Access, load: string) {
  const refuse = (why: string) => usage(`${url} ${why}. The load would ${load}. To send it anyway, add --allow-remote.`)
  if (isWebAddress(url) && !isThisMachine(url) && !allowRemote) return yield* refuse("is on another machine")
  const connection = yield* TargetSource.remote({
    target: url,
    apiKeyEnv,
    apiKeyHeader,
    allowPaid: false,
    v2SessionId: undefined
  })
  if (!connection.simulated && !allowRemote) return yield* refuse("is not simulated and may cost money")
  const { apiKey, info, simulated } = connection
  const { address, name } = info
  return { name, address, apiKey, apiKeyHeader: info.apiKeyHeader, simulated } satisfies LoadTarget
})

// the progress of a build goes to stderr
const findK6 = Effect.flatMap(variable("WEBAGENT_K6"), (named) => K6.find(named, Console.error))

/** Names the target for a headline: `simulated service on 127.0.0.1:40213`. */
export const whereOf = ({ address, name }: LoadTarget): string =>
  name === address ? address : `${name} on ${address.replace(/^http:\/\//u, "")}`

/** Describes the load for a headline. */
const loadOf = ({ duration_ms, rate }: LoadPlan, vus: number | undefined): string => {
  const time = Duration.format(Duration.millis(duration_ms))
  if (vus !== undefined) return `closed model · ${counted(vus, "virtual user")} for ${time}`
  return `open model · ${counted(rate, "start")} per second for ${time}`
}

interface Preparation extends Workload, Access {
  readonly test: string
  readonly thresholds?: string | undefined
  readonly reportDir: string | undefined
  readonly json: boolean
}

/**
 * Checks the options of a load, then connects to its services, starts the simulated ones, finds k6 and creates the report
 * folder. A service that doesn't respond fails before k6 is built, because that can take minutes.
 */
export const prepare = Effect.fnUntraced(function* (
  options: Preparation,
  services: NonEmptyReadonlyArray<string>,
  { segments = 1, times = 1 }: { readonly segments?: number; readonly times?: number }
) {
  const { profile } = options
  const plan = yield* planOf(options.test, options)
  if (profile !== undefined && !services.includes("simulated")) {
    return yield* usage(
      "--profile applies only to the simulated service. Remove --profile or use the simulated service."
    )
  }
  const settings = yield* settingsOf(options, options.thresholds)
  yield* ensureItFits(plan, settings)
  yield* ensureTheyFit(segments)
  const atMost = most(plan, settings, { segments, times })
  const remotes = yield* Effect.forEach(services, (url) =>
    url === "simulated" ? Effect.undefined : open(url, options, atMost)
  )
  const k6 = yield* findK6
  const script = yield* LoadScript.resolve(k6)
  const directory = yield* ReportDirectory.create(options.reportDir)
  const targets = yield* Effect.forEach(remotes, (remote) =>
    remote === undefined ? SimulatedService.start(profile) : Effect.succeed(remote)
  )
  const load = loadOf(plan, settings.vus)
  return { plan, settings, atMost, k6, script, directory, targets, load, ...(yield* terminalBeside(options.json)) }
})
