import { servesUntilStopped } from "@webagent/cli/ExitCode"
import { layerLog } from "@webagent/cli/Log"
import * as Settings from "@webagent/cli/Settings"
import { portInUse, usage } from "@webagent/cli/UserError"
import { ApiKeys } from "@webagent/engine"
import { Server } from "@webagent/server"
import * as Console from "effect/Console"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import { existsSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import * as Agents from "./agent.ts"
import * as Dialogues from "./dialogues.ts"
import { ServedBrowsers } from "./browsers.ts"
import { folderOf } from "./data.ts"
import * as Durable from "./durable.ts"
import { readModels } from "./modelChoices.ts"
import type { ModelName, ModelPrice } from "./modelTexts.ts"
import { restartWhenLost } from "./node.ts"
import { orSentence } from "./orSentence.ts"
import { profileKeyVariable } from "./profileKeys.ts"
import { program } from "./program.ts"
import { hasFiles, reload } from "./reload.ts"
import type { ServeFlags } from "./serve.ts"
import { settingsInForce } from "./settingsInForce.ts"
import { shownCommand } from "./shownCommand.ts"
import { withHangup, withLimit } from "./stopping.ts"
import { layerTraces } from "./traces.ts"

const megabyte = 2 ** 20

type ModelConfig = Agents.AgentOptions["model"]

/** The settings of one model, and where users set them. */
interface ModelSettings {
  readonly flag: string
  readonly name: ModelName
  readonly url: string | undefined
  readonly price: ModelPrice | undefined
  readonly keyName: string
}

/** Resolves the settings of a model, with its key from the environment. Without a key, each run would fail. */
const modelOf = Effect.fnUntraced(function* ({ flag, keyName, name, price, url }: ModelSettings) {
  const apiKey = Option.getOrUndefined(yield* Agents.keyOf(keyName))
  if (name.dialect !== "openai-compatible" && url === undefined && apiKey === undefined) {
    return yield* usage(`${flag} ${name.dialect}:${name.model} needs the key of the model. Set it in ${keyName}.`)
  }
  return { ...name, baseUrl: url, apiKey, keyName, price }
})

/** Fails if the cost of runs is limited but the price of a model is unknown. */
const checkPrice = ({ flag, price }: ModelSettings, { maxRunCost }: ServeFlags["agent"]) => {
  if (maxRunCost === undefined || price !== undefined) return Effect.void
  const [what, advice] =
    flag === "--model"
      ? ["model", "--model-price input=USD,output=USD"]
      : flag === "--fallback-model"
        ? ["fallback model", "--fallback-price input=USD,output=USD"]
        : [`model ${flag}`, '"price": "input=USD,output=USD" to the file']
  return Effect.fail(usage(`--max-run-cost needs the prices of the ${what}. Add ${advice} or remove it.`))
}

/** Resolves the models that runs may choose. */
const choicesOf = Effect.fnUntraced(function* (agent: ServeFlags["agent"], request: Partial<ModelConfig>) {
  if (agent.models === undefined) return {}
  const choices: Record<string, ModelConfig> = {}
  for (const { context, keyName, name, price, sees, url, ...model } of yield* readModels(agent.models)) {
    const settings = { flag: `--models ${name}`, keyName, name: model, price, url }
    yield* checkPrice({ ...settings, flag: name }, agent)
    choices[name] = { ...(yield* modelOf(settings)), ...request, contextTokens: context, sees }
  }
  return choices
})

/** Resolves the settings of the agent. */
const agentOf = Effect.fnUntraced(function* (
  name: ModelName,
  agent: ServeFlags["agent"],
  fallback: ServeFlags["fallback"] | undefined
) {
  const { fallbackModel, maxFailedSteps, maxPageChars, maxRepeatedSteps, maxRunCost, maxRunTime, maxSteps } = agent
  const { modelContext, modelMarks, modelRetryFor, modelSees, modelTimeout, recordDialogues } = agent
  const main: ModelSettings = {
    flag: "--model",
    name,
    url: agent.modelUrl,
    price: agent.modelPrice,
    keyName: "WEBAGENT_MODEL_KEY"
  }
  const second: ModelSettings | undefined = fallbackModel && {
    flag: "--fallback-model",
    name: fallbackModel,
    url: fallback?.fallbackUrl,
    price: fallback?.fallbackPrice,
    keyName: "WEBAGENT_FALLBACK_KEY"
  }
  yield* checkPrice(main, agent)
  if (second !== undefined) yield* checkPrice(second, agent)
  const secrets = agent.secrets === undefined ? [] : yield* Agents.readSecrets(agent.secrets)
  const approvals = agent.approvals === undefined ? [] : yield* Agents.readApprovals(agent.approvals)
  if (modelMarks === true && modelSees !== true && agent.models === undefined) {
    return yield* usage("--model-marks: add --model-sees, because only pictures have marks.")
  }
  const request = {
    requestTimeout: modelTimeout,
    retryFor: modelRetryFor,
    sees: modelSees ?? false,
    marks: modelMarks ?? false
  }
  return {
    model: {
      ...(yield* modelOf(main)),
      ...request,
      contextTokens: modelContext,
      fallback: second && { ...(yield* modelOf(second)), ...request }
    },
    choices: yield* choicesOf(agent, request),
    judges: agent.judge ?? false,
    pictures: agent.stepPictures ?? true,
    ...(maxPageChars === undefined ? {} : { pageChars: maxPageChars }),
    ...(recordDialogues === undefined ? {} : { record: yield* Dialogues.recorder(recordDialogues) }),
    domains: agent.allowDomains ?? null,
    secrets,
    approvals,
    limits: {
      ...(maxSteps === undefined ? {} : { steps: maxSteps }),
      ...(maxFailedSteps === undefined ? {} : { failures: maxFailedSteps }),
      ...(maxRepeatedSteps === undefined ? {} : { repeats: maxRepeatedSteps }),
      ...(maxRunCost === undefined ? {} : { cost: maxRunCost }),
      ...(maxRunTime === undefined ? {} : { duration_ms: Duration.toMillis(maxRunTime) })
    }
  } satisfies Agents.AgentOptions
})

/** Names the models of an agent as the flags do. */
const nameOf = ({ dialect, fallback, model }: ModelConfig): string =>
  `${dialect}:${model}${fallback === undefined ? "" : `, and ${nameOf(fallback)} when it fails`}`

/** Resolves the flags of a service; fails for a setting that does not apply. */
const resolve = Effect.fnUntraced(function* (given: ServeFlags) {
  const { data } = given
  const { model } = given.chromium
  // a model needs real browsers; without a model no agent could use them
  const browsers = given.browsers ?? (model === undefined ? "simulated" : "chromium")
  const agent = yield* Settings.group(given.agent, model !== undefined, ["a model", "--model DIALECT:NAME"])
  const fallback = yield* Settings.group(given.fallback, agent?.fallbackModel !== undefined, [
    "a fallback model",
    "--fallback-model DIALECT:NAME"
  ])
  const file = yield* Settings.group(given.file, data._tag === "File", ["a database file", "--data FILE"])
  const shared = yield* Settings.group(given.shared, data._tag === "Postgres", [
    "servers that share a database",
    "--data postgres://user@host/name"
  ])
  const simulated = yield* Settings.group(given.simulated, browsers !== "chromium", [
    "simulated browsers",
    "--browsers simulated"
  ])
  const limits = yield* Settings.group(
    given.limits,
    browsers !== "simulated" || given.limits.maxBrowsers !== undefined,
    ["a limited number of browsers", "--max-browsers N"]
  )
  const chromium = yield* Settings.group(given.chromium, browsers !== "simulated", [
    "real browsers",
    "--browsers chromium"
  ])
  return {
    data,
    node: given.node ?? hostname(),
    ...(shared === undefined ? {} : { shared }),
    sqlite: {
      durable: file?.durable ?? "normal",
      ...(file?.sqliteLogLimit === undefined ? {} : { logLimit: file.sqliteLogLimit * megabyte })
    },
    host: given.host,
    port: given.port,
    allowedHosts: given.allowHost,
    publicUrl: given.publicUrl,
    trustProxy: given.trustProxy,
    apiKeyHeader: given.apiKeyHeader,
    console: given.console ?? true,
    apiKeys: yield* Settings.apiKeys(given.apiKeys),
    adminKeys: yield* Settings.apiKeys(given.adminKeys, "adminKey"),
    settings: settingsInForce(given),
    command: shownCommand(yield* (yield* Stdio.Stdio).args),
    allowPrivateWebhooks: given.allowPrivateWebhooks ?? false,
    simulated: { seed: simulated?.seed ?? 1, turnDuration: simulated?.turnDuration },
    drainWithin: given.drainWithin,
    files: {
      folder: given.files ?? (data._tag === "File" ? join(folderOf(data), "files") : undefined),
      limits: {
        file: given.fileLimit * megabyte,
        workspace: given.workspaceLimit * megabyte,
        owner: given.keyFilesLimit * megabyte
      },
      keep_ms: given.keepFilesDays * 86_400_000
    },
    retention: { keep_ms: given.keepDays * 86_400_000, keepRuns: given.keepRuns },
    browsers,
    ...(browsers === "simulated"
      ? {}
      : {
          profileKeys: {
            keys: Option.getOrUndefined(yield* Agents.keyOf(profileKeyVariable)),
            file: chromium?.profileKeyFile
          }
        }),
    agent: model && agent && (yield* agentOf(model, agent, fallback)),
    chromium: {
      isolation: chromium?.minIsolation ?? "namespaces",
      folder: folderOf(data),
      egress: { allowPrivate: chromium?.allowPrivate ?? [], countries: chromium?.countryProxies ?? {} },
      languages: chromium?.browserLanguages
    },
    limits: {
      most: limits?.maxBrowsers,
      mostPerKey: limits?.maxBrowsersPerKey,
      browserQueueTimeout: limits?.browserQueueTimeout,
      runQueueTimeout: limits?.runQueueTimeout
    }
  } satisfies Durable.DurableOptions
})

/** Counts the keys of the database that aren't revoked. */
const countKeys = ApiKeys.use(({ list }) =>
  Effect.map(list, (all) => all.filter(({ revokedAt_ms }) => revokedAt_ms === null).length)
)

/**
 * Prints the addresses and settings of the server. The keys are the last line, so that a process waiting for it has
 * received all the others. Given keys are counted but not shown, because this output usually goes to a log.
 */
const announce = Effect.fnUntraced(function* ({ adminKeys, agent, apiKeys, console, data }: Durable.DurableOptions) {
  const server = yield* Server
  const { sentence } = yield* ServedBrowsers
  const stored = yield* countKeys
  const count = apiKeys.length + adminKeys.length
  const lines = [
    ...Object.entries(server.baseUrls),
    ["docs", `${server.address}/api/v4/docs`],
    ...(console ? [["console", `${server.address}/console`] as const] : []),
    ["data", `${data.name}, kept across restarts`],
    ["browsers", sentence],
    ...(agent === undefined ? [] : [["model", nameOf(agent.model)] as const]),
    ["keys", `${count === 0 ? "" : `${count} given, `}${stored} in ${data.name}`]
  ] as const
  const width = Math.max(...lines.map(([label]) => label.length)) + 2
  for (const [label, text] of lines) yield* Console.log(`${label.padEnd(width)}${text}`)
})

/** Serves a database until Ctrl-C. */
export const serveDatabase = Effect.fnUntraced(function* (given: ServeFlags) {
  const options = yield* resolve(given)
  const { adminKeys, apiKeys, data } = options
  const isKeyless = apiKeys.length === 0 && adminKeys.length === 0
  const keyless = (what: string) =>
    usage(
      `${data.name} ${what}. Create one: ${program} keys create --data ${data.name} --name NAME. Or set one with --api-key.`
    )
  // a new file has no keys, and a misspelt path gets neither folder nor file
  if (isKeyless && data._tag === "File" && !existsSync(data.name)) {
    return yield* keyless("does not exist, so it has no API keys")
  }
  const check = Effect.gen(function* () {
    if (isKeyless && (yield* countKeys) === 0) yield* keyless("has no API keys")
  })
  const server = (lost: Effect.Effect<void>) =>
    Layer.provide(Layer.effectDiscard(announce(options)), Durable.layer(options, check, lost))
  const untilLost = Effect.flatMap(Deferred.make<void>(), (lost) =>
    Effect.raceFirst(Layer.launch(server(Effect.asVoid(Deferred.succeed(lost, undefined)))), Deferred.await(lost))
  )
  servesUntilStopped.now = true
  return yield* restartWhenLost(untilLost).pipe(
    Effect.catchTags({
      PortInUseError: ({ port }) => Effect.fail(portInUse(port)),
      ListenError: (error) => Effect.fail(usage(`${error.message}.`))
    }),
    orSentence,
    withHangup(hasFiles(given, options) ? reload(options, resolve) : undefined),
    withLimit(given.drainWithin),
    Effect.provide(Layer.provideMerge(layerTraces, layerLog(given.log)))
  )
})
