import { CannotError, LiveMessage } from "@webagent/harness-api"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { RunOptions } from "../cli/RunFlags.ts"
import { variable } from "./RunVariable.ts"

/** A message about a running trial, which no file has. */
export type OwnMessage = Extract<LiveMessage, { readonly _tag: "Exchange" | "Picture" }>

/** Differences between a run from the page and the command line of `ui`, as plain data. */
export type Changes = Pick<RunOptions, "allowPaid" | "reporters" | "target"> &
  Partial<
    Pick<
      RunOptions,
      | "apiKeyEnv"
      | "apiKeyHeader"
      | "builtIn"
      | "concurrency"
      | "control"
      | "maxCost"
      | "name"
      | "record"
      | "scenarios"
      | "seed"
      | "suites"
      | "tags"
      | "trial"
      | "trials"
      | "v2SessionId"
    >
  > & { readonly reportDir: string }

/** The last message of a run that did not begin: the reason, in one sentence. */
export const Refused = Schema.TaggedStruct("Refused", { detail: Schema.String })
export type Refused = typeof Refused.Type

const decode = Schema.decodeUnknownOption(Schema.Union([LiveMessage, Refused]))

/** The program itself, so that a run reads the same command line, environment and configuration as `ui`. */
const program = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../main.ts" : "../main.js", import.meta.url))

/** Time in which a stopped run releases its resources and writes its report. Then its process is killed. */
const patience = "3 minutes"

/** The end of a process as its parent saw it; nothing if it went well. */
type Ended = string | undefined

/**
 * Carries out a run in a process of its own, which stops when this one ends or closes its channel. Suites, records and a
 * simulated service leave no memory behind here, and an error that ends that process doesn't end this one.
 */
export const run = (changes: Changes, onMessage: (message: OwnMessage) => void) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      let refused: string | undefined
      const child = fork(program, process.argv.slice(2), {
        env: { ...process.env, [variable]: "1" },
        stdio: ["ignore", "inherit", "inherit", "ipc"]
      })
      child.on("message", (received) => {
        const message = Option.getOrUndefined(decode(received))
        if (message?._tag === "Refused") refused = message.detail
        if (message?._tag === "Exchange" || message?._tag === "Picture") onMessage(message)
      })
      const ended = new Promise<Ended>((resolve) => {
        child.once("error", (error) => resolve(`could not be started: ${error.message}`))
        child.once("exit", (code, signal) => {
          const isClean = code === 0 || code === 130
          const end = () =>
            resolve(
              isClean
                ? undefined
                : signal === null
                  ? `ended with code ${code}. The output of this command has the reason`
                  : `was ended by ${signal}`
            )
          // messages may still come
          if (child.connected) child.once("disconnect", end)
          else end()
        })
      })
      // a process that couldn't be started has no channel, and one that has ended fails with that
      if (child.connected) child.send(changes, () => undefined)
      return { child, ended, refused: () => refused }
    }),
    ({ ended, refused }) =>
      Effect.flatMap(
        Effect.promise(() => ended),
        (why) => {
          const detail = refused() ?? (why && `The run's process ${why}.`)
          return detail === undefined ? Effect.void : Effect.fail(new CannotError({ detail }))
        }
      ),
    ({ child, ended }) =>
      Effect.suspend(() => {
        if (child.connected) child.disconnect()
        const wait = Effect.promise(() => ended)
        return Effect.timeoutOrElse(wait, {
          duration: patience,
          orElse: () =>
            Effect.andThen(
              Effect.sync(() => child.kill("SIGKILL")),
              wait
            )
        })
      })
  )
