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

/** A session that is over, its result as a schema says. */
export interface CompletedSession<Result> extends Session {
  readonly result: Result
}
