import type { ApiKey, KeyLimits, KeyNameTaken, KeyScope, Node, Turn } from "@webagent/engine"
import type { UserError } from "@webagent/cli/UserError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"

/** A run in a list. */
export interface ListedRun extends Pick<
  Turn.Turn,
  "id" | "error" | "sessionId" | "owner" | "cost" | "steps" | "createdAt_ms" | "finishedAt_ms" | "task"
> {
  readonly status: string
  /** Reason why it finished; null before that. */
  readonly reason: string | null
  readonly model: string | null
  /** The node that has it right now. */
  readonly node: string | null
}

/** An open browser in a list. */
export interface ListedBrowser {
  readonly id: string
  readonly status: string
  readonly owner: string | null
  readonly node: string | null
  readonly startedAt_ms: number
}

/** A node in a list, with the number of its sessions and browsers. */
export interface ListedNode extends Node {
  readonly sessions: number
  readonly browsers: number
}

/** An API key in a list. */
export interface ListedKey extends Omit<ApiKey, "scopes"> {
  readonly scopes: ReadonlyArray<string>
}

/** The node that still has to release a run or browser; `isRunning` is null if that isn't known. */
export interface Holder {
  readonly node: string
  readonly isRunning: boolean | null
}

/** Result of a command that ends a run or a browser. */
export interface Ended {
  readonly id: string
  /** Its status as it is now. */
  readonly status: string
  /** False if it was finished before. */
  readonly changed: boolean
  readonly holder: Holder | null
}

type Result<A, E = never> = Effect.Effect<A, E | UserError | SqlError>

/** The records that an operator's command lists and changes: those of a database, or of a running server. */
export class Records extends Context.Service<
  Records,
  {
    /** Name of the database or address of the server, without secrets. */
    readonly name: string
    /** The flag with which another command uses the same records. */
    readonly flag: string
    /** The newest runs; or the open ones, the longest waiting first. */
    readonly runs: (open: boolean) => Result<ReadonlyArray<ListedRun>>
    /** Cancels a run; undefined if no run has the id. */
    readonly cancelRun: (id: string) => Result<Ended | undefined>
    /** Open browsers, the oldest first. */
    readonly browsers: Result<ReadonlyArray<ListedBrowser>>
    /** Stops a browser; undefined if no browser has the id. */
    readonly stopBrowser: (id: string) => Result<Ended | undefined>
    readonly nodes: Result<ReadonlyArray<ListedNode>>
    readonly drain: (node: string, draining: boolean) => Result<void>
    /** All keys, revoked ones included, oldest first. */
    readonly keys: Result<ReadonlyArray<ListedKey>>
    /** Creates a key and returns its secret. */
    readonly createKey: (request: {
      readonly name: string
      readonly scopes: ReadonlyArray<KeyScope>
      readonly limits: KeyLimits
    }) => Result<Redacted.Redacted, KeyNameTaken>
    readonly revokeKey: (name: string) => Result<"revoked" | "already" | "unknown">
    /** Cancels the runs and stops the browsers of a revoked key. */
    readonly stopOwned: (
      name: string
    ) => Result<{ readonly runs: number; readonly browsers: number; readonly isComplete: boolean }>
  }
>()("webagent-server/Records") {}

/** Maximum number of listed runs: of the unfinished ones, and of all. */
export const mostRuns = { open: 1000, newest: 100 }

/** Maximum number of listed browsers. */
export const mostBrowsers = 1000
