import { type Connection, emit, nextId, type Session, type State, type Target } from "./State.ts"
import { infoOf, targetId, targets } from "./Targets.ts"

/** Maximum number of sessions per connection. */
const mostSessions = 512

const makeSession = (fields: Pick<Session, "id" | "connection" | "parent" | "target" | "automatic">): Session => ({
  ...fields,
  autoAttach: undefined,
  enabled: new Set(),
  worldScripts: new Map()
})

/** A new connection, whose own session is with the browser, or with another target. */
export const connect = (state: State, id: number, target: Target = { type: "browser" }): void => {
  const sessions = new Map<string, Session>()
  const connection: Connection = {
    id,
    sessions,
    discovers: undefined,
    get root(): Session {
      return root
    }
  }
  const root = makeSession({ id: undefined, connection, parent: undefined, target, automatic: false })
  state.connections.set(id, connection)
}

/** A new session with a target, announced in `parent`; nothing when the connection has too many. */
export const attach = (
  state: State,
  parent: Session,
  target: Target,
  options: { readonly automatic: boolean; readonly waits: boolean }
): Session | undefined => {
  const { connection } = parent
  if (connection.sessions.size >= mostSessions) return undefined
  const id = nextId(state)
  const session = makeSession({ id, connection, parent, target, automatic: options.automatic })
  connection.sessions.set(id, session)
  emit(state, parent, "Target.attachedToTarget", {
    sessionId: id,
    targetInfo: infoOf(state, target),
    waitingForDebugger: options.waits
  })
  return session
}

/** Ends a session and those that came of it, and says so in the one that it came of. */
export const detach = (state: State, session: Session): void => {
  for (const child of session.connection.sessions.values()) if (child.parent === session) detach(state, child)
  if (session.id === undefined || session.parent === undefined) return
  if (!session.connection.sessions.delete(session.id)) return
  emit(state, session.parent, "Target.detachedFromTarget", {
    sessionId: session.id,
    targetId: targetId(state, session.target)
  })
}

/** Attaches what a session that attaches by itself has not attached yet. */
export const attachNew = (state: State, session: Session, fresh: boolean): void => {
  const { autoAttach, target } = session
  if (autoAttach === undefined || target.type === "page") return
  const children: ReadonlyArray<Target> =
    target.type === "tab"
      ? [{ type: "page", page: target.page }]
      : targets(state, autoAttach.filter).filter(({ type }) => type !== "browser")
  const held = new Set(
    [...session.connection.sessions.values()]
      .filter(({ automatic, parent }) => automatic && parent === session)
      .map((child) => targetId(state, child.target))
  )
  for (const child of children) {
    if (!held.has(targetId(state, child))) {
      attach(state, session, child, { automatic: true, waits: fresh && autoAttach.waits })
    }
  }
}
