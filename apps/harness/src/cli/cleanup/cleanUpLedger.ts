import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { ClientConfig, Ledger, LedgerFile, type OpenItem, RetryPolicy, Transport } from "@webagent/core"
import { ProcessOwner } from "@webagent/core/node"
import { V2 } from "@webagent/v2"
import { V3 } from "@webagent/v3"
import { V4 } from "@webagent/v4"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { counted } from "@webagent/cli/Text"
import { unreachable, usage } from "@webagent/cli/UserError"
import * as Leftover from "../../leftovers/Leftover.ts"
import * as LeftoverText from "../../leftovers/LeftoverText.ts"
import * as JsonOutput from "../JsonOutput.ts"
import * as Reaper from "../../leftovers/Reaper.ts"
import { ExitError } from "@webagent/cli/ExitCode"
import { openControl } from "../TargetSource.ts"
import { program, quoted, version } from "../Program.ts"
import { terminal } from "@webagent/cli/Terminal"
import * as CleanupOutput from "./CleanupOutput.ts"

/** Options of `cleanup`, from its flags. */
interface CleanupOptions {
  readonly ledger: string
  readonly target: string | undefined
  readonly apiKeyEnv: string
  readonly control: string | undefined
  readonly owner: string | undefined
  readonly olderThan: Duration.Duration
  readonly for: Duration.Duration
  readonly forget: ReadonlyArray<string>
  readonly dryRun: boolean
  readonly json: boolean
}

const openLedger = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const isFolder = Effect.orElseSucceed(
    Effect.map(fs.stat(directory), ({ type }) => type === "Directory"),
    () => false
  )
  if (!(yield* isFolder)) return yield* usage(`No ledger at ${directory}. Set --ledger to the folder of a ledger.`)
  return yield* LedgerFile.make({ directory })
})

/** Address and key of the service: from the flags, or from the variables that a client reads. */
const configOf = Effect.fnUntraced(
  function* ({ apiKeyEnv, target }: CleanupOptions, items: ReadonlyArray<OpenItem>) {
    const text = (name: string) => Effect.map(Config.option(Config.NonEmptyString(name)), Option.getOrUndefined)
    const v3 = target === undefined ? yield* text("WEBAGENT_V3_BASE_URL") : undefined
    const v4 = target === undefined ? yield* text("WEBAGENT_V4_BASE_URL") : undefined
    const baseUrl = target ?? (yield* text("WEBAGENT_BASE_URL")) ?? v4 ?? v3
    if (baseUrl === undefined) {
      const origins = Array.from(new Set(items.map(({ origin }) => origin))).join(" and ")
      return yield* usage(`No address: set --target to the service's. The ledger is of ${origins}.`)
    }
    const apiKey = yield* Config.option(Config.Redacted(apiKeyEnv))
    if (Option.isNone(apiKey) || Redacted.value(apiKey.value).trim() === "") {
      return yield* usage(`No API key: set ${apiKeyEnv}.`)
    }
    return ClientConfig.layer({
      baseUrl,
      apiKey: apiKey.value,
      apiKeyHeader: yield* text("WEBAGENT_API_KEY_HEADER"),
      baseUrls: { v3, v4 },
      requestTimeout: "10 seconds"
    })
  },
  Effect.catchTag("ConfigError", (error) => Effect.fail(usage(error.message)))
)

/** Takes items out of the ledger that the user has dealt with. */
const forget = Effect.fnUntraced(function* (ledger: Ledger.Ledger, names: ReadonlyArray<string>) {
  const at_ms = yield* Clock.currentTimeMillis
  const items = yield* ledger.open
  for (const name of names) {
    const item = items.find(({ id, key }) => key === name || id === name)
    if (item === undefined)
      return yield* usage(`--forget: the ledger has no open item with the key or id ${quoted(name)}.`)
    const { id, key, kind } = item
    yield* ledger.write(id === undefined ? { _tag: "refused", at_ms, key } : { _tag: "closed", at_ms, kind, id })
  }
})

/** Stops what a killed process left, says what may go on, and fails with ExitError when something does. */
export const cleanUpLedger = (options: CleanupOptions) =>
  Effect.gen(function* () {
    const ledger = yield* openLedger(options.ledger)
    yield* forget(ledger, options.forget)
    const items = yield* ledger.open
    const now_ms = yield* Clock.currentTimeMillis
    const { style, write } = yield* terminal
    const say = (line: string) => (options.json ? Effect.void : write(`${line}\n`))
    const print = (leftovers: ReadonlyArray<Leftover.Leftover>) =>
      options.json
        ? JsonOutput.print(CleanupOutput.CleanupOutput, {
            ledger: options.ledger,
            dryRun: options.dryRun,
            items: CleanupOutput.itemsOf(leftovers)
          })
        : Effect.void
    const leftIn = (baseUrls: Leftover.Selection["baseUrls"]) =>
      Leftover.ofLedger(items, {
        baseUrls,
        owner: options.owner,
        atWork: ProcessOwner.atWork,
        now_ms,
        youngest_ms: Duration.toMillis(options.olderThan)
      })
    /** Explains how to remove the entries that `cleanup` cannot stop from the ledger. */
    const sayNext = (leftovers: ReadonlyArray<Leftover.Leftover>) => {
      const stuck = leftovers.find(({ state }) => state === "unknown") ?? leftovers.find(LeftoverText.isOpen)
      if (stuck === undefined) return Effect.void
      const { id, key } = stuck.item
      const first = stuck.state === "unknown" ? "look for it at the service, then" : "when it is over at the service"
      const forget = say(
        `next     ${first}: ${program} cleanup --ledger ${quoted(options.ledger)} --forget ${quoted(id ?? key)}`
      )
      const mayStop =
        options.control === undefined &&
        leftovers.some(({ item, state }) => state === "open" && item.kind !== "browser")
      return mayStop
        ? Effect.andThen(
            forget,
            say("next     a simulated server can stop its runs: add --control with its control API")
          )
        : forget
    }
    const show = (leftover: Leftover.Leftover) => say(LeftoverText.line(leftover, now_ms, style))

    yield* say(style.strong(`webagent harness ${version} · ledger ${options.ledger} · ${items.length} open`))
    if (items.length === 0) return yield* Effect.andThen(say("\nnothing is open"), print([]))
    yield* say("")
    if (options.dryRun) {
      const all = leftIn(undefined)
      for (const leftover of all) yield* show(leftover)
      yield* print(all)
      const left = all.filter(({ state }) => state !== "in use").length
      yield* say("")
      yield* sayNext(all)
      yield* say(`Dry run: nothing was changed. ${left} of ${counted(all.length, "item")} would be cleaned up.`)
      return left === 0 ? undefined : yield* new ExitError({ exitCode: 1 })
    }

    const leftovers = yield* Effect.gen(function* () {
      const { baseUrls } = yield* ClientConfig
      const opened = options.control === undefined ? undefined : yield* openControl(options.control)
      return yield* Effect.gen(function* () {
        const cancel = yield* Reaper.canceller(opened?.introspection.end)
        return yield* Reaper.reap(leftIn(baseUrls), options.for, show, cancel)
      }).pipe(
        Effect.provide(
          Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices).pipe(Layer.provideMerge(Transport.layer))
        )
      )
    }).pipe(
      Effect.provide(yield* configOf(options, items)),
      Effect.provide(NodeHttpClient.layerUndici),
      Effect.provideService(RetryPolicy.Current, Reaper.policy),
      Effect.provideService(Ledger.Current, ledger),
      Effect.catchTags({
        ClientConfigError: ({ message }) => Effect.fail(usage(message)),
        KeyRefused: () =>
          Effect.fail(
            unreachable(
              `The service does not take the API key in ${options.apiKeyEnv}: set it to a key of this service.`
            )
          )
      })
    )
    yield* print(leftovers)
    yield* say("")
    yield* sayNext(leftovers)
    yield* say(LeftoverText.summary(leftovers))
    if (leftovers.some(LeftoverText.isOpen)) return yield* new ExitError({ exitCode: 1 })
  }).pipe(
    Effect.scoped,
    Effect.catchTag("LedgerError", ({ message }) => Effect.fail(usage(`${message.replace(/\.$/u, "")}.`)))
  )
