import { ClientConfigError } from "../ClientConfig.ts"
import type { WebAgentOptions } from "./Options.ts"

// Types say all of this to TypeScript; a program in plain JavaScript learns it here, before anything is sent.

const isText = (value: unknown) => typeof value === "string"
const isFunction = (value: unknown) => typeof value === "function"
const isTime = (value: unknown) => isText(value) || typeof value === "number"
// a Map, a Headers or an array has entries, and none of them is a field
const isRecord = (value: unknown) => typeof value === "object" && value !== null && !(Symbol.iterator in value)

/** What an option has to be, and what to call that. Whether a text or a number is a good one is asked where it is read. */
const kinds: ReadonlyArray<
  readonly [names: ReadonlyArray<keyof WebAgentOptions>, is: (value: unknown) => boolean, what: string]
> = [
  [["apiKey", "baseUrl", "apiKeyHeader"], isText, "a text"],
  [["baseUrls", "target", "timeouts", "headers", "httpClient", "hooks", "polling"], isRecord, "an object with fields"],
  [["fetch", "ledger", "log"], isFunction, "a function"]
]

/** The same for the fields of options. */
const fields = { baseUrls: isText, target: isText, headers: isText, timeouts: isTime }

const refuse = (name: string, what: string) => {
  throw new ClientConfigError({ message: `${name} is not ${what}.` })
}

/** Throws a ClientConfigError that names the first option that is of another type than it is to be. */
export const checkOptions = (options: WebAgentOptions): void => {
  if (!isRecord(options)) refuse("What WebAgent is given", "an object with options")
  for (const [names, is, what] of kinds) {
    for (const name of names) if (options[name] !== undefined && !is(options[name])) refuse(name, what)
  }
  for (const name of Object.keys(fields) as ReadonlyArray<keyof typeof fields>) {
    for (const [field, value] of Object.entries(options[name] ?? {})) {
      if (value === undefined || fields[name](value)) continue
      refuse(`${name}.${field}`, name === "timeouts" ? "a length of time" : "a text")
    }
  }
  const { httpClient } = options
  if (httpClient !== undefined && !isRecord(httpClient.layer)) refuse("httpClient.layer", "a Layer of Effect")
}

/** The function that a caller has given, if any. */
export const functionOf = <F>(name: string, given: F): F => {
  if (given !== undefined && !isFunction(given)) throw new TypeError(`${name} is not a function.`)
  return given
}

/** The signal that a caller has given, if any: what cannot abort a call is no reason to send it. */
export const signalOf = (given: AbortSignal | null | undefined): AbortSignal | undefined => {
  if (given === undefined || given === null) return undefined
  if (typeof given.aborted !== "boolean" || !isFunction(given.addEventListener)) {
    throw new TypeError("signal is not an AbortSignal: give the signal of an AbortController, and not the controller.")
  }
  return given
}
