// What the service answers of runs, as @webagent/contract decodes it, in types that name nothing of Effect.

/** Fields that are not described are kept. */
interface Open {
  readonly [field: string]: unknown
}

/** What creating a run takes: the instruction, provider-native reasoning values, and anything that is not described. */
export interface RunCreate extends Open {
  readonly task: string
  readonly modelParams?: { readonly [name: string]: unknown }
}

/** Status of a run. Terminal are `completed`, `failed` and `cancelled`; one that is not known yet is not terminal. */
export type RunStatus = "queued" | "dispatching" | "running" | "completed" | "failed" | "cancelled" | (string & {})

/** What the cheap status look-up answers. */
export interface RunStatusView extends Open {
  readonly status: RunStatus
}

/** What creating a run answers: an id. Nothing else of it is certain. */
export interface CreatedRun extends Open {
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
