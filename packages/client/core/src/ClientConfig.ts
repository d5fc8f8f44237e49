import { type ApiVersion, apiKeyHeader, basePath } from "@webagent/contract/Wire"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Environment from "./Environment.ts"
import type { Hooks } from "./Hooks.ts"
import { aRecord, aTime, isRecord, mustBe, positive } from "./MustBe.ts"
import { unknownName } from "./OptionNames.ts"

/** The configuration does not say where the service is or with which key. The message is one sentence that helps. */
export class ClientConfigError extends Schema.TaggedError<ClientConfigError>()("ClientConfigError", {
  message: Schema.String
}) {}

/** The longest times that one attempt of a request may take. */
export interface Timeouts {
  /**
   * Until there is a connection. Only undici can hold it, which is the HttpClient in Node; over another HttpClient
   * connecting is a part of `headers`. 10 seconds there unless told.
   */
  readonly connect?: Duration.Input | undefined
  /** Until the headers of the answer are there, connecting included; as long as `total` unless told. */
  readonly headers?: Duration.Input | undefined
  /** From the headers to the end of the body; as long as `total` unless told. */
  readonly body?: Duration.Input | undefined
  /** The whole attempt, body included; 30 seconds unless told. */
  readonly total?: Duration.Input | undefined
}

/** The meaning of a 429 to a create, as `Target` says. */
export type Refusals = "unknown" | "before-acting" | "after-acting"

/** Facts about the service beyond its description. They decide which creates may be repeated. */
export interface Target {
  /**
   * `honoured`: two creates with one `Idempotency-Key` are one, so that a create whose answer was lost is sent again
   * with its key. `unknown` unless told: then it is sent again only if it never left.
   */
  readonly idempotency?: "honoured" | "unknown" | undefined
  /**
   * The meaning of a 429 to a create. By default, `unknown`, nothing was created, and the call fails with
   * `TooManyRequestsError`. With `before-acting`, the client also sends the create again. With `after-acting`, the
   * service, or a gateway in front of it, may have created the resource before it refused, so the call fails with
   * `CreateOutcomeUnknown`.
   */
  readonly refusals?: Refusals | undefined
}

/** Options of a client: the service's address, and how to call it. */
export interface ClientOptions {
  /** Address of a deployment, `https://host` or with any `/api/vN` after it: each version puts its own there. */
  readonly baseUrl: string
  readonly apiKey: string | Redacted.Redacted<string>
  /** Name of the header that carries the key; `X-Service-API-Key` unless told. */
  readonly apiKeyHeader?: string | undefined
  /** Full addresses of single versions, where a deployment does not keep them under one. */
  readonly baseUrls?: { readonly [Version in ApiVersion]?: string | undefined } | undefined
  /** The longest time one attempt of a request may take, its answer's body included; short for `timeouts.total`. */
  readonly requestTimeout?: Duration.Input | undefined
  /** The longest time that each part of an attempt may take. */
  readonly timeouts?: Timeouts | undefined
  /** Treatment of a create that is sent twice, or refused, by the service. */
  readonly target?: Target | undefined
  /** Headers that go with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Is told of requests, responses, retries and polls. Nothing it is told contains the key. */
  readonly hooks?: Hooks | undefined
  /**
   * Treatment of the client's unfinished runs when your program is interrupted, as by Ctrl-C. By
   * default, `continue`, they continue, and a warning names them. With `cancel`, they are canceled, which is tried for a
   * minute; in API v3, their sessions are stopped.
   */
  readonly onInterrupt?: "cancel" | "continue" | undefined
}

/** The same, where what is missing comes from the environment. */
export interface GivenOptions extends Omit<ClientOptions, "baseUrl" | "apiKey"> {
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | Redacted.Redacted<string> | undefined
}

const versions = Object.keys(basePath) as ReadonlyArray<ApiVersion>

const fail = (message: string) => Effect.fail(new ClientConfigError({ message }))

/** An address without trailing slashes, or a sentence about what is wrong with it. */
const checkUrl = (name: string, text: string) => {
  const url = URL.parse(text.trim())
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return fail(`${name} is not a web address: give it as https://host${shown(text)}.`)
  }
  if (url.username !== "" || url.password !== "") {
    return fail(`${name} must not contain a user name or password.`)
  }
  if (url.search !== "" || url.hash !== "") return fail(`${name} must not contain a query or a fragment.`)
  return Effect.succeed(`${url.origin}${url.pathname}`.replace(/\/+$/u, ""))
}

/**
 * Shows a value in an error only if it looks like an address without a password or a query, because the rest might be
 * the key.
 */
const shown = (text: string) => (/^[^@?#]*[:/][^@?#]*$/u.test(text) ? `, got ${JSON.stringify(text)}` : "")

const checkKey = (name: string, key: Redacted.Redacted<string>) => {
  const value = Redacted.value(key).trim()
  if (value === "") return fail(`No API key: set ${name} to a key from the service's console.`)
  if (!/^[\x21-\x7e]+$/u.test(value)) {
    return fail(`${name} contains a character that no header can carry: copy it again.`)
  }
  return Effect.succeed(Redacted.make(value, { label: "API key" }))
}

const checkTime = (name: string, input: Duration.Input | undefined) => {
  const time = input === undefined ? undefined : positive(input)
  return time === undefined && input !== undefined ? fail(mustBe(name, aTime, input)) : Effect.succeed(time)
}

const oneOf = <const Known extends ReadonlyArray<string>>(name: string, words: Known, value: string | undefined) => {
  const chosen = value === undefined ? words[0] : words.find((one) => one === value)
  return chosen === undefined
    ? fail(mustBe(name, `one of ${words.join(", ")}`, value))
    : Effect.succeed(chosen as Known[number])
}

const isOfTransfer = "the client sets it"

/** Reasons why a header can't be an option, by its name in lower case. */
const reserved: { readonly [name: string]: string } = {
  "idempotency-key": "set idempotencyKey for one create",
  "x-request-id": "set requestId for one call",
  "content-length": isOfTransfer,
  expect: isOfTransfer,
  "keep-alive": isOfTransfer,
  "transfer-encoding": isOfTransfer,
  upgrade: isOfTransfer
}

/**
 * Checks headers that go with every request. They can't replace the key, or a header that differs from call to call.
 *
 * @param headers - The headers by name.
 * @param keyHeader - The name of the header with the API key, in lower case.
 * @returns The headers.
 * @throws `ClientConfigError` that names the first invalid header.
 * @example
 * ```ts
 * import { checkHeaders } from "@webagent/core"
 *
 * export const headers = checkHeaders({ "X-Team": "travel" }, "x-service-api-key")
 * ```
 */
export const checkHeaders = (headers: Readonly<Record<string, string>>, keyHeader: string) => {
  if (!isRecord(headers)) return fail(`headers must be ${aRecord}.`)
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (!headerName.test(name)) return fail(`${JSON.stringify(name)} in headers is not the name of a header.`)
    const why = lower === keyHeader ? "set apiKey" : reserved[lower]
    if (why !== undefined) return fail(`headers must not contain ${name}: ${why}.`)
    // what an object would be sent as is a guess
    if (Object(value) === value || typeof value === "symbol" || /[^\t\x20-\x7e\x80-\xff]/u.test(value)) {
      return fail(`headers.${name} must be a string without control characters.`)
    }
  }
  return Effect.succeed(headers)
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/u

/** Each setting: the field of the options that has it, if any, and its variable of the environment after `WEBAGENT_`. */
const settings = {
  apiKey: ["", "API_KEY"],
  baseUrl: ["", "BASE_URL"],
  v2: ["baseUrls.", "V2_BASE_URL"],
  v3: ["baseUrls.", "V3_BASE_URL"],
  v4: ["baseUrls.", "V4_BASE_URL"],
  apiKeyHeader: ["", "API_KEY_HEADER"],
  connect: ["timeouts.", "CONNECT_TIMEOUT"],
  headers: ["timeouts.", "HEADERS_TIMEOUT"],
  body: ["timeouts.", "BODY_TIMEOUT"],
  total: ["timeouts.", "REQUEST_TIMEOUT"],
  idempotency: ["target.", "IDEMPOTENCY"],
  refusals: ["target.", "REFUSALS"]
} as const

type Setting = keyof typeof settings

/** Names a setting in an error message. */
type NameOf = (setting: Setting) => string

const field: NameOf = (setting) => settings[setting][0] + setting
const variable: NameOf = (setting) => `WEBAGENT_${settings[setting][1]}`
/** Names both places, for a value that may come from either. */
const either: NameOf = (setting) => `${field(setting)} or ${variable(setting)}`

const names = Object.keys(settings) as ReadonlyArray<Setting>

/** Refuses options with a name that no option has. */
const checked = <Options extends object>(options: Options): Effect.Effect<Options, ClientConfigError> => {
  const paths = [...names.map(field), "requestTimeout", "headers", "hooks", "onInterrupt"]
  for (const [of, fields] of [["", options] as const, ...Object.entries(options)]) {
    const start = of && `${of}.`
    const inside = paths
      .filter((path) => path.startsWith(start))
      .map((path) => path.slice(start.length).replace(/\..*/u, ""))
    const message = inside.length > 0 && isRecord(fields) ? unknownName(start, fields, inside) : undefined
    if (message !== undefined) return fail(message)
  }
  return Effect.succeed(options)
}

/** The values of the settings. Those that come from JavaScript or the environment are of any type until they're checked. */
type Values = { [Name in Setting]?: never }

const valuesOf = (options: GivenOptions): Values => {
  const { apiKey, apiKeyHeader, baseUrl, baseUrls, requestTimeout, target, timeouts } = options
  const total = timeouts?.total ?? requestTimeout
  return { ...baseUrls, ...timeouts, ...target, apiKey, apiKeyHeader, baseUrl, total } as Values
}

const make = Effect.fnUntraced(function* (
  options: GivenOptions,
  nameOf: NameOf = field,
  values: Values = valuesOf(options)
) {
  const apiKey: string | Redacted.Redacted<string> = values.apiKey ?? ""
  const key = yield* checkKey(nameOf("apiKey"), typeof apiKey === "string" ? Redacted.make(apiKey) : apiKey)
  // the address of one version is enough, because the others have the same origin
  const own = (["baseUrl", "v4", "v3", "v2"] as const).find((name) => values[name] !== undefined)
  if (own === undefined) return yield* fail(`No address: set ${nameOf("baseUrl")} to the service's, https://host.`)
  const root = (yield* checkUrl(nameOf(own), values[own] ?? "")).replace(/\/api\/v\d+$/u, "")
  const baseUrls = { v2: "", v3: "", v4: "" }
  for (const version of versions) {
    const address = values[version]
    baseUrls[version] =
      address === undefined ? `${root}${basePath[version]}` : yield* checkUrl(nameOf(version), address)
  }
  const header: string = values.apiKeyHeader ?? apiKeyHeader
  if (!headerName.test(header)) {
    return yield* fail(`${nameOf("apiKeyHeader")} is not the name of a header.`)
  }
  const timeout = (part: keyof Timeouts) =>
    checkTime(
      part === "total" && nameOf === field && options.timeouts?.total === undefined ? "requestTimeout" : nameOf(part),
      values[part]
    )
  return ClientConfig.of({
    baseUrls,
    apiKey: key,
    apiKeyHeader: header.toLowerCase(),
    timeouts: {
      connect: yield* timeout("connect"),
      headers: yield* timeout("headers"),
      body: yield* timeout("body"),
      total: (yield* timeout("total")) ?? Duration.seconds(30)
    },
    target: {
      idempotency: yield* oneOf(nameOf("idempotency"), ["unknown", "honoured"], values.idempotency),
      refusals: yield* oneOf(nameOf("refusals"), ["unknown", "before-acting", "after-acting"], values.refusals)
    },
    onInterrupt: yield* oneOf("onInterrupt", ["continue", "cancel"], options.onInterrupt),
    headers: yield* checkHeaders(options.headers ?? {}, header.toLowerCase()),
    ...(options.hooks === undefined ? {} : { hooks: options.hooks })
  })
})

/** Adds settings from the environment to the given ones. effect/Config would do the same and more, at 2 kB. */
const resolve = Effect.fnUntraced(function* (options: GivenOptions, nameOf: NameOf) {
  const values = valuesOf(options)
  const read = yield* Environment.make
  for (const name of names) {
    // a given address is used for every version: no variable sends the requests of one version, and the key, elsewhere
    const isOverruled = options.baseUrl !== undefined && name in basePath
    if (isOverruled || (values[name] ?? undefined) !== undefined) continue
    values[name] = (yield* read(variable(name)).pipe(
      Effect.catch((error) => fail(`${variable(name)} cannot be read: ${error.message}`))
    )) as never
  }
  return yield* make(options, nameOf, values)
})

/**
 * The address of the service, and the key to call it with. The key stays redacted until it is put on a request.
 *
 * @example
 * ```ts
 * import { ClientConfig } from "@webagent/core"
 *
 * export const config = ClientConfig.layer({ baseUrl: "https://agents.example.com", apiKey: "wak_test" })
 * ```
 */
export class ClientConfig extends Context.Service<
  ClientConfig,
  {
    /** Full address of each version, without a trailing slash. */
    readonly baseUrls: Readonly<Record<ApiVersion, string>>
    readonly apiKey: Redacted.Redacted<string>
    /** In lower case. */
    readonly apiKeyHeader: string
    /** A limit that is undefined is bounded by `total` alone. */
    readonly timeouts: {
      readonly connect: Duration.Duration | undefined
      readonly headers: Duration.Duration | undefined
      readonly body: Duration.Duration | undefined
      readonly total: Duration.Duration
    }
    readonly target: {
      readonly idempotency: "honoured" | "unknown"
      readonly refusals: Refusals
    }
    readonly onInterrupt: "cancel" | "continue"
    readonly headers: Readonly<Record<string, string>>
    readonly hooks?: Hooks
  }
>()("@webagent/core/ClientConfig") {
  /**
   * Provides the configuration from values. The environment is not read.
   *
   * @param options - The address, the key, and limits.
   * @returns A layer. Fails with `ClientConfigError` if a value is missing or invalid.
   * @example
   * ```ts
   * import { ClientConfig } from "@webagent/core"
   *
   * export const layer = ClientConfig.layer({ baseUrl: "https://your.service", apiKey: "wak_..." })
   * ```
   */
  static readonly layer = (options: ClientOptions): Layer.Layer<ClientConfig, ClientConfigError> =>
    Layer.effect(this, make(options))

  /**
   * From WEBAGENT_API_KEY and WEBAGENT_BASE_URL; WEBAGENT_V2_BASE_URL, _V3_ and _V4_ are the full addresses of single
   * versions, WEBAGENT_API_KEY_HEADER renames the header. WEBAGENT_REQUEST_TIMEOUT, _CONNECT_TIMEOUT, _HEADERS_TIMEOUT
   * and _BODY_TIMEOUT are times such as "30 seconds"; WEBAGENT_IDEMPOTENCY and WEBAGENT_REFUSALS say what is known of
   * the service.
   */
  static readonly layerConfig: Layer.Layer<ClientConfig, ClientConfigError> = Layer.effect(this, resolve({}, variable))

  /**
   * Completes the given values from the environment.
   *
   * @param options - Values that override environment variables.
   * @returns The configuration. Fails with `ClientConfigError` if a value is missing or invalid.
   * @example
   * ```ts
   * import { ClientConfig } from "@webagent/core"
   *
   * export const program = ClientConfig.resolve({ baseUrl: "https://your.service" })
   * ```
   */
  static readonly resolve = (options: GivenOptions): Effect.Effect<ClientConfig["Service"], ClientConfigError> =>
    resolve(options, either)
}

/**
 * Provides the configuration from options. Missing options come from the environment.
 *
 * @param options - The address, the key and limits for time. Without options, everything comes from the environment.
 * @returns A layer with the configuration.
 * @throws `ClientConfigError` if a value is missing or invalid, or an option has an unknown name.
 * @example
 * ```ts
 * import { layerGiven, layerHttp, Transport } from "@webagent/core"
 * import * as Layer from "effect/Layer"
 *
 * export const layer = Transport.layer.pipe(
 *   Layer.provide(layerHttp),
 *   Layer.provide(layerGiven({ requestTimeout: "10 seconds" }))
 * )
 * ```
 */
export const layerGiven = (options?: GivenOptions): Layer.Layer<ClientConfig, ClientConfigError> =>
  options === undefined
    ? ClientConfig.layerConfig
    : Layer.effect(ClientConfig, Effect.flatMap(checked(options), ClientConfig.resolve))
