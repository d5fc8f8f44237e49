import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { ClientConfigError } from "../ClientConfig.ts"
import { aRecord, isRecord, mustBe } from "../MustBe.ts"
import type { Time, WebAgentOptions } from "./Options.ts"

// Types say all of this to TypeScript; a program in plain JavaScript learns it here, before anything is sent.

const isFunction = (value: unknown) => typeof value === "function"
const isTime = (value: unknown) => typeof value === "string" || typeof value === "number"
const aTime = 'a length of time, such as "30 seconds"'

/** The values that an option may have, and their description. Where texts and timeouts are read, more is checked. */
type Kind = readonly [is: (value: unknown) => boolean, what: string]

/** The options that an object may have, by name. */
interface Kinds {
  readonly [name: string]: Kind | Kinds
}

const text: Kind = [(value) => typeof value === "string", "a string"]
const time: Kind = [isTime, aTime]
const callback: Kind = [isFunction, "a function"]
const record: Kind = [isRecord, aRecord]
const isNumber = (value: unknown): value is number => typeof value === "number"
const pause: Kind = [(value) => durationOf(value) !== undefined, aTime]

const isKind = (kind: Kind | Kinds): kind is Kind => Array.isArray(kind)

const kinds: { readonly [Name in keyof WebAgentOptions]-?: Kind | Kinds } = {
  apiKey: text,
  baseUrl: text,
  apiKeyHeader: text,
  baseUrls: { v2: text, v3: text, v4: text },
  target: { idempotency: text, refusals: text },
  timeouts: { connect: time, headers: time, body: time, total: time },
  headers: record,
  hooks: { onRequest: callback, onResponse: callback, onRetry: callback, onPoll: callback },
  polling: {
    every: pause,
    first: pause,
    perSecond: [(value) => isNumber(value) && value > 0, "above 0"],
    burst: [(value) => isNumber(value) && value >= 0, "0 or more"]
  },
  retries: [(value) => isNumber(value) && Number.isInteger(value) && value >= 0, "a whole number from 0"],
  fetch: callback,
  httpClient: record,
  ledger: callback,
  log: callback
}

/** The names of the options of all calls. */
const callNames =
  "signal timeout retries headers requestId query body idempotencyKey extraBody every first cancel onEnd onAbort onStatus result interrupt deduplicate concurrency stopOnFailure onProgress cursor limit sessionId filterBy agentSessionId pageSize pageNumber page page_size after before".split(
    " "
  )

/** Returns whether two names are at most two letters apart: one may be changed, added, removed or swapped with the next. */
const isNear = (from: string, to: string): boolean =>
  Math.abs(from.length - to.length) <= 2 &&
  Array.from(to).some((_, at) => from.startsWith(to.slice(0, at)) && from.endsWith(to.slice(at + 2)))

/** Describes the first name that is no option, with the option that was probably meant. Undefined if all are options. */
const unknownName = (of: string, options: object, names: ReadonlyArray<string>): string | undefined => {
  const name = Object.keys(options).find((each) => !names.includes(each))
  if (name === undefined) return undefined
  const meant = names.find((each) => isNear(name.toLowerCase(), each.toLowerCase()))
  return `${of}${name} is not an option.${meant === undefined ? ` Use ${names.join(", ")}.` : ` Did you mean ${of}${meant}?`}`
}

/** Throws a TypeError that names the first option of a call that no call has. */
export const checkCallOptions = (options: object | null | undefined): void => {
  const message = isRecord(options) ? unknownName("", options, callNames) : undefined
  if (message !== undefined) throw new TypeError(message)
}

/** Checks a value and its fields. For a value that may hold a key, the error shows only the type. */
const check = (name: string, value: unknown, kind: Kind | Kinds): void => {
  if (value === undefined) return
  const [is, what] = isKind(kind) ? kind : record
  let message = is(value)
    ? undefined
    : /key|headers/iu.test(name)
      ? `${name} must be ${what}; got ${typeof value}.`
      : mustBe(name, what, value)
  const start = name === "options" ? "" : `${name}.`
  if (!isKind(kind)) message ??= unknownName(start, value as object, Object.keys(kind))
  if (message !== undefined) throw new ClientConfigError({ message })
  if (isKind(kind)) return
  for (const [field, fieldKind] of Object.entries(kind))
    check(`${start}${field}`, Reflect.get(value as object, field), fieldKind)
}

/** Throws a ClientConfigError that names the first option with an unknown name or a value of the wrong type. */
export const checkOptions = (options: WebAgentOptions): void => {
  check("options", options ?? null, kinds)
  const { headers = {}, httpClient } = options
  for (const [name, value] of Object.entries(headers)) check(`headers.${name}`, value, text)
  if (httpClient !== undefined) check("httpClient.layer", httpClient.layer ?? null, record)
}

/** The function that a caller has given, if any. */
export const functionOf = <F>(name: string, callback: F): F => {
  if (callback !== undefined && !isFunction(callback)) throw new TypeError(mustBe(name, "a function", callback))
  return callback
}

/** The fields that a caller has given, if any. */
export const recordOf = <Fields extends object>(name: string, value: Fields | undefined): Fields | undefined => {
  if (value !== undefined && !isRecord(value)) throw new TypeError(mustBe(name, aRecord, value))
  return value
}

/** A duration of zero or more, if the value is one. NaN would end a wait at once, for something that was paid for. */
const durationOf = (value: unknown): Duration.Duration | undefined => {
  const isValid = isTime(value) && !Number.isNaN(value)
  const duration = isValid ? Option.getOrUndefined(Duration.fromInput(value as Duration.Input)) : undefined
  return duration === undefined || Duration.toMillis(duration) < 0 ? undefined : duration
}

/** Returns the duration of an option, if it has a value. */
export const timeOf = (name: string, time: Time | undefined): Duration.Duration | undefined => {
  const duration = durationOf(time)
  if (time !== undefined && duration === undefined) throw new TypeError(mustBe(name, aTime, time))
  return duration
}

/** The number that a caller has given, if any. */
export const numberOf = (
  name: string,
  what: string,
  number: number | undefined,
  is: (value: number) => boolean
): number | undefined => {
  if (number === undefined || (isNumber(number) && is(number))) return number
  throw new TypeError(mustBe(name, what, number))
}

/** The signal that a caller has given, if any: what cannot abort a call is no reason to send it. */
export const signalOf = (signal: AbortSignal | null | undefined): AbortSignal | undefined => {
  if (signal === undefined || signal === null) return undefined
  if (typeof signal.aborted !== "boolean" || !isFunction(signal.addEventListener)) {
    throw new TypeError(mustBe("signal", "an AbortSignal", signal))
  }
  return signal
}

/**
 * Copies an input as it is now, because the first call waits for the services, and its caller may change the input
 * meanwhile. An instance of a class isn't copied, because its fields may be getters of its prototype.
 */
export const inputOf = <A>(input: A): A =>
  typeof input === "object" && input !== null && Object.getPrototypeOf(input) === Object.prototype
    ? { ...input }
    : input
