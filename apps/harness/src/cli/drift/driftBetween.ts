import type { Exchange } from "@webagent/cassette/Cassette"
import * as Drift from "@webagent/cassette/Drift"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import * as Cassettes from "../Cassettes.ts"
import * as JsonOutput from "../JsonOutput.ts"
import { Project } from "../../config/Project.ts"
import { ExitError } from "@webagent/cli/ExitCode"
import type { RunOptions } from "../RunFlags.ts"
import { runSuites } from "../run/runSuites.ts"
import { counted } from "@webagent/cli/Text"
import { usage } from "@webagent/cli/UserError"
import { terminal } from "@webagent/cli/Terminal"
import { DriftOutput } from "./DriftOutput.ts"
import * as DriftText from "./DriftText.ts"

/** Options of `drift`. */
interface DriftOptions {
  readonly a: string
  readonly b: string
  readonly apiKeyEnvB: string | undefined
  readonly json: boolean
  /** The suites to run, and how; its target is the side's. */
  readonly run: RunOptions
}

const isService = (side: string) => side === "simulated" || /^https?:\/\//u.test(side)

/** The options of one side, with what belongs to it where it is a target of the configuration. */
const sideOf = (run: RunOptions, side: string, { config: { targets = {} } }: Project): RunOptions => {
  const target = Object.hasOwn(targets, side) ? targets[side] : undefined
  if (target === undefined) return { ...run, target: side }
  return {
    ...run,
    target: target.url,
    apiKeyEnv: target.apiKeyEnv ?? run.apiKeyEnv,
    apiKeyHeader: target.apiKeyHeader ?? run.apiKeyHeader,
    control: target.control ?? run.control,
    v2SessionId: target.v2SessionId ?? run.v2SessionId,
    allowPaid: target.allowPaid ?? run.allowPaid
  }
}

/** The answers in the cassette that a side names; undefined for a service. */
const cassetteOf = Effect.fnUntraced(function* ({ target }: RunOptions, { config: { targets = {} } }: Project) {
  if (isService(target)) return undefined
  if (existsSync(target)) return yield* Cassettes.read(target)
  const names = ["simulated", ...Object.keys(targets)].join(", ")
  return yield* usage(
    `There is no cassette, target or service ${target}. Use one of ${names}, a web address such as https://host, or a file.`
  )
})

/** The answers that the suites get of a service now. */
const answersOf = Effect.fnUntraced(function* (options: RunOptions, json: boolean) {
  const exchanges: Array<Exchange> = []
  // beside the answer, which may be piped elsewhere
  const say = (line: string) => (json ? Effect.void : Console.error(line))
  yield* say(`running the suites against ${options.target}`)
  const run = runSuites({ ...options, reporters: [] })
  yield* Cassettes.recorded(run, (exchange) => Effect.sync(() => void exchanges.push(exchange))).pipe(
    // what fails is often just what drifted: the answers are compared all the same
    Effect.catchIf(
      (error) => error instanceof ExitError && error.exitCode === 1,
      () => say("some scenarios failed there: the responses are compared all the same")
    )
  )
  yield* say(`got ${counted(exchanges.length, "answer")}`)
  return { exchanges }
})

/** Compares two services, or what was recorded of them, and prints the differences; fails where there are some. */
export const driftBetween = Effect.fnUntraced(function* ({ a, apiKeyEnvB, b, json, run }: DriftOptions) {
  const project = yield* Project
  const [one, other] = [sideOf(run, a, project), sideOf(run, b, project)]
  // a cassette that cannot be read is said before a service is asked
  const [oneKept, otherKept] = [yield* cassetteOf(one, project), yield* cassetteOf(other, project)]
  const before = oneKept ?? (yield* answersOf(one, json))
  const after = otherKept ?? (yield* answersOf({ ...other, apiKeyEnv: apiKeyEnvB ?? other.apiKeyEnv }, json))
  const drift = Drift.between(before, after)
  const { style } = yield* terminal
  if (json) yield* JsonOutput.print(DriftOutput, { a, b, ...drift })
  else yield* Effect.forEach(DriftText.lines(drift, style), (line) => Console.log(line), { discard: true })
  if (drift.compared.length === 0) return yield* new ExitError({ exitCode: 5 })
  if (drift.differences.length > 0) return yield* new ExitError({ exitCode: 1 })
})
