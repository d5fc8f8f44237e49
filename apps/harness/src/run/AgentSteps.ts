import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AgentSteps } from "@webagent/report/Trial"
import type { Target } from "../targets/Target.ts"
import type { TrialLog } from "../observe/TrialLog.ts"

/** How many runs of a trial are read, how many steps of each are kept, and how long all of it may take. */
const most = { runs: 5, steps: 50, time: "2 seconds" } as const

const { count: _, ...fields } = AgentSteps.fields
const decode = Schema.decodeUnknownOption(Schema.Struct(fields))

/** What the agent did in the last runs of a trial. A service that does not show this, or not in time, is not asked twice. */
export const of = Effect.fnUntraced(function* (
  { contextOf, redact, simulated }: Pick<Target, "contextOf" | "redact" | "simulated">,
  { made }: TrialLog
): Effect.fn.Return<ReadonlyArray<AgentSteps>> {
  // a simulated agent takes no steps
  if (simulated) return []
  const { request } = contextOf(0)
  const runs = Array.from(made).flatMap(([id, { kind }]) => (kind === "run" ? [id] : []))
  const read = (id: string) =>
    request("v4", { method: "GET", path: `/runs/${encodeURIComponent(id)}/steps` }).pipe(
      Effect.map(({ body }) => Option.getOrUndefined(decode(body))),
      Effect.timeout(most.time),
      // whether the run is being stopped or not, what was read counts
      Effect.interruptible,
      Effect.exit,
      Effect.map((exit) => (Exit.isSuccess(exit) ? (exit.value ?? []) : []))
    )
  const found = (yield* Effect.forEach(runs.slice(-most.runs), read, { concurrency: most.runs })).flat()
  return found
    .filter(({ liveUrl, recordingUrl, steps }) => steps.length > 0 || liveUrl !== null || recordingUrl !== null)
    .map((run) => ({
      ...run,
      count: run.steps.length,
      steps: run.steps
        .slice(-most.steps)
        .map((step) => ({ ...step, summary: redact(step.summary), address: step.address && redact(step.address) }))
    }))
})
