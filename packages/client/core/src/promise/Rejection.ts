import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import { WebAgentClosedError } from "./Errors.ts"

const decorated = new WeakSet<Error>()

const hidden = (error: Error, name: PropertyKey, value: unknown) =>
  Object.defineProperty(error, name, { value, configurable: true, writable: true, enumerable: false })

/** The lines of a stack that follow those of `depth` functions of ours, where the engine writes them as V8 does. */
const framesOf = (site: Error, depth: number) =>
  (site.stack ?? "")
    .split("\n")
    .filter((line) => line.startsWith("    at "))
    .slice(depth)

/**
 * An error of ours as someone without Effect expects it: its stack leads to the call and not into fibers, `cause` says
 * why, and printing it shows the message.
 */
const decorate = (error: Error, site: Error, depth: number) => {
  if (decorated.has(error)) return
  decorated.add(error)
  const frames = framesOf(site, depth)
  if (frames.length > 0) hidden(error, "stack", [`${error.name}: ${error.message}`, ...frames].join("\n"))
  // structuredClone, and so a worker's postMessage, takes nothing from a prototype
  if (!Object.hasOwn(error, "message")) hidden(error, "message", error.message)
  if (error.cause === undefined && "reason" in error) hidden(error, "cause", error.reason)
  // what a log in JSON keeps of it: those that the service describes have one of their own
  if (!Object.hasOwn(error, "toJSON")) hidden(error, "toJSON", () => ({ ...error, message: error.message }))
  hidden(error, Symbol.for("nodejs.util.inspect.custom"), (_: number, options: object, inspect: Inspect) => {
    const { cause: _cause, ...fields } = { ...error, cause: undefined }
    return `${error.stack} ${inspect(fields, options)}`
  })
}

type Inspect = (value: unknown, options: object) => string

/**
 * Makes the rejection of a promise whose effect fails. There are `depth` internal functions between `site` and the
 * caller.
 */
export const make = (cause: Cause.Cause<unknown>, site: Error, depth: number): unknown => {
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
  // what a caller's own function has thrown is a defect, and stays as it is
  if (failure instanceof Error) decorate(failure, site, depth)
  if (failure !== undefined) return failure
  return Cause.hasInterruptsOnly(cause) ? new WebAgentClosedError() : Cause.squash(cause)
}
