/** The AI SDK's providers as the wire of each dialect. No other module imports them, and none is loaded before it is used. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type * as Undici from "undici"
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import { type Answer, isAnswer, requiresCall, toAnswer, toFormat, toPrompt, toTools } from "./AiSdkMessages.ts"
import { type CallSettings, merge } from "./CallSettings.ts"
import type { Dialect, ModelConfig } from "./ModelConfig.ts"
import * as ModelError from "./ModelError.ts"

/** A local model can take minutes to read its first prompt. */
const defaultTimeout = Duration.minutes(10)

/** A restart of a model server takes minutes. A fallback should take over sooner than that. */
const defaultRetryFor = Duration.minutes(5)
const defaultRetryForWithFallback = Duration.seconds(10)

/** Longest wait between two attempts, unless the server asks for a longer one. */
const longestBackoff = Duration.seconds(30)

/** An unreadable response seldom becomes readable, because it usually means a wrong address or dialect. */
const unreadableAttempts = 3

type Fetch = typeof globalThis.fetch

/** A provider's model whose requests go through the given `fetch`. */
type Open = (fetch: Fetch) => LanguageModelV4

/** Without a key of ours, providers would look for one in the environment. A server of one's own needs none. */
const noKey = "none"

const openers: Readonly<Record<Dialect, readonly [name: string, load: (config: ModelConfig) => Promise<Open>]>> = {
  "openai-compatible": [
    "@ai-sdk/openai-compatible",
    async (config) => {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
      return (fetch) =>
        createOpenAICompatible({
          ...settings(config),
          name: "model",
          baseURL: config.baseUrl ?? "http://127.0.0.1:11434/v1",
          supportsStructuredOutputs: true,
          fetch
        })(config.model)
    }
  ],
  openai: [
    "@ai-sdk/openai",
    async (config) => {
      const { createOpenAI } = await import("@ai-sdk/openai")
      return (fetch) => createOpenAI({ ...settings(config), fetch }).responses(config.model)
    }
  ],
  anthropic: [
    "@ai-sdk/anthropic",
    async (config) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic")
      return (fetch) => createAnthropic({ ...settings(config), fetch })(config.model)
    }
  ],
  google: [
    "@ai-sdk/google",
    async (config) => {
      const { createGoogle } = await import("@ai-sdk/google")
      return (fetch) => createGoogle({ ...settings(config), fetch })(config.model)
    }
  ]
}

const settings = ({ apiKey, baseUrl }: ModelConfig) => ({
  apiKey: apiKey === undefined ? noKey : Redacted.value(apiKey),
  ...(baseUrl === undefined ? {} : { baseURL: baseUrl })
})

const load = (config: ModelConfig) => {
  const [name, open] = openers[config.dialect]
  return Effect.tryPromise({
    try: () => Promise.all([open(config), import("@ai-sdk/provider"), import("undici")]),
    catch: () => ModelError.ModelNotInstalled.of(name)
  })
}

/**
 * Returns a `fetch` without timeouts, because `requestTimeout` is the limit. Node's own gives up after 5 minutes without
 * response headers. It goes through the global dispatcher, so that a proxy configured for the process still applies.
 */
const fetchOf = ({ fetch, getGlobalDispatcher }: typeof Undici): Fetch => {
  const dispatcher = getGlobalDispatcher().compose(
    (dispatch) => (options, handler) => dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)
  )
  return ((address: string, init: Undici.RequestInit) => fetch(address, { ...init, dispatcher })) as object as Fetch
}

/** Providers take their own names for the fields of a body; the caller's are the vendor's, so they are added here. */
const withBody =
  (send: Fetch, fields: CallSettings["body"]): Fetch =>
  (input, init) =>
    send(input, {
      ...init,
      // the key may be in a header that would go to another host, too
      redirect: "manual",
      ...(fields === undefined || typeof init?.body !== "string"
        ? {}
        : { body: JSON.stringify(merge(JSON.parse(init.body), fields)) })
    })

/** A model that can be asked. */
export interface Connection {
  readonly config: ModelConfig
  readonly ask: (
    request: LanguageModel.ProviderOptions,
    settings: CallSettings
  ) => Effect.Effect<Answer, AiError.AiError>
}

/**
 * Retries for a time that begins with the first failure, because a request that took minutes should survive a restart of
 * its server, too. The waits double, and are longer if the server asks for it. If a wait uses up the time that is
 * left, there is no retry. A request that timed out isn't retried where a fallback can take over.
 */
const retryPolicy = (retryFor: Duration.Duration, hasFallback: boolean) =>
  Schedule.exponential("500 millis").pipe(
    Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, longestBackoff))),
    Schedule.jittered,
    Schedule.setInputType<AiError.AiError>(),
    // a server that asks for no wait would get all attempts at once
    Schedule.modifyDelay(({ duration, input }) => Effect.succeed(Duration.max(input.retryAfter ?? duration, duration))),
    Schedule.while(
      ({ attempt, duration, elapsed, input }) =>
        input.isRetryable &&
        elapsed + Duration.toMillis(duration) < Duration.toMillis(retryFor) &&
        !(hasFallback && ModelError.isTimeout(input)) &&
        (input.reason._tag !== "InvalidOutputError" || attempt < unreadableAttempts)
    ),
    Schedule.tap(({ attempt, duration, input }) =>
      attempt === 1
        ? Effect.logWarning(`${ModelError.sentence(input)} The first retry is in ${Duration.format(duration)}.`)
        : Effect.void
    )
  )

export const connect = Effect.fnUntraced(function* (config: ModelConfig) {
  const [open, { APICallError: CallError }, undici] = yield* load(config)
  const send = fetchOf(undici)
  const hasFallback = config.fallback !== undefined
  const { requestTimeout = defaultTimeout, retryFor = hasFallback ? defaultRetryForWithFallback : defaultRetryFor } =
    config
  const key = config.apiKey === undefined ? "" : Redacted.value(config.apiKey)
  const clean = (text: string) => {
    const line = text
      .replaceAll(/\/\/[^/@\s]*@/gu, "//")
      .replaceAll(/\s+/gu, " ")
      .trim()
    return (key === "" ? line : line.replaceAll(key, "<key>")).slice(0, 500)
  }
  const who = `Model ${config.model}`

  const explain = (cause: unknown): Effect.Effect<never, AiError.AiError> => {
    const text = clean(cause instanceof Error ? cause.message : String(cause))
    if (cause instanceof TypeError) return Effect.fail(ModelError.unaskable(who, text))
    if (!CallError.isInstance(cause)) return Effect.fail(ModelError.unreadable(who, text))
    const { data, responseBody, responseHeaders: headers = {}, statusCode, url } = cause
    const { location } = headers
    if (statusCode === undefined) return Effect.fail(ModelError.unreachable(who, text, clean(url)))
    // a success that is no answer
    if (statusCode < 300) {
      return Effect.fail(
        responseBody === undefined
          ? ModelError.brokenOff(who)
          : ModelError.unreadable(who, clean(ModelError.saying(responseBody)))
      )
    }
    return Effect.flatMap(Clock.currentTimeMillis, (now_ms) =>
      Effect.fail(
        ModelError.fromStatus(
          who,
          // providers know errors of their vendor's form only
          clean(ModelError.messageOf(responseBody) ?? text),
          {
            statusCode,
            headers,
            data,
            url: clean(url),
            location: location && clean(location),
            key: { isSet: key !== "", name: config.keyName }
          },
          now_ms
        )
      )
    )
  }

  /** Some servers refuse to make a model call a tool, and say so once. */
  let mayRequire = true

  const once = (request: LanguageModel.ProviderOptions, { body, maxOutputTokens, reasoning }: CallSettings) =>
    Effect.tryPromise({
      // interruption aborts the request
      try: async (abortSignal) =>
        open(withBody(send, body)).doGenerate({
          prompt: toPrompt(request.prompt, config),
          ...toTools(request, mayRequire),
          ...toFormat(request),
          ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
          ...(reasoning === undefined ? {} : { reasoning }),
          // what pages say stays here; OpenAI's models then hand back what they thought, encrypted
          providerOptions: { openai: { store: false } },
          abortSignal
        }),
      catch: (cause) => cause
    }).pipe(
      Effect.catch(explain),
      Effect.flatMap((result) =>
        isAnswer(result)
          ? Effect.map(Random.nextIntBetween(0x1000_0000, 0xffff_ffff), (number) =>
              toAnswer(
                result,
                request.tools.map(({ name }) => name),
                `call_${number.toString(16)}`,
                config.dialect
              )
            )
          : Effect.fail(ModelError.unreadable(who, clean(ModelError.saying(result.response?.body))))
      ),
      Effect.timeoutOrElse({
        duration: requestTimeout,
        orElse: () => Effect.fail(ModelError.timedOut(who, requestTimeout))
      })
    )

  const refusesToRequire = (request: LanguageModel.ProviderOptions) => (error: AiError.AiError) =>
    mayRequire &&
    requiresCall(request) &&
    error.reason._tag === "InvalidRequestError" &&
    /tool_?choice|tool_?config|function_?calling_?config/iu.test(ModelError.sentence(error))

  const ask: Connection["ask"] = (request, settings) =>
    once(request, settings).pipe(
      Effect.catchIf(refusesToRequire(request), () => {
        mayRequire = false
        return once(request, settings)
      }),
      Effect.retry(retryPolicy(retryFor, hasFallback))
    )

  return { config, ask } satisfies Connection
})
