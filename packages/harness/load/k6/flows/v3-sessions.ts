import { terminalV3SessionStatuses } from "@webagent/contract/Wire"
import { check } from "k6"
import type { Flow } from "../Iteration.ts"
import { record, text } from "../Service.ts"
import { begin, follow } from "../Work.ts"

/** v3: creates a session from a task and polls it until its result will not change by itself. */
export const v3Sessions: Flow = (iteration) => {
  const { service, settings } = iteration
  const id = text(
    begin(() => service.send("v3.createSession", { body: { task: settings.task } })),
    "id"
  )
  if (!check(id, { "a created session has an id": (id) => id !== undefined }) || id === undefined) return
  let session: ReturnType<typeof record>
  follow(iteration, {
    status: () => {
      session = record(service.send("v3.getSession", { id }))
      const status = session?.["status"]
      return typeof status === "string" ? status : undefined
    },
    isTerminal: (status) => terminalV3SessionStatuses.some((terminal) => terminal === status),
    // the read that showed the status brought the result along
    fetch: () => ({ agrees: session?.["id"] === id, result: session?.["result"] }),
    wanted: "idle"
  })
}
