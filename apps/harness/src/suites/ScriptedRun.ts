import type { Run } from "@webagent/contract/v4"
import { check, type ScenarioContext, type TaskScript } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"

const NonEmpty = Schema.NonEmptyString

/** A run and the session that it belongs to. */
interface StartedRun {
  readonly id: string
  readonly sessionId: string
}

/** A v4 run whose agent does what the script says, just created. */
export const start = Effect.fnUntraced(function* (
  { simulate, v4 }: ScenarioContext,
  script: TaskScript
): Effect.fn.Return<StartedRun, unknown> {
  const created = yield* v4.runs.create({ task: simulate("Buy a red mug", script) })
  const sessionId = yield* check.schema(NonEmpty, created.sessionId, "the run's sessionId")
  return { id: created.id, sessionId }
})

/** As long as a run takes that is not waited for. */
export const long = "5m"

/** The same, where it has to come to work first, which takes a tenth of the time. No machine looks later. */
export const atWork = "20s"

/**
 * As long as a run takes that the next turn ends. A service that does not end it is found out when it has ended by itself,
 * which is waited for; a machine that is slower than that finds fault with a good one.
 */
export const untilInterrupted = "10s"

/** The longest wait for a turn that begins at once. */
export const atOnce = "25 seconds"

/**
 * Interrupts the running turn of a session when the scenario ends, with a turn that takes no time: that is the only
 * described way to end a run, and nothing keeps running after the scenario.
 */
export const interruptAtEnd = ({ simulate, v4 }: ScenarioContext, sessionId: string) =>
  Effect.addFinalizer(() =>
    v4.sessions.queue(sessionId, { text: simulate("Stop", { duration: "1ms" }), interrupt: true }).pipe(
      Effect.flatMap(({ runId }) => (typeof runId === "string" ? v4.runs.untilTerminal(runId) : Effect.void)),
      Effect.ignore
    )
  )

/** The same, with the run at its end. */
export const finish = Effect.fnUntraced(function* (
  context: ScenarioContext,
  script: TaskScript
): Effect.fn.Return<StartedRun & { readonly run: Run }, unknown> {
  const { id, sessionId } = yield* start(context, { duration: "5ms", ...script })
  return { id, sessionId, run: yield* context.v4.runs.untilTerminal(id) }
})

/** Waits until a run has this status, at most 25 seconds. */
export const until = (context: ScenarioContext, id: string, status: string) =>
  context.v4.runs.status(id).pipe(
    Effect.repeat({ until: (view) => view.status === status, schedule: Schedule.spaced("5 millis") }),
    Effect.timeoutOrElse({
      duration: "25 seconds",
      orElse: () => check.that(`run ${id} should become ${status} within 25 seconds`, false)
    })
  )
