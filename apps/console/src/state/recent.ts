import type { Run } from "@webagent/admin"

/** The fields that tell which of two rows of a run is newer. */
export type Version = Pick<Run, "id" | "finishedAt" | "updatedAt" | "steps">

/** Most runs whose last event is kept for the responses that are on their way. */
const most = 500

const rows = new Map<string, Version>()

/** Keeps the row of an event: a response that was made before it may arrive after it. */
export const keepRecent = (run: Version): void => {
  rows.delete(run.id)
  rows.set(run.id, run)
  const [oldest] = rows.keys()
  if (rows.size > most && oldest !== undefined) rows.delete(oldest)
}

const isOlder = (run: Version, than: Version): boolean =>
  (run.finishedAt === null && than.finishedAt !== null) ||
  run.updatedAt < than.updatedAt ||
  (run.updatedAt === than.updatedAt && run.steps < than.steps)

/** Returns the row of a response, or that of the run's last event if it is newer. */
export const newerOf = <A extends Version>(response: A): A => {
  const event = rows.get(response.id)
  return event !== undefined && isOlder(response, event) ? { ...response, ...event } : response
}
