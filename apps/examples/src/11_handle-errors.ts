/**
 * Handles each error that a run can have, with a sentence for each. A failed run is a value, not an error.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 11_handle-errors
 */
import { Runs } from "@webagent/v4"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

const say = (sentence: string) => Effect.succeed(sentence)

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const run = yield* runs.createAndWait({ task: "Buy the red mug" }, { timeout: "10 minutes" })
  return run.status === "completed"
    ? `Done: ${run.result}`
    : `The run is ${run.status}: ${run.error ?? "no reason given"}`
}).pipe(
  Effect.catchTags({
    UnauthorizedError: () => say("The service does not take this API key."),
    // the message has the call, the mistake, and the request id for the service's logs
    HTTPValidationError: (error) => say(error.message),
    ContentTooLargeError: () => say("The task is too long for the service."),
    TooManyRequestsError: ({ retryAfter }) =>
      say(`Too many requests. Try again in ${retryAfter === undefined ? "a while" : Duration.format(retryAfter)}.`),
    // the response was lost or is unusable, such as a 502: look for the run before you create another one
    CreateOutcomeUnknown: ({ phase, reason }) => say(`There may be a run (${phase}, ${reason._tag}).`),
    RunNotFoundError: () => say("The run was created, and then the service did not know it."),
    // the run continues, and you can wait again with its id
    WaitTimeoutError: ({ id, lastStatus }) => say(`Run ${id} was still ${lastStatus ?? "silent"} and may continue.`)
  }),
  Effect.catchReasons(
    "TransportError",
    {
      ConnectionFailed: ({ code }) => say(code === "ECONNREFUSED" ? "Nothing listens there." : "The connection broke."),
      Timeout: ({ after }) => say(`No answer in ${Duration.format(after)}.`),
      // the run exists, but the response can't be decoded
      UndecodableAnswer: ({ id, status }) =>
        say(`An unexpected response with status ${status}, for run ${id ?? "unknown"}.`)
    },
    (_, error) => say(error.message)
  )
)
