import { check } from "k6"
import type { Flow } from "../Iteration.ts"
import { runsLost } from "../Metrics.ts"
import { isSuccess, text } from "../Service.ts"
import { begin } from "../Work.ts"
import { createRun, followRun } from "./runs.ts"

/** v4: creates a run, queues a follow-up to its session, every other time as an interruption, and waits for both. */
export const queue: Flow = (iteration) => {
  const run = createRun(iteration)
  if (run === undefined) return
  if (!check(run, { "a created run names its session": (run) => run.sessionId !== undefined }) || !run.sessionId) {
    return followRun(iteration, run.id)
  }
  const interrupt = iteration.ordinal % 2 === 1
  const queued = { ...iteration, due_ms: Date.now() }
  const id = run.sessionId
  const answer = begin(() =>
    iteration.service.send("v4.queueMessage", { id, body: { text: iteration.settings.task, interrupt } })
  )
  check(answer, { "a message is queued": isSuccess })
  // interrupted or not, it ends: which way depends on how far it was
  if (interrupt) followRun(iteration, run.id)
  else followRun(iteration, run.id, "completed")
  const next = text(answer, "runId")
  if (next !== undefined) followRun(queued, next, "completed")
  // a service need not say which run a message becomes
  else if (isSuccess(answer)) runsLost.add(-1)
}
