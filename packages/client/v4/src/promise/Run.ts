import type { RunOptions, RunReplay } from "@webagent/contract/Options"
import type { OpenStatus, Raw } from "@webagent/core/promise"

// What the service answers of runs, as @webagent/contract decodes it, in types that name nothing of Effect.

export type { RunReplay, SecretBinding } from "@webagent/contract/Options"

/** Input of a new run: the instruction, and provider-native reasoning values. */
export interface RunCreate extends RunOptions {
  readonly task: string
  readonly modelParams?: { readonly [name: string]: unknown }
}

/** Status of a run. Terminal are `completed`, `failed` and `cancelled`; an OpenStatus, which is not known yet, is not. */
export type RunStatus = "queued" | "dispatching" | "running" | "completed" | "failed" | "cancelled" | OpenStatus

/** The response of the cheap status endpoint. */
export interface RunStatusView extends Raw {
  readonly status: RunStatus
}

/** Fields of a run that a service may leave out. */
interface RunFields extends Raw {
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
  /** Another name of `cost`, if the service uses it. */
  readonly totalCostUsd?: string | null
  readonly title?: string | null
  readonly model?: string | null
  readonly contextLimit?: number | null
  readonly totalInputTokens?: number | null
  readonly totalOutputTokens?: number | null
  /** The report of the judge, if the run has one. */
  readonly judgement?: { readonly [name: string]: unknown } | null
  readonly workspaceId?: string | null
  readonly attachedFileIds?: ReadonlyArray<string> | null
  /** Missing if the run repeats no other one. */
  readonly replay?: RunReplay | null
  readonly updatedAt?: string
}

/** The response to creating a run. Only its id is certain. */
export interface CreatedRun extends RunFields {
  readonly id: string
  readonly status?: RunStatus
  readonly eventsUrl?: string
  readonly missingFileIds?: ReadonlyArray<string>
}

/** The full run, with its result once terminal. */
export interface Run extends RunFields {
  readonly id: string
  readonly status: RunStatus
}

/** A page of runs, newest first. */
export interface RunPage extends Raw {
  readonly runs: ReadonlyArray<Run>
  readonly nextCursor?: string | null
  /** False on the last page. */
  readonly hasMore?: boolean
}

/** A file that an agent attached to its run; `sizeBytes` is known once it's uploaded. */
export interface RunAttachment extends Raw {
  readonly id: string
  readonly name?: string
  readonly contentType?: string
  readonly sizeBytes?: number
  readonly status?: "pending" | "uploaded" | OpenStatus
}

/** A completed run, its result as a schema says. */
export interface CompletedRun<Result> extends Run {
  readonly result: Result
}
