import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { coloured, plain } from "@webagent/report/Style"

/** The text of an environment variable; undefined where it is not set, or empty. */
export const variable = (name: string) =>
  Config.NonEmptyString(name).pipe(
    Config.option,
    Effect.map(Option.getOrUndefined),
    Effect.orElseSucceed(() => undefined)
  )

/** Whether an environment variable is set to something else than nothing or `false`. */
export const isSet = (name: string) => Effect.map(variable(name), (value) => value !== undefined && value !== "false")

/** How standard output can be written to. */
export const terminal = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const { canAnimate, canColor } = yield* TerminalCapabilities
  return {
    live: canAnimate && !(yield* isSet("CI")),
    style: canColor ? coloured : plain,
    columns: process.stdout.columns > 0 ? process.stdout.columns : 100,
    rows: process.stdout.rows > 0 ? process.stdout.rows : 24,
    // the reader of a pipe may close it early: that is no reason to stop
    write: (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stdout({ endOnDone: false })))
  }
})
