import type { OpenStatus, Raw } from "@webagent/core/promise"

// What the service answers of sessions, as @webagent/contract decodes it, in types that name nothing of Effect.

/** Execution state of a task; one that is not known yet is not terminal. */
export type TaskStatus = "created" | "started" | "finished" | "failed" | "stopped" | OpenStatus

/** A task of a session. Times are naive UTC, `cost` is a decimal string in USD. */
export interface TaskItemView extends Raw {
  readonly id: string
  readonly sessionId: string
  readonly llm: string
  readonly task: string
  readonly status: TaskStatus
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly metadata: { readonly [name: string]: unknown }
  readonly output: string | null
  readonly serviceVersion: string | null
  readonly isSuccess: boolean | null
  readonly judgement: string | null
  readonly judgeVerdict: boolean | null
  readonly cost: string | null
  readonly suggestions: ReadonlyArray<{ readonly [name: string]: unknown }> | null
}

/** A browser session with its tasks. `proxyUsedMb` is in MB, `proxyCost` in USD, both decimal strings. */
export interface SessionView extends Raw {
  readonly id: string
  readonly status: "active" | "stopped" | OpenStatus
  readonly liveUrl: string | null
  readonly recordingUrl: string | null
  readonly startedAt: string
  readonly finishedAt: string | null
  readonly tasks: ReadonlyArray<TaskItemView>
  readonly publicShareUrl: string | null
  readonly persistMemory: boolean
  readonly keepAlive: boolean
  readonly proxyUsedMb: string
  readonly proxyCost: string
}
