import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Decimal } from "./Decimal.ts"
import { Moment, OptionalMoment, OptionalText } from "./Fields.ts"
import { invalidTransition, type InvalidTransition } from "./InvalidTransition.ts"
import type { SessionSettings } from "./Session.ts"

/** Where a turn stands. The last three are terminal. */
export const turnStatuses = ["queued", "dispatching", "running", "completed", "failed", "cancelled"] as const

/** Where a turn stands. */
export type TurnStatus = (typeof turnStatuses)[number]

/** One instruction of a session: a task in v2's words, a run in v4's. */
export const Turn = Schema.Struct({
  id: Schema.String,
  sessionId: Schema.String,
  status: Schema.Literals(turnStatuses),
  task: Schema.String,
  model: Schema.String,
  agentVersion: Schema.String,
  modelParams: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
  output: Schema.Json,
  isSuccess: Schema.NullOr(Schema.Boolean),
  /** What a judge, a second look at the outcome, found. */
  judgement: Schema.NullOr(
    Schema.Struct({ verdict: Schema.Boolean, reasoning: Schema.String, failureReason: OptionalText })
  ),
  suggestions: Schema.NullOr(Schema.Array(Schema.JsonObject)),
  cost: OptionalText,
  error: OptionalText,
  createdAt_ms: Moment,
  /** When an agent was given it. */
  dispatchedAt_ms: OptionalMoment,
  startedAt_ms: OptionalMoment,
  finishedAt_ms: OptionalMoment
})

export type Turn = typeof Turn.Type

/** What a judge found. */
export type Judgement = NonNullable<Turn["judgement"]>

/** What an agent says about a turn when it ends. */
export type TurnReport = Pick<Turn, "output" | "isSuccess" | "judgement" | "suggestions" | "cost">

/** What happens to a turn. `Dispatched` and a `Cancelled` from outside are the engine's, the others an agent's. */
export type TurnEvent =
  | { readonly _tag: "Dispatched" }
  | { readonly _tag: "Started"; readonly settings?: Partial<SessionSettings>; readonly proxyUsedMb?: Decimal }
  | { readonly _tag: "Completed"; readonly report: Partial<TurnReport> }
  | { readonly _tag: "Failed"; readonly error: string; readonly report?: Partial<TurnReport> }
  | { readonly _tag: "Cancelled"; readonly report?: Partial<TurnReport> }

const moves: Readonly<
  Record<TurnEvent["_tag"], { readonly from: ReadonlyArray<TurnStatus>; readonly to: TurnStatus }>
> = {
  Dispatched: { from: ["queued"], to: "dispatching" },
  Started: { from: ["dispatching"], to: "running" },
  Completed: { from: ["running"], to: "completed" },
  Failed: { from: ["queued", "dispatching", "running"], to: "failed" },
  Cancelled: { from: ["queued", "dispatching", "running"], to: "cancelled" }
}

/** Whether nothing more happens to a turn of this status. */
export const isTerminal = (status: string): boolean =>
  status === "completed" || status === "failed" || status === "cancelled"

/** A new turn, queued. */
export const make = (
  fields: Pick<Turn, "id" | "sessionId" | "task" | "model" | "agentVersion" | "modelParams" | "createdAt_ms">
): Turn => ({
  ...fields,
  status: "queued",
  output: null,
  isSuccess: null,
  judgement: null,
  suggestions: null,
  cost: null,
  error: null,
  dispatchedAt_ms: null,
  startedAt_ms: null,
  finishedAt_ms: null
})

/** The turn after the event, or why the event cannot happen to it. */
export const move = (turn: Turn, event: TurnEvent, at_ms: number): Result.Result<Turn, InvalidTransition> => {
  const { from, to } = moves[event._tag]
  if (!from.includes(turn.status)) {
    return Result.fail(invalidTransition(turn.status, event._tag))
  }
  return Result.succeed({
    ...turn,
    ...("report" in event ? event.report : {}),
    error: event._tag === "Failed" ? event.error : null,
    status: to,
    dispatchedAt_ms: event._tag === "Dispatched" ? at_ms : turn.dispatchedAt_ms,
    startedAt_ms: event._tag === "Started" ? at_ms : turn.startedAt_ms,
    finishedAt_ms: isTerminal(to) ? at_ms : null
  })
}
