import { terminalRunStatuses } from "@webagent/contract/Wire"
import { check } from "k6"
import type { Flow, Iteration } from "../Iteration.ts"
import { record, text } from "../Service.ts"
import { begin, follow } from "../Work.ts"

/** Creates a v4 run; undefined when the service did not. */
export const createRun = ({ service, settings }: Iteration, task = settings.task) => {
  const run = record(begin(() => service.send("v4.createRun", { body: { task } })))
  const { id, sessionId } = run ?? {}
  check(id, { "a created run has an id": (id) => typeof id === "string" && id !== "" })
  return typeof id === "string" && id !== ""
    ? { id, sessionId: typeof sessionId === "string" ? sessionId : undefined }
    : undefined
}

/** Polls the cheap status of a v4 run until it is terminal, and fetches the full run once. */
export const followRun = (iteration: Iteration, id: string, wanted?: string): void =>
  follow(iteration, {
    status: () => text(iteration.service.send("v4.getRunStatus", { id }), "status"),
    isTerminal: (status) => terminalRunStatuses.some((terminal) => terminal === status),
    fetch: (status) => {
      const run = record(iteration.service.send("v4.getRun", { id }))
      return {
        agrees: run?.["id"] === id && run["status"] === status,
        result: run?.["result"],
        finishedAt: run?.["finishedAt"]
      }
    },
    ...(wanted === undefined ? {} : { wanted })
  })

/** v4: creates a run, polls its status until it is terminal, and fetches the full run. */
export const runs: Flow = (iteration) => {
  const run = createRun(iteration)
  if (run !== undefined) followRun(iteration, run.id, "completed")
}
