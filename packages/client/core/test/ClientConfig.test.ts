import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { ClientConfig, type ClientOptions } from "../src/index.ts"

const read = (options: ClientOptions) => Effect.provide(Effect.service(ClientConfig), ClientConfig.layer(options))
const refused = (options: ClientOptions) => Effect.map(Effect.flip(read(options)), (error) => error.message)

const environment = (env: Record<string, string>) =>
  Effect.provide(
    Effect.service(ClientConfig),
    ClientConfig.layerConfig.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
  )

const under = (root: string) => ({ v2: `${root}/api/v2`, v3: `${root}/api/v3`, v4: `${root}/api/v4` })

describe("ClientConfig", () => {
  it.effect.each([
    ["https://agents.example.com", "https://agents.example.com"],
    ["https://agents.example.com/", "https://agents.example.com"],
    ["https://agents.example.com///", "https://agents.example.com"],
    ["https://agents.example.com/api/v4", "https://agents.example.com"],
    ["https://agents.example.com/api/v2/", "https://agents.example.com"],
    ["  http://127.0.0.1:8080/below/api/v3/ ", "http://127.0.0.1:8080/below"],
    ["HTTPS://AGENTS.example.com:443/api/v4", "https://agents.example.com"]
  ] as const)("puts each version's path behind %s", ([baseUrl, root]) =>
    Effect.map(read({ baseUrl, apiKey: "k" }), (config) => assert.deepStrictEqual(config.baseUrls, under(root)))
  )

  it.effect("uses the address of a single version as it is", () =>
    Effect.map(
      read({ baseUrl: "https://a.example", apiKey: "k", baseUrls: { v3: "https://b.example/three/" } }),
      (config) =>
        assert.deepStrictEqual(config.baseUrls, { ...under("https://a.example"), v3: "https://b.example/three" })
    )
  )

  it.effect("has defaults for everything else", () =>
    Effect.map(read({ baseUrl: "https://a.example", apiKey: " k\n" }), (config) => {
      assert.strictEqual(config.apiKeyHeader, "x-service-api-key")
      assert.strictEqual(Duration.toMillis(config.timeouts.total), 30_000)
      assert.isUndefined(config.timeouts.headers)
      assert.deepStrictEqual(config.target, { idempotency: "unknown", refusals: "unknown" })
      assert.strictEqual(Redacted.value(config.apiKey), "k")
    })
  )

  it.effect("hides the key when it is printed", () =>
    Effect.map(read({ baseUrl: "https://a.example", apiKey: "canary" }), (config) => {
      assert.notInclude(inspect(config, { depth: 10, showHidden: true }), "canary")
      assert.notInclude(JSON.stringify(config), "canary")
      assert.notInclude(String(config.apiKey), "canary")
    })
  )

  it.effect.each([
    [{ baseUrl: "a.example:80" }, /^baseUrl is not a web address: give it as https:\/\/host, got "a.example:80"\.$/u],
    [{ baseUrl: "wak_canary" }, /^baseUrl is not a web address: give it as https:\/\/host\.$/u],
    [{ baseUrl: "ftp://a.example" }, /^baseUrl is not a web address/u],
    [{ baseUrl: "https://me:canary@a.example" }, /^baseUrl must not contain a user name or password/u],
    [{ baseUrl: "httpx://me:canary@a.example" }, /^baseUrl is not a web address/u],
    [{ baseUrl: "https://me:canary/7@a.example" }, /^baseUrl is not a web address: give it as https:\/\/host\.$/u],
    [{ baseUrl: "https://?key=canary" }, /^baseUrl is not a web address: give it as https:\/\/host\.$/u],
    [{ baseUrl: "https://a.example?x=1" }, /^baseUrl must not contain a query/u],
    [{ baseUrls: { v2: "nonsense" } }, /^baseUrls\.v2 is not a web address/u],
    [{ apiKey: "" }, /^No API key: set apiKey to a key from the service's console\.$/u],
    [{ apiKey: "canary\nx" }, /^apiKey contains a character that no header can carry/u],
    [{ apiKeyHeader: "X Key:" }, /^apiKeyHeader is not the name of a header\.$/u],
    [{ headers: { "x-service-api-KEY": "canary" } }, /^headers must not contain x-service-api-KEY: set apiKey\.$/u],
    [{ apiKeyHeader: "X-K", headers: { "x-k": "canary" } }, /^headers must not contain x-k/u],
    [{ headers: { "Idempotency-Key": "1" } }, /^headers must not contain Idempotency-Key: set idempotencyKey/u],
    [{ headers: { "a b": "1" } }, /^"a b" in headers is not the name of a header\.$/u],
    [{ headers: { "x-a": "canary\r\nx-b: 1" } }, /^headers\.x-a must be a string without control characters\.$/u],
    [{ requestTimeout: 0 }, /^requestTimeout must be a length of time above zero, such as "30 seconds"; got 0\.$/u],
    [{ timeouts: { headers: -1 } }, /^timeouts\.headers must be a length of time above zero/u]
  ] as ReadonlyArray<readonly [Partial<ClientOptions>, RegExp]>)("refuses %j in one sentence", ([options, sentence]) =>
    Effect.map(refused({ baseUrl: "https://a.example", apiKey: "k", ...options }), (message) => {
      assert.match(message, sentence)
      assert.notInclude(message, "canary")
    })
  )
})

describe("a time that JSON can't express", () => {
  it.effect("is refused in one sentence", () =>
    Effect.map(refused({ baseUrl: "https://a.example", apiKey: "k", requestTimeout: 0n }), (message) =>
      assert.strictEqual(message, 'requestTimeout must be a length of time above zero, such as "30 seconds"; got 0.')
    )
  )
})

describe("ClientConfig.layerConfig", () => {
  it.effect("reads the environment", () =>
    Effect.map(
      environment({
        WEBAGENT_API_KEY: "k",
        WEBAGENT_BASE_URL: "https://a.example/api/v4",
        WEBAGENT_V2_BASE_URL: "https://old.example/api/v2",
        WEBAGENT_API_KEY_HEADER: "X-Other-Key",
        WEBAGENT_REQUEST_TIMEOUT: "5 seconds",
        WEBAGENT_HEADERS_TIMEOUT: "2 seconds",
        WEBAGENT_BODY_TIMEOUT: "3 seconds",
        WEBAGENT_CONNECT_TIMEOUT: "1 second",
        WEBAGENT_IDEMPOTENCY: "honoured",
        WEBAGENT_REFUSALS: "before-acting"
      }),
      (config) => {
        const { body, connect, headers, total } = config.timeouts
        assert.deepStrictEqual(
          [connect, headers, body, total].map((time) => time && Duration.toMillis(time)),
          [1000, 2000, 3000, 5000]
        )
        assert.deepStrictEqual(config.target, { idempotency: "honoured", refusals: "before-acting" })
        assert.deepStrictEqual(config.baseUrls, { ...under("https://a.example"), v2: "https://old.example/api/v2" })
        assert.strictEqual(config.apiKeyHeader, "x-other-key")
        assert.strictEqual(Redacted.value(config.apiKey), "k")
      }
    )
  )

  it.effect("accepts the address of one version only", () =>
    Effect.map(environment({ WEBAGENT_API_KEY: "k", WEBAGENT_V3_BASE_URL: "https://a.example/api/v3/" }), (config) =>
      assert.deepStrictEqual(config.baseUrls, under("https://a.example"))
    )
  )

  it.effect.each([
    [{ WEBAGENT_BASE_URL: "https://a.example" }, /^No API key: set WEBAGENT_API_KEY to a key/u],
    [{ WEBAGENT_API_KEY: "", WEBAGENT_BASE_URL: "https://a.example" }, /^No API key: set WEBAGENT_API_KEY/u],
    [{ WEBAGENT_API_KEY: "k" }, /^No address: set WEBAGENT_BASE_URL to the service's, https:\/\/host\.$/u],
    [{ WEBAGENT_API_KEY: "k", WEBAGENT_BASE_URL: "a.example" }, /^WEBAGENT_BASE_URL is not a web address/u],
    [
      { WEBAGENT_API_KEY: "k", WEBAGENT_BASE_URL: "https://a.example", WEBAGENT_V4_BASE_URL: "x" },
      /^WEBAGENT_V4_BASE_URL is not a web address/u
    ],
    [
      { WEBAGENT_API_KEY: "k", WEBAGENT_BASE_URL: "https://a.example", WEBAGENT_REQUEST_TIMEOUT: "soon" },
      /^WEBAGENT_REQUEST_TIMEOUT must be a length of time above zero, such as "30 seconds"; got "soon"\.$/u
    ],
    [
      { WEBAGENT_API_KEY: "k", WEBAGENT_BASE_URL: "https://a.example", WEBAGENT_IDEMPOTENCY: "yes" },
      /^WEBAGENT_IDEMPOTENCY must be one of unknown, honoured; got "yes"\.$/u
    ]
  ] as ReadonlyArray<readonly [Record<string, string>, RegExp]>)(
    "names the invalid variable in %j",
    ([env, sentence]) =>
      Effect.map(Effect.flip(environment(env)), (error) => {
        assert.strictEqual(error._tag, "ClientConfigError")
        assert.match(error.message, sentence)
      })
  )
})

describe("ClientConfig.resolve", () => {
  const resolve = (given: Parameters<typeof ClientConfig.resolve>[0], env: Record<string, string>) =>
    Effect.provide(ClientConfig.resolve(given), ConfigProvider.layer(ConfigProvider.fromEnv({ env })))

  it.effect("prefers options to the environment", () =>
    Effect.gen(function* () {
      const env = {
        WEBAGENT_API_KEY: "there",
        WEBAGENT_BASE_URL: "https://env.example",
        WEBAGENT_REQUEST_TIMEOUT: "5 seconds",
        WEBAGENT_IDEMPOTENCY: "honoured"
      }
      const config = yield* resolve({ apiKey: "here", target: { refusals: "before-acting" } }, env)
      assert.strictEqual(Redacted.value(config.apiKey), "here")
      assert.deepStrictEqual(config.baseUrls, under("https://env.example"))
      assert.strictEqual(Duration.toMillis(config.timeouts.total), 5000)
      assert.deepStrictEqual(config.target, { idempotency: "honoured", refusals: "before-acting" })
      const patient = yield* resolve({ timeouts: { total: "9 seconds" } }, env)
      assert.strictEqual(Duration.toMillis(patient.timeouts.total), 9000)
    })
  )

  it.effect("ignores addresses of the environment if an address is passed", () =>
    Effect.gen(function* () {
      const env = { WEBAGENT_API_KEY: "k", WEBAGENT_V4_BASE_URL: "https://env.example/four" }
      const config = yield* resolve({ baseUrl: "https://a.example" }, env)
      assert.deepStrictEqual(config.baseUrls, under("https://a.example"))
      const own = yield* resolve({}, env)
      assert.strictEqual(own.baseUrls.v4, "https://env.example/four")
    })
  )

  it.effect("names the option and the variable of a missing value", () =>
    Effect.gen(function* () {
      const key = yield* Effect.flip(resolve({}, {}))
      assert.strictEqual(key.message, "No API key: set apiKey or WEBAGENT_API_KEY to a key from the service's console.")
      const address = yield* Effect.flip(resolve({ apiKey: "k" }, {}))
      assert.strictEqual(
        address.message,
        "No address: set baseUrl or WEBAGENT_BASE_URL to the service's, https://host."
      )
    })
  )
})
