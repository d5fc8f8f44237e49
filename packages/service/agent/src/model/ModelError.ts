import * as AiError from "effect/ai/AiError"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"

/** An optional package that a dialect needs. */
export class ModelNotInstalled extends Data.TaggedError("ModelNotInstalled")<{ readonly message: string }> {
  static of(name: string): ModelNotInstalled {
    return new ModelNotInstalled({
      message: `The package ${name} is not installed. Install it to use this model: npm install ${name} @ai-sdk/provider zod`
    })
  }
}

/** An answer without success. */
export interface Refusal {
  readonly statusCode: number
  /** The address of the request, without the key. */
  readonly url: string
  /** The target of a redirect, without the key. */
  readonly location: string | undefined
  readonly key: { readonly isSet: boolean; readonly name: string | undefined }
  readonly headers: Readonly<Record<string, string>>
  /** The answer as JSON, if it is. */
  readonly data: unknown
}

const module = "Model"
const method = "generateText"

const make = (reason: AiError.AiErrorReason): AiError.AiError => AiError.make({ module, method, reason })

export const invalidRequest = (description: string) => make(new AiError.InvalidRequestError({ description }))

/** A request that exceeds the model's context; `tokens` is the size of the context, if the response names it. */
const overflow = (description: string, tokens: number | undefined) =>
  make(
    new AiError.InvalidRequestError({ description, metadata: { webagent: { overflow: { tokens: tokens ?? null } } } })
  )

const serverError = (description: string) => make(new AiError.InternalProviderError({ description }))

/** Not every reason of effect/ai takes a description. */
const metadataOf = (sentence: string) => ({ metadata: { webagent: { sentence } } })

/** One line for the error of a turn: who refused what, and what to check. */
export const sentence = ({ module: from, reason }: AiError.AiError): string => {
  // effect/ai describes an answer that it cannot use by its schema
  if (from !== module) {
    return "The model sent a response that the agent cannot use. Create a new run, or use a more capable model."
  }
  const metadata = "metadata" in reason ? reason.metadata : {}
  const ours: unknown = metadata["webagent"]
  if (typeof ours === "object" && ours !== null && "sentence" in ours) return String(ours.sentence)
  return "description" in reason && reason.description !== undefined ? reason.description : reason.message
}

export const timedOut = (who: string, limit: Duration.Duration): AiError.AiError =>
  make(
    new AiError.InternalProviderError({
      description: `${who} did not respond within ${Duration.format(limit)}. Check that the model server is up, use a faster model, or raise the limit.`,
      metadata: { webagent: { hasTimedOut: true } }
    })
  )

/** Returns whether a request reached its time limit. */
export const isTimeout = ({ reason }: AiError.AiError): boolean =>
  reason._tag === "InternalProviderError" && reason.metadata["webagent"] !== undefined

/** Returns the size of the context if a request exceeded it: in tokens, or undefined if the response didn't name it. */
export const overflowOf = ({ reason }: AiError.AiError): { readonly tokens: number | undefined } | undefined => {
  const ours: unknown = reason._tag === "InvalidRequestError" ? reason.metadata["webagent"] : undefined
  if (typeof ours !== "object" || ours === null || !("overflow" in ours)) return undefined
  const { tokens } = ours.overflow as { readonly tokens: number | null }
  return { tokens: tokens ?? undefined }
}

/** Matches the messages of servers about a request that is too large. */
const tooLarge =
  /context[ _-]?(?:length|size|window|limit)|(?:prompt|input|request) is too (?:long|large)|too many (?:input )?tokens|token count .*exceeds|context the overflows/iu

/** The smallest size that a context has, in tokens. */
const leastContext = 1024

/** The size of the context in such a message, in tokens. */
const contextIn = (text: string): number | undefined => {
  const [, tokens] = /(?:context (?:length|size|window)|tokens allowed|>)[^\d]{0,40}(\d{3,8})/iu.exec(text) ?? []
  // a smaller number counts something else, such as messages
  return Number(tokens) >= leastContext ? Number(tokens) : undefined
}

const retryAfter = (headers: Readonly<Record<string, string>>, now_ms: number): Duration.Duration | undefined => {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN)
  if (milliseconds >= 0) return Duration.millis(milliseconds)
  const retryAfter = headers["retry-after"] ?? ""
  const seconds = Number(retryAfter || Number.NaN)
  if (seconds >= 0) return Duration.seconds(seconds)
  const until_ms = Date.parse(retryAfter) - now_ms
  return until_ms >= 0 ? Duration.millis(until_ms) : undefined
}

/** The code of a provider's error, where it has one. */
const codeOf = (data: unknown): unknown => {
  const error: unknown = typeof data === "object" && data !== null && "error" in data ? data.error : undefined
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined
}

/** The only reason of effect/ai that says when to ask again. */
const limited = (sentence: string, after: Duration.Duration | undefined): AiError.AiError =>
  make(
    new AiError.RateLimitError(
      after === undefined
        ? metadataOf(sentence)
        : { ...metadataOf(`${sentence} It asks to retry after ${Duration.format(after)}.`), retryAfter: after }
    )
  )

/**
 * Turns a status into an error. `who` is the model and its server, and `text` the message of the response, without the
 * key.
 */
export const fromStatus = (
  who: string,
  text: string,
  { data, headers, key, location = "another address", statusCode, url }: Refusal,
  now_ms: number
): AiError.AiError => {
  const answered = `${who} answered ${statusCode} (${text})`
  const after = retryAfter(headers, now_ms)
  const where = key.name === undefined ? "" : ` in ${key.name}`
  const unknownKey = () =>
    make(
      new AiError.AuthenticationError({
        kind: "InvalidKey",
        description: `${answered}. ${key.isSet ? "Check" : "Set"} the key of the model${where}${key.isSet ? "" : ": none is set"}.`
      })
    )
  const exhausted = () =>
    make(new AiError.QuotaExhaustedError(metadataOf(`${answered}. Check the plan and the balance of the account.`)))
  switch (statusCode) {
    case 401:
      return unknownKey()
    case 403:
      if (!key.isSet) return unknownKey()
      return make(
        new AiError.AuthenticationError({
          kind: "InsufficientPermissions",
          description: `${answered}. Check that the key${where} may use this model.`
        })
      )
    case 404:
      return invalidRequest(`${answered} at ${url}. Check the name of the model, its dialect and its address.`)
    case 400:
    case 413:
    case 422:
      // as Google answers a key that it does not know
      if (/\bapi[ _-]?key\b/iu.test(text)) return unknownKey()
      if (statusCode === 413 || codeOf(data) === "context_length_exceeded" || tooLarge.test(text)) {
        return overflow(
          `${answered}. The request is larger than the model's context. Use a model with a larger context, or have its server use a larger one.`,
          contextIn(text)
        )
      }
      return invalidRequest(
        `${answered}. Check the name of the model, whether it calls tools, its modelParams and its thinkingLevel.`
      )
    case 402:
      return exhausted()
    case 429: {
      if (codeOf(data) === "insufficient_quota") return exhausted()
      return limited(`${answered}. Run fewer tasks at once, or raise the limit of the account.`, after)
    }
    default: {
      if (statusCode < 400) {
        return invalidRequest(
          `${answered} at ${url}, a redirect to ${location}. Set the address of the model to where it leads.`
        )
      }
      // a server that is busy or away, or an answer that was cut
      const isPassing = statusCode === 408 || statusCode === 409 || statusCode >= 500
      const description = `${answered}. Check the model server, or try again later.`
      if (!isPassing) return make(new AiError.UnknownError({ description }))
      return after === undefined ? serverError(description) : limited(description, after)
    }
  }
}

/** A request that got no response. `text` is the library's message. */
export const unreachable = (who: string, text: string, url: string): AiError.AiError => {
  const describe = (reason: string) =>
    `${who} cannot be reached at ${url} (${reason}). Check the address of the model and that its server is up.`
  // a retry doesn't help
  if (text.includes("wrong version number")) return invalidRequest(describe("it does not speak https"))
  return make(
    new AiError.NetworkError({
      reason: "TransportError",
      method: "POST",
      url,
      description: describe(text.replace(/^Cannot connect to API: /u, ""))
    })
  )
}

/** Settings that make no request. */
export const unaskable = (who: string, text: string): AiError.AiError =>
  invalidRequest(`${who} cannot be asked (${text}). Check its address and its key.`)

/** An answer whose end never came. */
export const brokenOff = (who: string): AiError.AiError =>
  serverError(`${who} broke off in the middle of a response. Check that the model server is up, or try again later.`)

/** An answer that is not in the dialect. */
export const unreadable = (who: string, text: string): AiError.AiError =>
  make(
    new AiError.InvalidOutputError({
      description: `${who} sent a response that cannot be read (${text}). Check the address of the model and its dialect.`
    })
  )

const messageIn = (data: unknown): string | undefined => {
  if (typeof data === "string") return data
  if (typeof data !== "object" || data === null) return undefined
  if ("message" in data) return messageIn(data.message)
  if ("error" in data) return messageIn(data.error)
  if (!("detail" in data)) return undefined
  return typeof data.detail === "string" ? data.detail : JSON.stringify(data.detail)
}

/** The message of an error, in whatever form a server has one. */
export const messageOf = (body: unknown): string | undefined => {
  if (typeof body !== "string") return messageIn(body)
  try {
    return messageIn(JSON.parse(body))
  } catch {
    // a page, or part of an answer
    return undefined
  }
}

/** Describes a body that is no usable response: the message of an error, or the beginning of the body. */
export const saying = (body: unknown): string => {
  const message = messageOf(body)
  if (message !== undefined) return message
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "")
  return text.trim() === "" ? "it is empty" : `it begins with ${text.trimStart().slice(0, 100).toWellFormed()}`
}
