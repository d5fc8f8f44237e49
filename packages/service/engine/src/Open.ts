import type { TurnStatus } from "./domain/Turn.ts"

/** What is not over. Times are milliseconds since 1970 by the engine's clock. */
export interface Open {
  /** The turns that are not terminal. */
  readonly turns: ReadonlyArray<{
    readonly id: string
    readonly sessionId: string
    readonly status: TurnStatus
    readonly createdAt_ms: number
    readonly startedAt_ms: number | null
  }>
  /** The sessions that are not stopped; an idle one has no turn that is not terminal. */
  readonly sessions: ReadonlyArray<{ readonly id: string; readonly createdAt_ms: number; readonly idle: boolean }>
  /** The browsers that are not stopped. */
  readonly browsers: ReadonlyArray<{ readonly id: string; readonly startedAt_ms: number }>
}
