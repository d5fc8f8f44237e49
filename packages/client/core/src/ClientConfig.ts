import { type ApiVersion, apiKeyHeader, basePath } from "@webagent/contract/Wire"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Hooks } from "./Hooks.ts"
import { aRecord, aTime, isRecord, mustBe, positive } from "./MustBe.ts"

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
    return fail(`${name} must not contain a user name or password: the service is called with an API key.`)
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
    return fail(`${name} contains a character that no header can carry: was it copied with something around it?`)
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

/** Headers of the connection and of the length of a body: what sends a request sets them. */
const ofTransfer = new Set(["content-length", "expect", "keep-alive", "transfer-encoding", "upgrade"])

/** A header that goes with every request must not replace what tells one call from another, or who calls. */
export const checkHeaders = (headers: Readonly<Record<string, string>>, keyHeader: string) => {
  if (!isRecord(headers)) return fail(`headers must be ${aRecord}.`)
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (!headerName.test(name)) return fail(`headers has ${JSON.stringify(name)}, which is not the name of a header.`)
    if (lower === keyHeader) return fail(`headers must not contain ${name}: it carries the API key, set apiKey.`)
    if (lower === "idempotency-key") {
      return fail(
        `headers must not contain ${name}: every create would have the same. Set IdempotencyKey for one create.`
      )
    }
    if (lower === "x-request-id") return fail(`headers must not contain ${name}: set requestId for one call.`)
    if (ofTransfer.has(lower)) return fail(`headers must not contain ${name}: the HTTP client sets it.`)
    // what an object would be sent as is a guess
    if (Object(value) === value || typeof value === "symbol" || /[^\t\x20-\x7e\x80-\xff]/u.test(value)) {
      return fail(`headers.${name} must be a string without line ends or control characters.`)
    }
  }
  return Effect.succeed(headers)
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/u

/** Each setting, as a field of the options and as a variable of the environment. */
const settings = {
  apiKey: ["apiKey", "WEBAGENT_API_KEY"],
  baseUrl: ["baseUrl", "WEBAGENT_BASE_URL"],
  v2: ["baseUrls.v2", "WEBAGENT_V2_BASE_URL"],
  v3: ["baseUrls.v3", "WEBAGENT_V3_BASE_URL"],
  v4: ["baseUrls.v4", "WEBAGENT_V4_BASE_URL"],
  apiKeyHeader: ["apiKeyHeader", "WEBAGENT_API_KEY_HEADER"],
  connect: ["timeouts.connect", "WEBAGENT_CONNECT_TIMEOUT"],
  headers: ["timeouts.headers", "WEBAGENT_HEADERS_TIMEOUT"],
  body: ["timeouts.body", "WEBAGENT_BODY_TIMEOUT"],
  total: ["timeouts.total", "WEBAGENT_REQUEST_TIMEOUT"],
  idempotency: ["target.idempotency", "WEBAGENT_IDEMPOTENCY"],
  refusals: ["target.refusals", "WEBAGENT_REFUSALS"]
} as const

type Setting = keyof typeof settings

/** Names a setting in an error message. */
type NameOf = (setting: Setting) => string

const field: NameOf = (setting) => settings[setting][0]
const variable: NameOf = (setting) => settings[setting][1]
/** Names both places, for a value that may come from either. */
const either: NameOf = (setting) => settings[setting].join(" or ")

const make = Effect.fnUntraced(function* (options: ClientOptions, nameOf: NameOf = field) {
  const base = yield* checkUrl(nameOf("baseUrl"), options.baseUrl)
  const root = base.replace(/\/api\/v\d+$/u, "")
  const baseUrls = { v2: "", v3: "", v4: "" }
  for (const version of versions) {
    const own = options.baseUrls?.[version]
    baseUrls[version] = own === undefined ? `${root}${basePath[version]}` : yield* checkUrl(nameOf(version), own)
  }
  const key = typeof options.apiKey === "string" ? Redacted.make(options.apiKey) : options.apiKey
  const header = options.apiKeyHeader ?? apiKeyHeader
  if (!headerName.test(header)) {
    return yield* fail(`${nameOf("apiKeyHeader")} is not the name of a header.`)
  }
  const timeout = (part: keyof Timeouts) => checkTime(nameOf(part), options.timeouts?.[part])
  return ClientConfig.of({
    baseUrls,
    apiKey: yield* checkKey(nameOf("apiKey"), key),
    apiKeyHeader: header.toLowerCase(),
    timeouts: {
      connect: yield* timeout("connect"),
      headers: yield* timeout("headers"),
      body: yield* timeout("body"),
      total:
        (yield* timeout("total")) ??
        (yield* checkTime(nameOf === field ? "requestTimeout" : nameOf("total"), options.requestTimeout)) ??
        Duration.seconds(30)
    },
    target: {
      idempotency: yield* oneOf(nameOf("idempotency"), ["unknown", "honoured"], options.target?.idempotency),
      refusals: yield* oneOf(nameOf("refusals"), ["unknown", "before-acting", "after-acting"], options.target?.refusals)
    },
    headers: yield* checkHeaders(options.headers ?? {}, header.toLowerCase()),
    ...(options.hooks === undefined ? {} : { hooks: options.hooks })
  })
})

/** The text of a setting's variable, if it is set. effect/Config would do the same and more, at 2 kB. */
const text = (setting: Setting) =>
  Effect.gen(function* () {
    const provider = yield* ConfigProvider.ConfigProvider
    const node = yield* provider
      .load([variable(setting)])
      .pipe(Effect.catch((error) => fail(`${variable(setting)} cannot be read: ${error.message}`)))
    return node?.value
  })

/** The fields of an option; a missing field comes from the environment. `make` refuses invalid values. */
const filled = <Field extends Setting, Fields extends { readonly [Name in Field]?: unknown }>(
  names: ReadonlyArray<Field>,
  fields: Fields | undefined
) =>
  Effect.map(
    Effect.forEach(names, (name) => {
      const value: unknown = fields?.[name] ?? undefined
      return value === undefined ? text(name) : Effect.succeed(value)
    }),
    (values) => Object.fromEntries(names.map((name, index) => [name, values[index]])) as Fields
  )

/** Adds settings from the environment to the given ones. */
const resolve = Effect.fnUntraced(function* (options: GivenOptions, nameOf: NameOf) {
  const apiKey = options.apiKey ?? Redacted.make((yield* text("apiKey")) ?? "")
  // a given address is used for every version: no variable sends the requests of one version, and the key, elsewhere
  const own = options.baseUrl === undefined ? options.baseUrls : (options.baseUrls ?? {})
  const baseUrls = own ?? (yield* filled(versions, options.baseUrls))
  // the address of one version is enough, because the others have the same origin
  const version = (["v4", "v3", "v2"] as const).find((version) => baseUrls[version] !== undefined)
  const baseUrl = options.baseUrl ?? (yield* text("baseUrl")) ?? (version === undefined ? undefined : baseUrls[version])
  const total = options.timeouts?.total ?? options.requestTimeout
  const timeouts = yield* filled<keyof Timeouts, Timeouts>(["connect", "headers", "body", "total"], {
    ...options.timeouts,
    total
  })
  const target = yield* filled<keyof Target, Target>(["idempotency", "refusals"], options.target)
  const apiKeyHeader = options.apiKeyHeader ?? (yield* text("apiKeyHeader"))
  yield* checkKey(nameOf("apiKey"), typeof apiKey === "string" ? Redacted.make(apiKey) : apiKey)
  if (baseUrl === undefined) return yield* fail(`No address: set ${nameOf("baseUrl")} to the service's, https://host.`)
  return yield* make({ ...options, apiKey, baseUrl, baseUrls, apiKeyHeader, timeouts, target }, nameOf)
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
    readonly headers: Readonly<Record<string, string>>
    readonly hooks?: Hooks
  }
>()("@webagent/core/ClientConfig") {
  /** From values. */
  static readonly layer = (options: ClientOptions): Layer.Layer<ClientConfig, ClientConfigError> =>
    Layer.effect(this, make(options))

  /**
   * From WEBAGENT_API_KEY and WEBAGENT_BASE_URL; WEBAGENT_V2_BASE_URL, _V3_ and _V4_ are the full addresses of single
   * versions, WEBAGENT_API_KEY_HEADER renames the header. WEBAGENT_REQUEST_TIMEOUT, _CONNECT_TIMEOUT, _HEADERS_TIMEOUT
   * and _BODY_TIMEOUT are times such as "30 seconds"; WEBAGENT_IDEMPOTENCY and WEBAGENT_REFUSALS say what is known of
   * the service.
   */
  static readonly layerConfig: Layer.Layer<ClientConfig, ClientConfigError> = Layer.effect(this, resolve({}, variable))

  /** The configuration that these values and, where they say nothing, the environment give. */
  static readonly resolve = (options: GivenOptions): Effect.Effect<ClientConfig["Service"], ClientConfigError> =>
    resolve(options, either)

  /** From values and, where they say nothing, from the environment. */
  static readonly layerGiven = (options?: GivenOptions): Layer.Layer<ClientConfig, ClientConfigError> =>
    options === undefined ? this.layerConfig : Layer.effect(this, this.resolve(options))
}
