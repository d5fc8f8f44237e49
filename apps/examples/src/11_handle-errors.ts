/**
 * Every way in which a run can go wrong, with a sentence for each. A run that failed is a value, not an error.
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
    // which call, what is wrong with it, and the id by which the service finds it in its logs
    HTTPValidationError: (error) => say(error.message),
    ContentTooLargeError: () => say("The task is too long for the service."),
    TooManyRequestsError: ({ retryAfter }) =>
      say(`Too much at once. Come back in ${retryAfter === undefined ? "a while" : Duration.format(retryAfter)}.`),
    // no answer, or one that does not say what was made, such as a 502: look before creating another
    CreateOutcomeUnknown: ({ phase, reason }) => say(`There may be a run (${phase}, ${reason._tag}).`),
    RunNotFoundError: () => say("The run was created, and then the service did not know it."),
    // it goes on: with its id another wait can pick it up
    WaitTimeoutError: ({ id, lastStatus }) => say(`Run ${id} was still ${lastStatus ?? "silent"} and may go on.`)
  }),
  Effect.catchReasons(
    "TransportError",
    {
      ConnectionFailed: ({ code }) => say(code === "ECONNREFUSED" ? "Nothing listens there." : "The connection broke."),
      Timeout: ({ after }) => say(`No answer in ${Duration.format(after)}.`),
      // the run exists, only its description is odd
      UndecodableAnswer: ({ id, status }) => say(`An odd answer with status ${status}, for run ${id ?? "unknown"}.`)
    },
    (_, error) => say(error.message)
  )
)
