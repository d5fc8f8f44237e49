import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { ClientConfigError } from "../ClientConfig.ts"
import { aRecord, isRecord, mustBe } from "../MustBe.ts"
import { unknownName } from "../OptionNames.ts"
import type { Time, WebAgentOptions } from "./Options.ts"

// Types say all of this to TypeScript; a program in plain JavaScript learns it here, before anything is sent.

const isFunction = (value: unknown) => typeof value === "function"
const isTime = (value: unknown) => typeof value === "string" || typeof value === "number"
const aTime = 'a length of time, such as "30 seconds"'

/** The values that an option may have, and their description. Where texts and timeouts are read, more is checked. */
export type Kind = readonly [is: (value: unknown) => boolean, what: string]

/** The options that an object may have, by name. */
interface Kinds {
  readonly [name: string]: Kind | Kinds
}

const text: Kind = [(value) => typeof value === "string", "a string"]
const time: Kind = [isTime, aTime]
export const callback: Kind = [isFunction, "a function"]
export const record: Kind = [isRecord, aRecord]
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
  onInterrupt: text,
  fetch: callback,
  httpClient: record,
  events: record,
  ledger: callback,
  log: callback
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

/**
 * Checks the type of an option, for programs in plain JavaScript.
 *
 * @param name - The name of the option, for the error.
 * @param kind - The check, and a description of allowed values.
 * @param value - The value. Undefined is allowed.
 * @returns The value.
 * @throws `TypeError` that names the option if the value has another type.
 * @example
 * ```ts
 * import { callback, valueOf } from "@webagent/core/promise/Methods"
 *
 * export const checked = (onStatus: unknown) => valueOf("onStatus", callback, onStatus)
 * ```
 */
export const valueOf = <A>(name: string, [is, what]: Kind, value: A): A => {
  if (value !== undefined && !is(value)) throw new TypeError(mustBe(name, what, value))
  return value
}

/** A duration of zero or more, if the value is one. NaN would end a wait at once, for something that was paid for. */
const durationOf = (value: unknown): Duration.Duration | undefined => {
  const isValid = isTime(value) && !Number.isNaN(value)
  const duration = isValid ? Option.getOrUndefined(Duration.fromInput(value as Duration.Input)) : undefined
  return duration === undefined || Duration.toMillis(duration) < 0 ? undefined : duration
}

/** Returns the duration of an option, if it has a value. */
export const timeOf = (name: string, time: Time | undefined): Duration.Duration | undefined =>
  durationOf(valueOf(name, pause, time))

const aSignal: Kind = [
  (value) => {
    const { aborted, addEventListener } = Object(value) as AbortSignal
    return typeof aborted === "boolean" && isFunction(addEventListener)
  },
  "an AbortSignal"
]

/** The signal that a caller has given, if any: what cannot abort a call is no reason to send it. */
export const signalOf = (signal: AbortSignal | null | undefined): AbortSignal | undefined =>
  valueOf("signal", aSignal, signal ?? undefined)

/**
 * Copies an input as it is now, because the first call waits for the services, and its caller may change the input
 * meanwhile. An instance of a class isn't copied, because its fields may be getters of its prototype.
 *
 * @param input - The input of a call.
 * @returns The copy. A value that isn't a plain object is returned as it is.
 * @example
 * ```ts
 * import { inputOf } from "@webagent/core/promise/Methods"
 *
 * const input = { task: "Find a red mug" }
 * const sent = inputOf(input)
 * input.task = "Find a blue one"
 * console.log(sent.task) // Find a red mug
 * ```
 */
export const inputOf = <A>(input: A): A =>
  typeof input === "object" && input !== null && Object.getPrototypeOf(input) === Object.prototype
    ? { ...input }
    : input
