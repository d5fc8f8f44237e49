import * as Formatter from "effect/Formatter"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { Console } from "node:console"
import { Writable } from "node:stream"
import { number } from "@webagent/cli/Text"
import type { Printed } from "@webagent/report/Trial"
import type { TrialLog } from "./TrialLog.ts"
import { trialOfCode } from "./TrialTracer.ts"

/** Number of characters of a trial's output that are shown. */
const shown = 16_384

/** Number of characters that are stored: more than are shown, so that no key is truncated before it is redacted. */
const kept = shown + 1024

const keep = (log: TrialLog, stream: Printed["stream"], text: string) => {
  const start = text.slice(0, Math.max(0, kept - log.printed))
  log.printed += text.length
  const last = log.output.at(-1)
  if (start === "") return
  if (last?.stream === stream) log.output[log.output.length - 1] = { stream, text: last.text + start }
  else log.output.push({ stream, text: start })
}

/** The output of a trial as its report contains it. */
export const of = ({ output, printed }: TrialLog, redact: (text: string) => string): ReadonlyArray<Printed> => {
  let left = shown
  const texts = output.flatMap(({ stream, text }) => {
    const start = redact(text).slice(0, left)
    left -= start.length
    return start === "" ? [] : [{ stream, text: start }]
  })
  const last = texts.at(-1)
  if (last === undefined || printed <= shown) return texts
  const more = `\n(and ${number(printed - shown)} more characters)`
  return [...texts.slice(0, -1), { ...last, text: last.text + more }]
}

/** Takes a text that was printed, with its line break, and the suite and scenario that printed it. */
export type Show = (stream: Printed["stream"], text: string, trial: string | undefined) => void

/** A text with its trial at the begin of each line, so that trials side by side can be told apart. */
export const attributed = (text: string, trial: string | undefined): string =>
  trial === undefined ? text : text.replaceAll(/^(?=.)/gmu, `${trial}: `)

const isFunction = ([, value]: readonly [string, unknown]) => typeof value === "function"

const textOf = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((part: unknown) => (typeof part === "string" ? part : Formatter.format(part)))
    .join(" ")

/** Adds what `effect` prints with `console`, and what it logs, to the logs of its trials, and shows it. */
export const captured =
  (show: Show) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const print = (stream: Printed["stream"], text: string) => {
      const log = trialOfCode.getStore()
      if (log !== undefined) keep(log, stream, text)
      show(stream, text, log?.name)
    }
    const into = (stream: Printed["stream"]) =>
      new Writable({
        decodeStrings: false,
        write: (text, _, done) => {
          print(stream, String(text))
          done()
        }
      })
    const logger = Logger.make(({ cause, logLevel, message }) => {
      const why = cause.reasons.length === 0 ? "" : `: ${Cause.pretty(cause)}`
      print("stdout", `${logLevel.toLowerCase()}  ${textOf(message)}${why}\n`)
    })
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const ours = Object.entries(new Console({ stdout: into("stdout"), stderr: into("stderr") })).filter(isFunction)
        const former = ours.map(([name]): readonly [string, unknown] => [name, Reflect.get(console, name)])
        Object.assign(console, Object.fromEntries(ours))
        return former
      }),
      () => Effect.provideService(effect, Logger.CurrentLoggers, new Set([logger])),
      (former) => Effect.sync(() => Object.assign(console, Object.fromEntries(former)))
    )
  }
