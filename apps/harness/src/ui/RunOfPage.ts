import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { basename } from "node:path"
import { runSuites } from "../cli/run/runSuites.ts"
import { type RunOptions, startedAs } from "../cli/RunFlags.ts"
import { ExchangeListener } from "../observe/ExchangeListener.ts"
import type { Seen } from "../observe/Seen.ts"
import { PictureListener } from "../run/LiveSteps.ts"
import type { Changes, OwnMessage, Refused } from "./RunProcess.ts"

const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

/** The changes that the starting process sends first. */
const received = Effect.callback<Changes>((resume) => {
  process.once("message", (changes: Changes) => resume(Effect.succeed(changes)))
})

/** Succeeds when the starting process stops the run, or is gone. */
const closed = Effect.callback<void>((resume) => {
  const close = () => resume(Effect.void)
  if (!process.connected) return close()
  process.once("disconnect", close)
})

/** Sends a message, and calls back when it's on its way. If no process receives it, it's dropped. */
const post = (message: OwnMessage | Refused, done = () => {}): void => {
  if (process.send === undefined || !process.connected) return done()
  process.send(message, undefined, undefined, done)
}

/** Sends each request of a run twice, when it begins and when it has ended. */
const exchangeListener = (run: string): NonNullable<typeof ExchangeListener.Service> => {
  const ids = new WeakMap<Seen, number>()
  let last = 0
  return (seen, { index, name }) => {
    const id = ids.get(seen) ?? ++last
    ids.set(seen, id)
    post({
      _tag: "Exchange",
      run,
      exchange: {
        id,
        title: name,
        index,
        at_ms: seen.at_ms,
        duration_ms: seen.endedAt_ms === undefined ? null : seen.endedAt_ms - seen.at_ms,
        method: seen.request.method,
        path: URL.parse(seen.request.url)?.pathname ?? "",
        status: seen.status ?? null,
        failure: seen.failure ?? null
      }
    })
  }
}

/** Carries out the run that the page of another process started, until it finishes or that process closes the channel. */
export const carryOut = (options: RunOptions) =>
  Effect.gen(function* () {
    const { record, trial, trials, ...changes } = yield* received
    const run = basename(changes.reportDir)
    // the configuration may have changed since: what belongs to the target comes from the process that chose the target
    const ofTarget = { apiKeyHeader: undefined, control: undefined, v2SessionId: undefined }
    yield* runSuites({ ...startedAs(options, { record, trial, trials }), ...ofTarget, ...changes }).pipe(
      Effect.provideService(ExchangeListener, exchangeListener(run)),
      Effect.provideService(PictureListener, (trial, picture) =>
        Effect.sync(() => post({ _tag: "Picture", run, ...trial, picture }))
      )
    )
  }).pipe(
    // a run with failures has run
    Effect.catchTag("ExitError", () => Effect.void),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.callback<void>((resume) =>
            post({ _tag: "Refused", detail: sentenceOf(cause) }, () => resume(Effect.void))
          )
    ),
    Effect.raceFirst(closed),
    // a timer of a suite would keep the process, and the next run waits for its end
    Effect.ensuring(Effect.sync(() => process.exit()))
  )
