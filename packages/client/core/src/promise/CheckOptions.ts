import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { ClientConfigError } from "../ClientConfig.ts"
import { aRecord, isRecord, mustBe } from "../MustBe.ts"
import { unknownName } from "./OptionNames.ts"
import type { Time, WebAgentOptions } from "./Options.ts"

// Types say all of this to TypeScript; a program in plain JavaScript learns it here, before anything is sent.

const isFunction = (value: unknown) => typeof value === "function"
const isTime = (value: unknown) => typeof value === "string" || typeof value === "number"
const aTime = 'a length of time, such as "30 seconds"'

/** The type that a value must have, and its name. Whether a string or number is valid is checked where it's read. */
type Kind = readonly [is: (value: unknown) => boolean, what: string]

const text: Kind = [(value) => typeof value === "string", "a string"]
const time: Kind = [isTime, aTime]
const called: Kind = [isFunction, "a function"]
const record: Kind = [isRecord, aRecord]

const kinds: { readonly [Name in keyof WebAgentOptions]: Kind } = {
  apiKey: text,
  baseUrl: text,
  apiKeyHeader: text,
  baseUrls: record,
  target: record,
  timeouts: record,
  headers: record,
  hooks: record,
  polling: record,
  fetch: called,
  ledger: called,
  log: called
}

/** The same for the fields of options. */
const fields = { baseUrls: text, target: text, headers: text, timeouts: time, hooks: called }

/** The names of the fields of options; headers have any. */
const names: { readonly [Name in keyof WebAgentOptions]: ReadonlyArray<string> } = {
  baseUrls: ["v2", "v3", "v4"],
  target: ["idempotency", "refusals"],
  timeouts: ["connect", "headers", "body", "total"],
  polling: ["every", "first", "perSecond", "burst"],
  hooks: ["onRequest", "onResponse", "onRetry", "onPoll"]
}

const checkNames = (of: string, given: object, known: ReadonlyArray<string>) => {
  const message = unknownName(of, given, known)
  if (message !== undefined) throw new ClientConfigError({ message })
}

/** The names of the options of all calls. */
const callNames = [
  "signal",
  "timeout",
  "retries",
  "headers",
  "requestId",
  "query",
  "body",
  "idempotencyKey",
  "extraBody",
  "every",
  "first",
  "cancel",
  "result",
  "interrupt",
  "concurrency",
  "stopOnFailure",
  "onProgress"
]

/** Throws a TypeError that names the first option of a call that no call has. */
export const checkCallOptions = (options: object | null | undefined): void => {
  const message = isRecord(options) ? unknownName("", options, callNames) : undefined
  if (message !== undefined) throw new TypeError(message)
}

/** Of what may hold a key, an error shows the type alone. */
const check = (name: string, value: unknown, [is, what]: Kind) => {
  if (value === undefined || is(value)) return
  throw new ClientConfigError({
    message: /key|headers/iu.test(name) ? `${name} must be ${what}; got ${typeof value}.` : mustBe(name, what, value)
  })
}

/** Throws a ClientConfigError that names the first option that is of another type than it is to be. */
export const checkOptions = (options: WebAgentOptions): void => {
  check("options", options ?? null, record)
  checkNames("", options, [...Object.keys(kinds), "retries", "httpClient"])
  for (const [name, kind] of Object.entries(kinds)) check(name, options[name as keyof typeof kinds], kind)
  for (const [name, kind] of Object.entries(fields)) {
    const given: object = options[name as keyof typeof fields] ?? {}
    for (const [field, value] of Object.entries(given)) check(`${name}.${field}`, value, kind)
  }
  if (options.httpClient !== undefined) check("httpClient.layer", options.httpClient?.layer ?? null, record)
  for (const [name, known] of Object.entries(names)) {
    checkNames(`${name}.`, Object(options[name as keyof typeof names] ?? {}), known)
  }
}

/** The function that a caller has given, if any. */
export const functionOf = <F>(name: string, given: F): F => {
  if (given !== undefined && !isFunction(given)) throw new TypeError(mustBe(name, "a function", given))
  return given
}

/** The fields that a caller has given, if any. */
export const recordOf = <Fields extends object>(name: string, given: Fields | undefined): Fields | undefined => {
  if (given !== undefined && !isRecord(given)) throw new TypeError(mustBe(name, aRecord, given))
  return given
}

/** The time that a caller has given, if any. NaN would end a wait at once, for something that was paid for. */
export const timeOf = (name: string, given: Time | undefined): Duration.Duration | undefined => {
  if (given === undefined) return undefined
  const time = isTime(given) && !Number.isNaN(given) ? Option.getOrUndefined(Duration.fromInput(given)) : undefined
  if (time === undefined || Duration.toMillis(time) < 0) throw new TypeError(mustBe(name, aTime, given))
  return time
}

/** The number that a caller has given, if any. */
export const numberOf = (
  name: string,
  what: string,
  given: number | undefined,
  is: (value: number) => boolean
): number | undefined => {
  if (given === undefined || (typeof given === "number" && is(given))) return given
  throw new TypeError(mustBe(name, what, given))
}

/** The numbers and times of a WebAgent. */
export const paceOf = ({ polling: { burst, every, first, perSecond } = {}, retries }: WebAgentOptions) => {
  try {
    return {
      retries: numberOf("retries", "a whole number from 0", retries, (n) => Number.isInteger(n) && n >= 0),
      polling: {
        every: timeOf("polling.every", every),
        first: timeOf("polling.first", first),
        perSecond: numberOf("polling.perSecond", "above 0", perSecond, (n) => n > 0),
        burst: numberOf("polling.burst", "0 or more", burst, (n) => n >= 0)
      }
    }
  } catch (error) {
    throw new ClientConfigError({ message: (error as Error).message })
  }
}

/** The signal that a caller has given, if any: what cannot abort a call is no reason to send it. */
export const signalOf = (given: AbortSignal | null | undefined): AbortSignal | undefined => {
  if (given === undefined || given === null) return undefined
  if (typeof given.aborted !== "boolean" || !isFunction(given.addEventListener)) {
    throw new TypeError(mustBe("signal", "an AbortSignal", given))
  }
  return given
}
