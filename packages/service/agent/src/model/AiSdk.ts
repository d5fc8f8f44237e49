/** The AI SDK's providers as the wire of each dialect. No other module imports them, and none is loaded before it is used. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import { type Answer, isAnswer, requiresCall, toAnswer, toFormat, toPrompt, toTools } from "./AiSdkMessages.ts"
import { type CallSettings, merge } from "./CallSettings.ts"
import type { Dialect, ModelConfig } from "./ModelConfig.ts"
import * as ModelError from "./ModelError.ts"

const attempts = 3
const limit = Duration.seconds(90)
const longestWait = Duration.seconds(60)

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
    try: () => Promise.all([open(config), import("@ai-sdk/provider")]),
    catch: () => ModelError.ModelNotInstalled.of(name)
  })
}

/** Providers take their own names for the fields of a body; the caller's are the vendor's, so they are added here. */
const withBody =
  (fields: CallSettings["body"]): Fetch =>
  (input, init) =>
    globalThis.fetch(input, {
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

/** Repeats what may pass, after what the server asks for or twice as long each time. */
const backOff = Schedule.exponential("500 millis").pipe(
  Schedule.jittered,
  Schedule.upTo({ times: attempts - 1 }),
  Schedule.setInputType<AiError.AiError>(),
  Schedule.modifyDelay(({ duration, input }) => Effect.succeed(Duration.min(input.retryAfter ?? duration, longestWait)))
)

export const connect = Effect.fnUntraced(function* (config: ModelConfig) {
  const [open, { APICallError: CallError }] = yield* load(config)
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
        open(withBody(body)).doGenerate({
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
          ? Effect.succeed(toAnswer(result, request.tools.length > 0))
          : Effect.fail(ModelError.unreadable(who, clean(ModelError.saying(result.response?.body))))
      ),
      Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.fail(ModelError.timedOut(who, limit)) })
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
      Effect.retry({ while: ({ isRetryable }) => isRetryable, schedule: backOff })
    )

  return { config, ask } satisfies Connection
})
