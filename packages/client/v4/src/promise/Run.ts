import type { OpenStatus, Raw } from "@webagent/core/promise"

// What the service answers of runs, as @webagent/contract decodes it, in types that name nothing of Effect.

/** Input of a new run: the instruction, and provider-native reasoning values. */
export interface RunCreate {
  readonly task: string
  readonly modelParams?: { readonly [name: string]: unknown }
}

/** Status of a run. Terminal are `completed`, `failed` and `cancelled`; an OpenStatus, which is not known yet, is not. */
export type RunStatus = "queued" | "dispatching" | "running" | "completed" | "failed" | "cancelled" | OpenStatus

/** The response of the cheap status endpoint. */
export interface RunStatusView extends Raw {
  readonly status: RunStatus
}

/** The response to creating a run. Only its id is certain. */
export interface CreatedRun extends Raw {
  readonly id: string
  readonly status?: RunStatus
  readonly sessionId?: string | null
  readonly task?: string
  readonly modelParams?: { readonly [name: string]: unknown } | null
  readonly result?: unknown
  readonly error?: string | null
  readonly createdAt?: string
  readonly startedAt?: string | null
  readonly finishedAt?: string | null
  /** A decimal number in USD. */
  readonly cost?: string | null
}

/** The full run, with its result once terminal. */
export interface Run extends CreatedRun {
  readonly status: RunStatus
}

/** A completed run, its result as a schema says. */
export interface CompletedRun<Result> extends Run {
  readonly result: Result
}
