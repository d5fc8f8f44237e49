import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Page } from "./Page.ts"
import * as Protocol from "./Protocol.ts"
import type { Session, State } from "./State.ts"

/** A command on its way through a browser. */
export interface Call {
  readonly state: State
  readonly session: Session
  /** Does it after the answer was said. */
  readonly afterwards: (effect: () => void) => void
}

export type Outcome = Result.Result<Protocol.Result, Protocol.Refusal>

/** Handles a command with its parameters. */
export type Method = (call: Call, params: unknown) => Outcome

/** A domain's methods, by their full names. */
export type Methods = ReadonlyMap<string, Method>

export const done: Outcome = Result.succeed({})

/** A method whose parameters are checked first. */
export const make = <A>(parameters: Schema.ConstraintDecoder<A>, run: (call: Call, params: A) => Outcome): Method => {
  const decode = Schema.decodeUnknownOption(parameters)
  return (call, params) =>
    Option.match(decode(params), {
      onNone: () => Result.fail(Protocol.invalidParameters),
      onSome: (checked) => run(call, checked)
    })
}

/** A method of sessions with a page, with its parameters checked; for other targets there is no such thing. */
export const ofPage = <A>(
  parameters: Schema.ConstraintDecoder<A>,
  run: (call: Call, page: Page, params: A) => Outcome
): Method =>
  make(parameters, (call, params) =>
    call.session.target.type === "page"
      ? run(call, call.session.target.page, params)
      : Result.fail(Protocol.impossible("Not attached to a page"))
  )

/** For methods whose parameters do not matter. */
export const anything = Schema.Unknown

/** A method with which a session hears of a domain, or no longer does. */
export const listening =
  (domain: "page" | "runtime", on: boolean): Method =>
  ({ session }) => {
    if (on) session.enabled.add(domain)
    else session.enabled.delete(domain)
    return done
  }

/** A method that answers the same whatever its parameters are. */
export const always =
  (answer: Protocol.Result): Method =>
  () =>
    Result.succeed(answer)
