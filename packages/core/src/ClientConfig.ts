import { type ApiVersion, apiKeyHeader, basePath } from "@webagent/contract/Wire"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The configuration does not say where the service is or with which key. The message is one sentence that helps. */
export class ClientConfigError extends Schema.TaggedError<ClientConfigError>()("ClientConfigError", {
  message: Schema.String
}) {}

/** Where the service is, and how to talk to it. */
export interface ClientOptions {
  /** Address of a deployment, `https://host` or with any `/api/vN` after it: each version puts its own there. */
  readonly baseUrl: string
  readonly apiKey: string | Redacted.Redacted<string>
  /** Name of the header that carries the key; `X-Service-API-Key` unless told. */
  readonly apiKeyHeader?: string | undefined
  /** Full addresses of single versions, where a deployment does not keep them under one. */
  readonly baseUrls?: { readonly [Version in ApiVersion]?: string | undefined } | undefined
  /** The longest time one attempt of a request may take, its answer's body included; 30 seconds unless told. */
  readonly requestTimeout?: Duration.Input | undefined
  /** Headers that go with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const versions = Object.keys(basePath) as ReadonlyArray<ApiVersion>

const fail = (message: string) => Effect.fail(new ClientConfigError({ message }))

/** An address without trailing slashes, or a sentence about what is wrong with it. */
const checkUrl = (name: string, text: string) => {
  const url = URL.parse(text.trim())
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return fail(`${name} is not a web address: give it as https://host, got ${JSON.stringify(withoutUserInfo(text))}.`)
  }
  if (url.username !== "" || url.password !== "") {
    return fail(`${name} must not contain a user name or password: the service is called with an API key.`)
  }
  if (url.search !== "" || url.hash !== "") return fail(`${name} must not contain a query or a fragment.`)
  return Effect.succeed(`${url.origin}${url.pathname}`.replace(/\/+$/u, ""))
}

const withoutUserInfo = (text: string) => text.replace(/\/\/[^/]*@/u, "//")

const checkKey = (name: string, key: Redacted.Redacted<string>) => {
  const value = Redacted.value(key).trim()
  if (value === "") return fail(`No API key: set ${name} to a key from the service's console.`)
  if (!/^[\x21-\x7e]+$/u.test(value)) {
    return fail(`${name} contains a character that no header can carry; was it copied with something around it?`)
  }
  return Effect.succeed(Redacted.make(value, { label: "API key" }))
}

const make = Effect.fnUntraced(function* (options: ClientOptions, names: Readonly<Record<string, string>> = {}) {
  const base = yield* checkUrl(names["baseUrl"] ?? "baseUrl", options.baseUrl)
  const root = base.replace(/\/api\/v\d+$/u, "")
  const baseUrls = { v2: "", v3: "", v4: "" }
  for (const version of versions) {
    const own = options.baseUrls?.[version]
    baseUrls[version] =
      own === undefined ? `${root}${basePath[version]}` : yield* checkUrl(names[version] ?? `baseUrls.${version}`, own)
  }
  const key = typeof options.apiKey === "string" ? Redacted.make(options.apiKey) : options.apiKey
  const header = options.apiKeyHeader ?? apiKeyHeader
  if (!/^[\w!#$%&'*+.^`|~-]+$/u.test(header)) {
    return yield* fail(`${names["apiKeyHeader"] ?? "apiKeyHeader"} is not the name of a header.`)
  }
  return ClientConfig.of({
    baseUrls,
    apiKey: yield* checkKey(names["apiKey"] ?? "apiKey", key),
    apiKeyHeader: header.toLowerCase(),
    requestTimeout: Duration.fromInputUnsafe(options.requestTimeout ?? "30 seconds"),
    headers: options.headers ?? {}
  })
})

const variables = {
  apiKey: "WEBAGENT_API_KEY",
  baseUrl: "WEBAGENT_BASE_URL",
  v2: "WEBAGENT_V2_BASE_URL",
  v3: "WEBAGENT_V3_BASE_URL",
  v4: "WEBAGENT_V4_BASE_URL",
  apiKeyHeader: "WEBAGENT_API_KEY_HEADER"
}

const text = (name: string) => Config.String(name).pipe(Config.option, Config.map(Option.getOrUndefined))

const fromEnvironment = Effect.gen(function* () {
  const apiKey = yield* Config.Redacted(variables.apiKey).pipe(Config.withDefault(Redacted.make("")))
  const baseUrls = { v2: yield* text(variables.v2), v3: yield* text(variables.v3), v4: yield* text(variables.v4) }
  const header = yield* text(variables.apiKeyHeader)
  // the address of one version is enough: the others are beside it
  const version = (["v4", "v3", "v2"] as const).find((version) => baseUrls[version] !== undefined)
  const baseUrl = (yield* text(variables.baseUrl)) ?? (version === undefined ? undefined : baseUrls[version])
  yield* checkKey(variables.apiKey, apiKey)
  if (baseUrl === undefined) return yield* fail(`No address: set ${variables.baseUrl} to the service's, https://host.`)
  return yield* make({ apiKey, baseUrl, baseUrls, apiKeyHeader: header }, variables)
}).pipe(Effect.catchTag("ConfigError", (error) => fail(error.message)))

/**
 * Where the service is and with which key to call it. The key stays redacted until it is put on a request.
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
    readonly requestTimeout: Duration.Duration
    readonly headers: Readonly<Record<string, string>>
  }
>()("@webagent/core/ClientConfig") {
  /** From values. */
  static readonly layer = (options: ClientOptions): Layer.Layer<ClientConfig, ClientConfigError> =>
    Layer.effect(this, make(options))

  /**
   * From WEBAGENT_API_KEY and WEBAGENT_BASE_URL; WEBAGENT_V2_BASE_URL, _V3_ and _V4_ are the full addresses of single
   * versions, WEBAGENT_API_KEY_HEADER renames the header.
   */
  static readonly layerConfig: Layer.Layer<ClientConfig, ClientConfigError> = Layer.effect(this, fromEnvironment)
}
