import { check } from "k6"
import type { Flow } from "../Iteration.ts"
import { text } from "../Service.ts"

/** v4: reads the cheap status of one of the runs that setup created, and does nothing else. */
export const statusReads: Flow = ({ ordinal, prepared: { runs }, service }) => {
  const id = runs[ordinal % runs.length]
  if (!check(id, { "there is a run to read": (id) => id !== undefined }) || id === undefined) return
  check(service.send("v4.getRunStatus", { id }), {
    "a status is read": (answer) => text(answer, "status") !== undefined
  })
}
