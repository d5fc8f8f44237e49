import { aRecord, isRecord, mustBe } from "./MustBe.ts"

// Types say all of this to TypeScript; a program in plain JavaScript learns it here, before anything is sent.

/** The names of the options of all calls. */
const callNames =
  "signal timeout retries headers requestId query body idempotencyKey extraBody every first schedule cancel onEnd onAbort onStatus result interrupt deduplicate concurrency stopOnFailure onProgress cursor limit sessionId filterBy agentSessionId pageSize pageNumber page page_size after before prefix includeUrls contentDisposition allowOverrides".split(
    " "
  )

/** Returns whether two names are at most two letters apart: one may be changed, added, removed or swapped with the next. */
const isNear = (from: string, to: string): boolean =>
  Math.abs(from.length - to.length) <= 2 &&
  Array.from(to).some((_, at) => from.startsWith(to.slice(0, at)) && from.endsWith(to.slice(at + 2)))

/** Describes the first name that is no option, with the option that was probably meant. Undefined if all are options. */
export const unknownName = (of: string, options: object, names: ReadonlyArray<string>): string | undefined => {
  const name = Object.keys(options).find((each) => !names.includes(each))
  if (name === undefined) return undefined
  const meant = names.find((each) => isNear(name.toLowerCase(), each.toLowerCase()))
  return `${of}${name} is not an option.${meant === undefined ? ` Use ${names.join(", ")}.` : ` Did you mean ${of}${meant}?`}`
}

/** Throws a TypeError if the options of a call are no object, or for the first one that no call has. */
export const checkNames = (options: object): void => {
  const message = isRecord(options) ? unknownName("", options, callNames) : mustBe("options", aRecord, options)
  if (message !== undefined) throw new TypeError(message)
}
