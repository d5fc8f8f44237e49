import { isLoopback } from "@webagent/contract/Loopback"
import { ApiKeys } from "@webagent/engine"
import { LinkTokens, type ListenError, type PortInUseError, Server } from "@webagent/server"
import { ControlServer, SimulatedService } from "@webagent/simulation"
import * as SimulationFlags from "@webagent/simulation/SimulationFlags"
import * as Console from "effect/Console"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { hostname } from "node:os"
import * as Agents from "./agent.ts"
import { ServedBrowsers } from "./browsers.ts"
import { type Data, dataOf, folderOf } from "./data.ts"
import { orSentence } from "./orSentence.ts"
import * as Durable from "./durable.ts"
import { servesUntilStopped } from "@webagent/cli/ExitCode"
import { layerLog } from "./log.ts"
import { program as name } from "./program.ts"
import { anew } from "./node.ts"
import * as settings from "./settings.ts"
import { withHangup, withLimit } from "./stopping.ts"
import { portInUse, type UserError, usage } from "@webagent/cli/UserError"

/** The keys that were given: as flags, else in the environment. */
const givenKeys = (given: ReadonlyArray<string>) =>
  given.length > 0 ? Effect.succeed(given) : Effect.map(settings.apiKey, Option.toArray)

/** The keys to accept: as given, else a new one for use on this machine only. */
const resolveKeys = Effect.fnUntraced(function* (host: string, given: ReadonlyArray<string>) {
  const explicit = yield* givenKeys(given)
  if (explicit.length > 0) return explicit
  if (!isLoopback(host)) {
    return yield* usage(`Other machines can reach ${host}. Set an API key with --api-key or WEBAGENT_SERVER_API_KEY.`)
  }
  return [`wak_${randomBytes(18).toString("base64url")}`]
})

const explain = (error: PortInUseError | ListenError, controlPort: Option.Option<number>) =>
  error._tag === "ListenError"
    ? usage(`${error.message}.`)
    : portInUse(error.port, Option.contains(controlPort, error.port) ? "--control-port" : "--port")

type Line = readonly [label: string, text: string]

/**
 * Prints the server's addresses, its settings that differ from the defaults, and the key. The key is the last line, so
 * that a process waiting for it has received all the others.
 */
const announce = (more: ReadonlyArray<Line>, keys: Line) =>
  Effect.gen(function* () {
    const server = yield* Server
    const lines = [
      ...Object.entries(server.baseUrls),
      ["docs", `${server.address}/api/v4/docs`],
      ...more,
      keys
    ] as const
    const width = Math.max(...lines.map(([label]) => label.length)) + 2
    for (const [label, text] of lines) yield* Console.log(`${label.padEnd(width)}${text}`)
  })

type ModelConfig = Agents.AgentOptions["model"]

type Flags = Command.Command.Config.Infer<typeof flags>

/** The flags, with the browsers that they mean. */
type Given = Omit<Flags, "browsers"> & { readonly browsers: Durable.DurableOptions["browsers"] }

const flags = { ...settings.server, ...SimulationFlags.flags }

/** The simulated service, everything in memory. */
const inMemory = Effect.fnUntraced(function* (given: Given) {
  yield* refuse(
    given,
    inFileOnly,
    (flag) => `${flag} works only for a server that keeps everything in a database. Add --data FILE or remove ${flag}.`
  )
  const { allowHost, apiKeys: asked, host, port, publicUrl, seed, trustProxy, turnDuration, ...simulation } = given
  const apiKeys = yield* resolveKeys(host, asked)
  const resolved = yield* Effect.mapError(SimulationFlags.resolve(simulation), ({ message }) => usage(message))
  const server = SimulatedService.layer({
    host,
    port,
    apiKeys,
    seed,
    allowedHosts: Option.getOrUndefined(allowHost),
    publicUrl: Option.getOrUndefined(publicUrl),
    trustProxy: Option.getOrUndefined(trustProxy),
    linkTokens: LinkTokens.layerRandom,
    ...resolved.options,
    ...Option.match(turnDuration, { onNone: () => ({}), onSome: (duration) => ({ turnDuration: duration }) })
  })
  const announced = Effect.flatMap(ControlServer, (control) =>
    announce([["data", "in memory, until the server ends"], ...resolved.lines(control)], ["key", apiKeys[0] ?? ""])
  )
  return () => Layer.provide(Layer.effectDiscard(announced), server)
})

/** The flags of the simulation that need its journal, its time or its faults, which a database does not keep. */
const inMemoryOnly = [
  "profile",
  "faults",
  "time",
  "timeScale",
  "control",
  "controlPort",
  "controlKey",
  "journalSize"
] as const

/** The flags of a server that keeps everything in a database. */
const inFileOnly = ["node", "advertise", "durable", "sqliteLogLimit", "keepDays", "keepRuns", "drainWithin"] as const

const { model: _, ...modelFlags } = settings.model

/** The flags of a model. */
const withModelOnly = Object.keys(modelFlags) as ReadonlyArray<keyof typeof modelFlags>

/** The flags of real browsers. */
const withChromiumOnly = [
  "isolation",
  "browserLanguages",
  "maxBrowsers",
  "maxBrowsersPerKey",
  "allowPrivate",
  "countryProxies",
  "model",
  ...withModelOnly
] as const

/** Fails for the first of these flags that was given. */
const refuse = <Name extends string>(
  given: { readonly [Key in Name]: Option.Option<unknown> | boolean },
  names: ReadonlyArray<Name>,
  sentence: (flag: string) => string
): Effect.Effect<void, UserError> => {
  const found = names.find(
    (name) => given[name] === true || (Option.isOption(given[name]) && Option.isSome(given[name]))
  )
  return found === undefined ? Effect.void : Effect.fail(usage(sentence(settings.flagOf(found))))
}

/** The model that is asked when the first one fails. */
const fallbackOf = Effect.fnUntraced(function* ({
  fallbackModel,
  fallbackPrice,
  fallbackUrl,
  maxRunCost,
  modelRetryFor,
  modelSees,
  modelTimeout
}: Given) {
  if (Option.isNone(fallbackModel)) {
    yield* refuse(
      { fallbackPrice, fallbackUrl },
      ["fallbackUrl", "fallbackPrice"],
      (flag) => `${flag} works only with a fallback model. Add --fallback-model DIALECT:NAME or remove ${flag}.`
    )
    return undefined
  }
  if (Option.isSome(maxRunCost) && Option.isNone(fallbackPrice)) {
    return yield* usage(
      "--max-run-cost needs the prices of the fallback model. Add --fallback-price input=USD,output=USD or remove it."
    )
  }
  return {
    ...fallbackModel.value,
    baseUrl: Option.getOrUndefined(fallbackUrl),
    apiKey: Option.getOrUndefined(yield* Agents.fallbackKey),
    keyName: Agents.fallbackKeyName,
    price: Option.getOrUndefined(fallbackPrice),
    requestTimeout: Option.getOrUndefined(modelTimeout),
    retryFor: Option.getOrUndefined(modelRetryFor),
    sees: Option.getOrElse(modelSees, () => false)
  }
})

/** Refuses a model of a vendor that has no key: each run would fail. */
const refuseWithoutKey = (flag: string, { apiKey, baseUrl, dialect, keyName, model }: ModelConfig) =>
  dialect === "openai-compatible" || baseUrl !== undefined || apiKey !== undefined
    ? Effect.void
    : Effect.fail(usage(`${flag} ${dialect}:${model} needs the key of the model. Set it in ${keyName}.`))

/** The agent that the flags describe; none without a model. */
const agentOf = Effect.fnUntraced(function* (given: Given) {
  if (Option.isNone(given.model)) return undefined
  if (Option.isSome(given.maxRunCost) && Option.isNone(given.modelPrice)) {
    return yield* usage(
      "--max-run-cost needs the prices of the model. Add --model-price input=USD,output=USD or remove it."
    )
  }
  const { maxRunCost, maxRunTime, maxSteps } = given
  const options: Agents.AgentOptions = {
    model: {
      ...given.model.value,
      baseUrl: Option.getOrUndefined(given.modelUrl),
      apiKey: Option.getOrUndefined(yield* Agents.modelKey),
      keyName: Agents.modelKeyName,
      price: Option.getOrUndefined(given.modelPrice),
      requestTimeout: Option.getOrUndefined(given.modelTimeout),
      retryFor: Option.getOrUndefined(given.modelRetryFor),
      sees: Option.getOrElse(given.modelSees, () => false),
      fallback: yield* fallbackOf(given)
    },
    judges: Option.getOrElse(given.judge, () => false),
    pictures: Option.getOrElse(given.stepPictures, () => true),
    domains: Option.getOrNull(given.allowDomains),
    secrets: Option.isNone(given.secrets) ? [] : yield* Agents.readSecrets(given.secrets.value),
    limits: {
      ...Option.match(maxSteps, { onNone: () => ({}), onSome: (steps) => ({ steps }) }),
      ...Option.match(maxRunCost, { onNone: () => ({}), onSome: (cost) => ({ cost }) }),
      ...Option.match(maxRunTime, { onNone: () => ({}), onSome: (time) => ({ duration_ms: Duration.toMillis(time) }) })
    }
  }
  yield* refuseWithoutKey("--model", options.model)
  const { fallback } = options.model
  if (fallback !== undefined) yield* refuseWithoutKey("--fallback-model", fallback)
  return options
})

/** The models of an agent, as the flags name them. */
const named = ({ dialect, fallback, model }: ModelConfig): string =>
  `${dialect}:${model}${fallback === undefined ? "" : `, and ${named(fallback)} when it fails`}`

/** Time that runs may continue after the first signal. */
const drainOf = ({ drainWithin }: Given) => Option.getOrElse(drainWithin, () => Duration.seconds(30))

/** The server over a database. */
const inDatabase = Effect.fnUntraced(function* (data: Data, given: Given) {
  const kept = Option.isSome(given.data) ? "--data" : "--browsers"
  yield* refuse(
    given,
    inMemoryOnly,
    (flag) => `${flag} works only for a server that keeps everything in memory. Remove ${flag} or ${kept}.`
  )
  if (data._tag === "Postgres" && Option.isSome(given.durable)) {
    return yield* usage(
      "--durable is about a database file. Remove it, or set synchronous_commit of the Postgres database."
    )
  }
  if (data._tag === "Postgres") {
    yield* refuse(
      given,
      ["sqliteLogLimit"],
      (flag) => `${flag} works only with a database file. Remove ${flag}, or use --data FILE.`
    )
  }
  if (data._tag === "File" && Option.isSome(given.advertise)) {
    return yield* usage(
      "--advertise is for servers that share a database. Remove it, or use --data postgres://user@host/name."
    )
  }
  const agent = yield* agentOf(given)
  const apiKeys = yield* givenKeys(given.apiKeys)
  const live = ApiKeys.use(({ list }) =>
    Effect.map(list, (all) => all.filter(({ revokedAt_ms }) => revokedAt_ms === null).length)
  )
  const keyless = (what: string) =>
    usage(
      `${data.name} ${what}. Create one: ${name} keys create --data ${data.name} --name NAME. Or set one with --api-key.`
    )
  // a new file has no keys, and a path that is misspelt gets neither folder nor file
  if (apiKeys.length === 0 && data._tag === "File" && !existsSync(data.name)) {
    return yield* keyless("does not exist, so it has no API keys")
  }
  const check = Effect.gen(function* () {
    if (apiKeys.length === 0 && (yield* live) === 0) yield* keyless("has no API keys")
  })
  // a server with a file runs where what it prints is a log, so a given key is not shown
  const announced = Effect.flatMap(live, (count) => {
    const given = apiKeys.length === 0 ? "" : `${apiKeys.length} given, `
    return Effect.flatMap(ServedBrowsers, ({ sentence }) =>
      announce(
        [
          ["data", `${data.name}, kept across restarts`],
          ["browsers", sentence],
          ...(agent === undefined ? [] : [["model", named(agent.model)] as const])
        ],
        ["keys", `${given}${count} in ${data.name}`]
      )
    )
  })
  const options: Durable.DurableOptions = {
    data,
    node: Option.getOrElse(given.node, hostname),
    sqlite: {
      durable: Option.getOrElse(given.durable, () => "normal" as const),
      ...Option.match(given.sqliteLogLimit, { onNone: () => ({}), onSome: (limit) => ({ logLimit: limit * 2 ** 20 }) })
    },
    host: given.host,
    port: given.port,
    allowedHosts: Option.getOrUndefined(given.allowHost),
    publicUrl: Option.getOrUndefined(given.publicUrl),
    trustProxy: Option.getOrUndefined(given.trustProxy),
    apiKeys,
    seed: given.seed,
    drainWithin: drainOf(given),
    retention: {
      keep_ms: Option.getOrElse(given.keepDays, () => settings.defaultKeep.days) * 86_400_000,
      keepRuns: Option.getOrElse(given.keepRuns, () => settings.defaultKeep.runs)
    },
    browsers: given.browsers,
    ...(agent === undefined ? {} : { agent }),
    chromium: {
      isolation: Option.getOrElse(given.isolation, () => "namespaces" as const),
      folder: folderOf(data),
      egress: {
        allowPrivate: Option.getOrElse(given.allowPrivate, () => []),
        countries: Option.getOrElse(given.countryProxies, () => ({}))
      },
      ...Option.match(given.browserLanguages, { onNone: () => ({}), onSome: (languages) => ({ languages }) }),
      ...Option.match(given.maxBrowsersPerKey, { onNone: () => ({}), onSome: (mostPerKey) => ({ mostPerKey }) }),
      ...Option.match(given.maxBrowsers, { onNone: () => ({}), onSome: (most) => ({ most }) })
    },
    ...Option.match(given.turnDuration, { onNone: () => ({}), onSome: (turnDuration) => ({ turnDuration }) })
  }
  const shared = Option.match(given.advertise, { onNone: () => ({}), onSome: (advertise) => ({ advertise }) })
  return (lost: Effect.Effect<void>) =>
    Layer.provide(
      Layer.effectDiscard(announced),
      Durable.layer(data._tag === "Postgres" ? { ...options, shared: { ...shared, lost } } : options, check)
    )
})

/** The browsers of a server that is told none: a model needs real ones; without one no agent could use them. */
const usualBrowsers = ({ model }: Flags): Given["browsers"] => (Option.isSome(model) ? "chromium" : "simulated")

/** Serves until Ctrl-C. */
export const serve = Command.make(
  "webagent-server",
  flags,
  Effect.fnUntraced(function* (asked) {
    const given: Given = { ...asked, browsers: Option.getOrElse(asked.browsers, () => usualBrowsers(asked)) }
    if (Option.isNone(given.model)) {
      yield* refuse(
        given,
        withModelOnly,
        (flag) => `${flag} works only with a model. Add --model DIALECT:NAME or remove ${flag}.`
      )
    }
    if (given.browsers === "simulated") {
      yield* refuse(
        given,
        withChromiumOnly,
        (flag) => `${flag} works only with real browsers. Add --browsers chromium or remove ${flag}.`
      )
    }
    // what real browsers did is not to be forgotten
    const data = Option.orElse(given.data, () =>
      given.browsers === "simulated" ? Option.none() : Option.some(dataOf(settings.defaultFile))
    )
    const program = Option.isSome(data) ? yield* inDatabase(data.value, given) : yield* inMemory(given)
    const untilLost = Effect.flatMap(Deferred.make<void>(), (lost) =>
      Effect.raceFirst(Layer.launch(program(Deferred.succeed(lost, undefined))), Deferred.await(lost))
    )
    servesUntilStopped.now = true
    return yield* anew(untilLost).pipe(
      Effect.catchTags({
        PortInUseError: (error) => Effect.fail(explain(error, given.controlPort)),
        ListenError: (error) => Effect.fail(explain(error, given.controlPort))
      }),
      orSentence,
      withHangup,
      // only a server with a database has runs to wait for
      withLimit(Option.isSome(data) ? drainOf(given) : Duration.zero),
      Effect.provide(layerLog(given.log))
    )
  })
).pipe(Command.withDescription("Serve v2, v3 and v4 of the web-agent service, with a simulated agent or with a model"))
