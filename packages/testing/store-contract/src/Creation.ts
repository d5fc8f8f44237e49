import { Decide, Session, Turn } from "@webagent/engine"
import { turn } from "@webagent/test-fixtures/Records"

/** The commit of a new session `s<name>` with its first turn `t<name>`. */
export const creation = (name: string, change: Partial<Turn.Turn> = {}) => {
  const first = Turn.make({ ...turn, ...change, id: `t${name}`, sessionId: `s${name}` })
  const { createdAt_ms, owner, sessionId } = first
  const made = Session.make({ id: sessionId, thinkingLevel: null, createdAt_ms, owner })
  const { events, session, turns } = Decide.created(made, first)
  return { events, session, turns }
}
