import type { Transport } from "@webagent/core"
import * as Effect from "effect/Effect"

/** The sessions of the tasks that each client created, the newest 10,000. */
const sessions = new WeakMap<Set<string>, Map<string, string>>()

/** Stores the session of a task that was created. */
export const remember = ({ open }: Transport["Service"], id: string, sessionId: string): void => {
  const ofTasks = sessions.get(open) ?? new Map<string, string>()
  sessions.set(open, ofTasks.set(id, sessionId))
  const [oldest = ""] = ofTasks.keys()
  if (ofTasks.size > 10_000) ofTasks.delete(oldest)
}

/** Closes the tasks of a deleted session in the ledger. */
export const close = ({ closed, open }: Transport["Service"], sessionId: string): Effect.Effect<void> =>
  Effect.forEach(
    Array.from(sessions.get(open) ?? []),
    ([id, of]) => (of === sessionId && open.has(`task ${id}`) ? closed("task", id) : Effect.void),
    { discard: true }
  )
