import { terminalTaskStatuses } from "@webagent/contract/Wire"
import { check } from "k6"
import type { Flow } from "../Iteration.ts"
import { record } from "../Service.ts"
import { follow } from "../Work.ts"
import { createRun } from "./runs.ts"

interface Task {
  readonly status?: unknown
  readonly output?: unknown
  readonly finishedAt?: unknown
}

const isTerminal = (status: unknown): boolean => terminalTaskStatuses.some((terminal) => terminal === status)

/** v2 only reads: work is created as a v4 run, and its session is read as v2 shows it until its tasks are terminal. */
export const v2Sessions: Flow = (iteration) => {
  const run = createRun(iteration)
  if (run === undefined) return
  const id = run.sessionId
  if (!check(id, { "a created run names its session": (id) => id !== undefined }) || id === undefined) return
  let session: ReturnType<typeof record>
  let last: Task | undefined
  follow(iteration, {
    status: () => {
      session = record(iteration.service.send("v2.getSession", { id }))
      const tasks = session?.["tasks"]
      if (!Array.isArray(tasks)) return undefined
      last = (tasks as ReadonlyArray<Task>).find(({ status }) => !isTerminal(status)) ?? tasks[tasks.length - 1]
      return typeof last?.status === "string" ? last.status : undefined
    },
    isTerminal,
    // the read that showed the status brought the tasks along
    fetch: () => ({ agrees: session?.["id"] === id, result: last?.output, finishedAt: last?.finishedAt }),
    wanted: "finished"
  })
}
