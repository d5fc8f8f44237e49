import type { OpenStatus, Raw } from "@webagent/core/promise"

// What the service answers of runs, as @webagent/contract decodes it, in types that name nothing of Effect.

/** A secret that the agent of one run may type. No response has its value. */
export interface SecretBinding {
  /** The name that the task and the agent use, as in `<secret:alias>`. */
  readonly alias: string
  /** The value, or the name of a secret that the operator of the server has configured. */
  readonly source:
    | { readonly type: "inline"; readonly value: string }
    | { readonly type: "server"; readonly name: string }
  /** The sites on which it may be typed, such as `shop.example` or `*.shop.example`. */
  readonly allowedDomains: ReadonlyArray<string>
}

/** Input of a new run: the instruction, and provider-native reasoning values. */
export interface RunCreate {
  readonly task: string
  readonly modelParams?: { readonly [name: string]: unknown }
  /** Makes the run the next one of this session. */
  readonly sessionId?: string
  /** The name of the model, as the service knows it. */
  readonly model?: string
  /** The most that the run may cost, in USD. */
  readonly maxCostUsd?: number | string
  /** Effect of reaching `maxCostUsd`: the run fails, or waits for a person who raises the limit or ends the run. */
  readonly onMaxCost?: "fail" | "pause"
  /** Secrets that the agent may type without seeing them. */
  readonly secretBindings?: ReadonlyArray<SecretBinding> | null
  /** True, or an object, to have a second model call judge the result. */
  readonly judge?: boolean | { readonly context?: string | null; readonly model?: string | null } | null
  /** At most 20 texts, for filters of lists. */
  readonly tags?: ReadonlyArray<string> | null
  /** At most 10 pairs of your own, which are sent back with the run. */
  readonly metadata?: { readonly [name: string]: string } | null
  /** The longest that the run may wait for a free browser, in seconds; 0 fails it if there is none at once. */
  readonly queueTimeout?: number
  /** Lets the agent ask people. */
  readonly handOff?: {
    /** Time that a person has for an answer, in seconds: 1 to 86,400, by default 600. */
    readonly timeout?: number
    /** The effect of no answer in time; `fail` by default. */
    readonly whenUnanswered?: "fail" | "skip" | "continue"
    /** True to have the run's time limit stand still while it waits. */
    readonly pausesTimeLimit?: boolean
  }
  /** The files that the agent may upload to websites, by the ids of their uploads. */
  readonly attachedFileIds?: ReadonlyArray<string> | null
  /** Without `attachedFileIds`, the agent may upload all files of this workspace. */
  readonly workspaceId?: string | null
  /** The settings of the run's browser. A service may refuse settings that it can't honor. */
  readonly browserSettings?: {
    readonly profileId?: string | null
    readonly proxyCountryCode?: string | null
    readonly customProxy?: { readonly [name: string]: unknown } | null
    readonly screenWidth?: number
    readonly screenHeight?: number
    readonly record?: boolean
    /** The languages that it announces to pages, the preferred one first, such as `de-DE`. */
    readonly languages?: ReadonlyArray<string> | null
    /** The time zone of its pages, such as `Europe/Berlin`. */
    readonly timeZone?: string | null
    /** The user agent that it announces. */
    readonly userAgent?: string | null
  }
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
