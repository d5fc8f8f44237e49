import type { OpenStatus, Raw } from "@webagent/core/promise"

// What the service answers of sessions, as @webagent/contract decodes it, in types that name nothing of Effect.

/** Input of a new session: the instruction, and how long to think about it. */
export interface SessionCreate {
  readonly task: string
  readonly thinkingLevel?: string
}

/** Status of a session. None is described; the known ones are those of our server. */
export type SessionStatus = "created" | "running" | "idle" | "stopped" | "timed_out" | "error" | OpenStatus

/** A session, with its result once there is one. */
export interface Session extends Raw {
  readonly id: string
  readonly status?: SessionStatus
  readonly result?: unknown
  readonly task?: string
  readonly thinkingLevel?: string | null
  readonly liveUrl?: string | null
  readonly createdAt?: string
  readonly updatedAt?: string
  /** The cost of all its turns together: a decimal number in USD. */
  readonly cost?: string | null
}

/** A page of sessions, newest first. */
export interface SessionPage extends Raw {
  readonly sessions: ReadonlyArray<Session>
  /** Number of sessions on all pages. */
  readonly total?: number
  readonly page?: number
  readonly pageSize?: number
}

/** A message of a session: a task, or a step or the outcome of the agent. `data` is JSON text, `summary` a sentence. */
export interface SessionMessage extends Raw {
  readonly id: string
  readonly role: string
  readonly type: string
  readonly data: string
  readonly summary: string
  readonly sessionId?: string
  readonly screenshotUrl?: string | null
  readonly hidden?: boolean
  readonly createdAt?: string
}

/** Messages of a session, oldest first. */
export interface SessionMessages extends Raw {
  readonly messages: ReadonlyArray<SessionMessage>
  readonly hasMore?: boolean
}

/** A session that is over, its result as a schema says. */
export interface CompletedSession<Result> extends Session {
  readonly result: Result
}
