// What the service answers of sessions, as @webagent/contract decodes it, in types that name nothing of Effect.

/** What creating a session takes: the instruction, and anything that is not described. */
export interface SessionCreate {
  readonly task: string
  readonly thinkingLevel?: string
  readonly [field: string]: unknown
}

/** Status of a session. None is described; the known ones are those of our server. */
export type SessionStatus = "created" | "running" | "idle" | "stopped" | "timed_out" | "error" | (string & {})

/** A session, with its result once there is one. Fields that are not described are kept. */
export interface Session {
  readonly id: string
  readonly status?: SessionStatus
  readonly result?: unknown
  readonly task?: string
  readonly thinkingLevel?: string | null
  readonly liveUrl?: string | null
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly [field: string]: unknown
}

/** A session that is over, its result as a schema says. */
export interface CompletedSession<Result> extends Session {
  readonly result: Result
}
