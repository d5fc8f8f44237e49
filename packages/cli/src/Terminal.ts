import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { coloured, plain } from "./Style.ts"

/** The text of an environment variable; undefined where it is not set, or empty. */
export const variable = (name: string) =>
  Config.NonEmptyString(name).pipe(
    Config.option,
    Effect.map(Option.getOrUndefined),
    Effect.orElseSucceed(() => undefined)
  )

/** True if an environment variable is set to a value other than the empty string or `false`. */
export const isSet = (name: string) => Effect.map(variable(name), (value) => value !== undefined && value !== "false")

/** Writes to one stream; the reader of a pipe may close it early, which is no reason to stop. */
const writeTo = (sink: Stdio.Stdio["stdout"]) => (text: string) =>
  Effect.ignore(Stream.run(Stream.make(text), sink({ endOnDone: false })))

/** Capabilities of standard output: live updates, colors and size. */
export const terminal = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const { canAnimate, canColor } = yield* TerminalCapabilities
  return {
    live: canAnimate && !(yield* isSet("CI")),
    style: canColor ? coloured : plain,
    columns: process.stdout.columns > 0 ? process.stdout.columns : 100,
    rows: process.stdout.rows > 0 ? process.stdout.rows : 24,
    write: writeTo(stdio.stdout)
  }
})

/** The terminal for people: standard output, or plain lines on standard error if JSON is written to standard output. */
export const terminalBeside = Effect.fnUntraced(function* (json: boolean) {
  const shown = yield* terminal
  const { stderr } = yield* Stdio.Stdio
  return json ? { ...shown, live: false, style: plain, write: writeTo(stderr) } : shown
})
