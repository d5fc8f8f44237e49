import * as AtomicFile from "@webagent/cli/AtomicFile"
import { terminal } from "@webagent/cli/Terminal"
import { usage, usageOf } from "@webagent/cli/UserError"
import * as EvalFigures from "@webagent/eval/EvalFigures"
import * as EvalSuite from "@webagent/eval/EvalSuite"
import * as InspectLog from "@webagent/eval/InspectLog"
import * as SiteServer from "@webagent/eval/SiteServer"
import type { RunReport } from "@webagent/report/RunReport"
import type * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { quoted } from "../Program.ts"
import { optionsOf, type RunOptions } from "../RunFlags.ts"
import { runSuites } from "../run/runSuites.ts"
import * as AgentServer from "./AgentServer.ts"
import * as ChosenSites from "./ChosenSites.ts"
import type { flags } from "./eval.ts"
import * as EvalText from "./EvalText.ts"

type ParsedFlags = Command.Command.Config.Infer<typeof flags>

/** The flags that a command needs to repeat a trial. */
type RepeatedFlags = Pick<
  ParsedFlags,
  "miniwob" | "model" | "modelPrice" | "modelUrl" | "serverFlags" | "sitesPort" | "sitesUrl" | "target"
>

/** Trials at a time: each has a browser of its own on this machine. */
const concurrency = 2

/** Refuses flags that don't fit together, and a service that can't reach the sites. */
const check = Effect.fnUntraced(function* (parsed: ParsedFlags) {
  const { allowPaid, model, modelPrice, modelUrl, serverFlags, sitesPort, sitesUrl, target } = parsed
  if (sitesUrl !== undefined && sitesPort === undefined) {
    return yield* usage("--sites-url needs the port that it leads to. Add --sites-port PORT.")
  }
  if (target === undefined) {
    if (model !== undefined) return
    return yield* usage(
      "Nothing to evaluate: name a model with --model DIALECT:NAME, such as openai:gpt-5, or a running service with --target URL. The simulated service opens no pages."
    )
  }
  const ofServer = Object.entries({
    "--model-url": modelUrl,
    "--model-price": modelPrice,
    "--server-flag": serverFlags[0]
  })
  const [odd] = ofServer.filter(([, value]) => value !== undefined)
  if (odd !== undefined) {
    return yield* usage(`${odd[0]} is for the server that this command starts. Remove it, or remove --target.`)
  }
  if (sitesUrl === undefined && !SiteServer.isOnThisMachine(target)) {
    return yield* usage(
      `The sites are served on 127.0.0.1 of this machine, and ${new URL(target).host} cannot reach them there. Evaluate a server on this machine, or make them reachable: add --sites-port PORT and --sites-url URL with the public address of that port.`
    )
  }
  if (!allowPaid) {
    return yield* usage(
      `Runs at ${target} may cost money. Add --allow-paid to allow them, and --max-cost USD to limit them.`
    )
  }
})

/** Flags of a command that repeats one trial. */
export const repeating = (parsed: RepeatedFlags): ReadonlyArray<string> => {
  const { miniwob, model, modelPrice, modelUrl, serverFlags, sitesPort, sitesUrl, target } = parsed
  return Object.entries({
    "--target": target,
    "--model": model,
    "--model-url": modelUrl,
    "--model-price": modelPrice,
    "--miniwob": miniwob,
    "--sites-port": sitesPort?.toString(),
    "--sites-url": sitesUrl
  })
    .flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${quoted(value)}`]))
    .concat(serverFlags.map((flag) => `--server-flag ${quoted(flag)}`))
    .concat(target === undefined ? [] : ["--allow-paid"])
}

/** Serves the sites, starts a server for a model if there is no target, runs every task and prints the success rates. */
export const evaluate = Effect.fnUntraced(function* (parsed: ParsedFlags, words: ReadonlyArray<string>) {
  yield* check(parsed)
  const sites = yield* ChosenSites.choose(parsed.sites, parsed.miniwob)
  const { model, require, sitesPort, sitesUrl, target } = parsed
  const server = yield* SiteServer.serve({ port: sitesPort, url: sitesUrl }).pipe(
    Effect.mapError(({ code, port }) =>
      usage(`The sites cannot be served on port ${port} (${code}). Choose another with --sites-port.`)
    )
  )
  const service =
    target === undefined
      ? yield* AgentServer.start({ ...parsed, model: model ?? "", sitesPort: server.port })
      : { address: target, apiKey: undefined }
  const instructions = new Map<number, string>()
  const suites = sites.map((site) =>
    EvalSuite.make(site, {
      server,
      model: target === undefined ? undefined : model,
      onInstruction: (seed, instruction) => void instructions.set(seed, instruction)
    })
  )
  const write = Effect.fnUntraced(function* (report: RunReport, directory: string | undefined) {
    const rows = EvalFigures.of(report)
    const shown = yield* terminal
    yield* shown.write(`${EvalText.lines(rows, shown.style).join("\n")}\n`)
    const path = directory === undefined ? undefined : join(directory, InspectLog.fileNameOf(report))
    const log = InspectLog.of(report, {
      model: model ?? report.header.target.address,
      instructionOf: (seed) => instructions.get(seed)
    })
    if (path !== undefined) {
      yield* AtomicFile.write(path, `${JSON.stringify(log, null, 2)}\n`).pipe(
        Effect.mapError(usageOf(`${path} cannot be written`))
      )
    }
    const unmet = require === undefined ? undefined : EvalText.unmet(rows.at(-1), require)
    if (unmet === undefined) return false
    yield* Console.error(unmet)
    return true
  })
  const options = optionsOf({
    ...parsed,
    suites: [],
    suite: [],
    builtIn: false,
    allowOnly: true,
    shard: undefined,
    control: undefined,
    v2SessionId: undefined,
    target: service.address,
    // a server of our own, whose model the user named for this
    allowPaid: true,
    concurrency: parsed.concurrency ?? concurrency
  })
  const evaluation: RunOptions["evaluation"] = {
    suites: suites.map((suite, at) => ({ suite, argument: sites[at]?.name ?? suite.name })),
    flags: repeating(parsed),
    target: target === undefined ? { name: model ?? "", address: model ?? "" } : undefined,
    apiKey: service.apiKey,
    hasFailed: write
  }
  yield* runSuites({ ...options, evaluation }, words)
}, Effect.scoped)
