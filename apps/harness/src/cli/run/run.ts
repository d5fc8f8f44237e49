import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { usage } from "@webagent/cli/UserError"
import * as Flags from "../Flags.ts"
import { version } from "../Program.ts"
import type { Config } from "../../config/Config.ts"
import type { Resumed } from "../Resumed.ts"
import { flags, optionsOf, type ParsedFlags } from "../RunFlags.ts"
import { configured, wordsOf } from "../Configured.ts"

/** Flags of a run that `plan` doesn't have. */
interface RunOnly {
  readonly keepOpen?: boolean
}

const go = (
  { keepOpen, ...parsed }: ParsedFlags & RunOnly,
  args: ReadonlyArray<string>,
  { config, resumed }: { readonly config: Config; readonly resumed?: Resumed }
) =>
  loading(async () =>
    (await import("./runSuites.ts")).runSuites({ ...optionsOf(parsed, config.nightly), keepOpen }, args, resumed)
  )

/** A run that was killed, as it was called: what is typed now only says which one. */
const goOn = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const [directory, ...more] = args.filter((word) => word !== "--resume")
  if (directory?.startsWith("-") === true || more.length > 0) {
    return yield* usage("--resume takes only the folder of a run. The run continues with the flags it began with.")
  }
  const { take } = yield* Effect.promise(() => import("./resumeRun.ts"))
  const taken = yield* take(directory)
  const [{ Project, load }, { withAddresses }] = yield* Effect.promise(() =>
    Promise.all([import("../../config/Project.ts"), import("../../config/StoredChannels.ts")])
  )
  const again = Command.make("run", flags, (parsed) =>
    Effect.flatMap(load(parsed.config), (project) =>
      Effect.provideService(
        go({ ...parsed, notify: withAddresses(parsed.notify, project.config.notifications) }, taken.args, {
          config: project.config,
          resumed: taken.resumed
        }),
        Project,
        project
      )
    )
  )
  yield* Command.runWith(again, { version })(taken.args)
}, Effect.scoped)

/** Runs with one seed after the other until a run does not pass. */
const untilFailure = Effect.fnUntraced(function* (parsed: ParsedFlags, words: ReadonlyArray<string>, config: Config) {
  const args = words.filter((word) => word !== "--repeat-until-failure")
  for (let seed = parsed.seed; ; seed++) yield* go({ ...parsed, seed }, [...args, "--seed", String(seed)], { config })
})

const keepOn = (parsed: ParsedFlags, config: Config) =>
  loading(async () => (await import("./watchSuites.ts")).watchSuites(optionsOf(parsed, config.nightly)))

/** `run`: suites against a target. What it runs with is loaded when it runs, so that help stays quick. */
export const run = configured(
  "run",
  {
    ...flags,
    resume: Flags.switched("resume", "Continue a killed run: the named folder, or the newest one"),
    repeatUntilFailure: Flags.switched(
      "repeat-until-failure",
      "Run again with the next seed until a run does not pass, or Ctrl-C"
    ),
    watch: Flags.switched("watch", "Run again when a suite file changes, until Ctrl-C"),
    keepOpen: Flags.switched(
      "keep-open",
      "Keep the simulated service and its console open after the suites, until Ctrl-C"
    )
  },
  Effect.fnUntraced(function* ({ repeatUntilFailure, resume, watch, ...parsed }, words, { config }) {
    const typed = yield* wordsOf("run")
    if (resume) return yield* goOn(typed)
    // a configuration has channels for runs that are recorded, and others
    if (!parsed.record && typed.some((word) => /^--notify(?:=|$)/u.test(word))) {
      return yield* usage("Only recorded nights send notifications. Add --record.")
    }
    if (watch && typed.some((word) => /^--reporter(?:=|$)/u.test(word))) {
      return yield* usage("--watch prints to the terminal and writes no reports. Remove --reporter.")
    }
    if (watch) return yield* keepOn(parsed, config)
    return yield* repeatUntilFailure ? untilFailure(parsed, words, config) : go(parsed, words, { config })
  }),
  ({ suites }) => suites
).pipe(
  help("Run suites against a service", {
    exits: {
      0: "all scenarios passed",
      1: "a failure, a leak or a regression",
      2: "wrong usage",
      3: "no service at the target, or it refuses the key",
      130: "stopped with Ctrl-C"
    },
    examples: {
      run: "Your suites, or else the built-in ones, against a simulated service",
      "run --target https://your.service": "The free scenarios, against a service",
      "run checkout.suite.ts --tag nightly": "Your own suite",
      "run --resume": "Continue a killed run"
    }
  })
)
