import { type SessionWithTurns, Turn } from "@webagent/engine"

/** The last turn that ended; none while a turn waits or is at work. */
export const lastTurn = (turns: ReadonlyArray<Turn.Turn>): Turn.Turn | undefined =>
  turns.length > 0 && turns.every((turn) => Turn.isTerminal(turn.status))
    ? turns.reduce((last, turn) => ((turn.finishedAt_ms ?? 0) >= (last.finishedAt_ms ?? 0) ? turn : last))
    : undefined

/** The v3 status of a session, from the session and its turns. */
export const statusFromDomain = ({ session, turns }: SessionWithTurns) => {
  const last = lastTurn(turns)
  // idle before its first task
  if (turns.length === 0) return session.status === "stopped" ? "stopped" : "idle"
  if (last === undefined) {
    return turns.some((turn) => turn.status !== "queued" && turn.status !== "dispatching") ? "running" : "created"
  }
  if (last.status === "failed") return "error"
  return session.status === "stopped" ? "stopped" : "idle"
}
