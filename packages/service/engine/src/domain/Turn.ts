import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { BoundSecret, withoutValues } from "./BoundSecret.ts"
import { BrowserQueue } from "./BrowserQueue.ts"
import { type Decimal, isMore } from "./Decimal.ts"
import { Moment, OptionalMoment, OptionalText } from "./Fields.ts"
import { invalidTransition, type InvalidTransition } from "./InvalidTransition.ts"
import { Tokens } from "./ModelCall.ts"
import { HandOff, isReached, Question } from "./Question.ts"
import type { SessionSettings } from "./Session.ts"
import { Replay, repetitions, StepCall } from "./StepCall.ts"

/** Statuses of a turn. The last three are terminal. */
export const turnStatuses = ["queued", "dispatching", "running", "completed", "failed", "cancelled"] as const

/** Status of a turn. */
export type TurnStatus = (typeof turnStatuses)[number]

/**
 * The tags for the reason of a failure. Logs and metrics use them because an error message can contain anything. `agent`
 * is a failure for which the agent gave no tag.
 */
export const failures = [
  "agent",
  "agent_crashed",
  "step_limit",
  "time_limit",
  "cost_limit",
  "token_limit",
  "failed_steps",
  "repeated_steps",
  "not_replayable",
  "invalid_output",
  "invalid_task",
  "unanswered",
  "model_error",
  "no_model",
  "no_browser",
  "browser_failed",
  "browser_lost",
  "node_lost",
  "node_closed"
] as const

/** The reason why a turn failed. */
export type Failure = (typeof failures)[number]

/** Reasons for cancelling a turn. */
const cancelReasons = ["asked", "interrupt", "session_stopped"] as const

/** The reason for cancelling a turn. */
export type CancelReason = (typeof cancelReasons)[number]

/** Limits of a turn; null is unlimited. */
export const Budget = Schema.Struct({
  cost: OptionalText,
  tokens: Schema.NullOr(Schema.Int),
  duration_ms: Schema.NullOr(Schema.Int)
})

export type Budget = typeof Budget.Type

/** A detail of a step: null or absent if the agent doesn't report it, and absent in steps of earlier versions. */
const detail = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Fields of an agent's next step. */
const stepFields = {
  summary: Schema.String,
  address: OptionalText,
  picture: OptionalText,
  /** A line that names the step without the text that it enters, such as `click button "Save"`. */
  title: detail(Schema.String),
  /** The agent's tool, such as `click`; of several calls in one step, the first. */
  tool: detail(Schema.String),
  /** Role of the element that the tool is used on, such as `button`. */
  role: detail(Schema.String),
  /** Name of that element, as the page shows it. */
  name: detail(Schema.String),
  /** Text that the tool enters or opens. Agents put a placeholder in place of a secret. */
  value: detail(Schema.String),
  /** Tokens and cost, in USD, of the step's model calls so far. */
  tokens: detail(Tokens),
  cost: detail(Schema.String)
}

/** An agent's next step: a sentence, an address and a picture (a reference, not its bytes), with its details. */
export const Step = Schema.Struct(stepFields)

export type Step = typeof Step.Type

/** A step that an agent began: stored before it does, and again when it is over. */
export const TurnStep = Schema.Struct({
  turnId: Schema.String,
  /** 1 is the turn's first. */
  ordinal: Schema.Int,
  ...stepFields,
  /** True if the agent checked that the step had its effect, false if it hadn't; null or absent if it didn't check. */
  verified: detail(Schema.Boolean),
  /** Its calls, as a replay makes them again; absent until they were made. */
  calls: detail(Schema.Array(StepCall)),
  /** The way in which a replay repeated it; absent in other turns. */
  repetition: detail(Schema.Literals(repetitions)),
  beganAt_ms: Moment,
  /**
   * Outcome of the step: the reason why it failed, or null. Missing while it is carried out, and if no agent reported
   * it.
   */
  ended: Schema.optionalKey(Schema.Struct({ at_ms: Moment, failure: OptionalText }))
})

export type TurnStep = typeof TurnStep.Type

/** The details of a step that are known when it's over. */
export type StepDetails = Pick<TurnStep, "verified" | "tokens" | "cost" | "calls" | "repetition">

/** Failure of a step that was still running when its turn finished. */
export const cutShort = "The run ended before this step did."

/** The step after it is over; it does not end before it began, whatever the clock says. */
export const stepEnded = (
  step: TurnStep,
  now_ms: number,
  failure: string | null,
  details: StepDetails = {}
): TurnStep => ({ ...step, ...details, ended: { at_ms: Math.max(now_ms, step.beganAt_ms), failure } })

/** One instruction of a session: a task in v2's words, a run in v4's. */
export const Turn = Schema.Struct({
  id: Schema.String,
  sessionId: Schema.String,
  owner: OptionalText,
  /** Its place among the turns of its session in the order in which they were created: 1 is the first. */
  seq: Schema.Int,
  /** True if it runs before all waiting turns, because it is an interrupt. Of several, the newest runs first. */
  ahead: Schema.Boolean,
  /** True if a message queued it; missing in turns from older versions. */
  fromMessage: Schema.optionalKey(Schema.Boolean),
  /** Number of times that an agent received it. */
  attempt: Schema.Int,
  status: Schema.Literals(turnStatuses),
  /** The node that worked on it last; null before the first one, and in turns from older versions. */
  node: OptionalText.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  task: Schema.String,
  /** Its name in lists; null for the first line of the task. */
  title: OptionalText.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** Tags from the caller, for filters. */
  tags: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Maximum time that it waits for a free browser; missing where the server's limit holds. */
  queueTimeout_ms: Schema.optionalKey(Schema.Int),
  /** Its wait for a free browser: missing if there was one at once, and null once it has one. */
  browserQueue: Schema.optionalKey(Schema.NullOr(BrowserQueue)),
  /** Its hand-off to people; missing where its agent asks no person. */
  handOff: Schema.optionalKey(HandOff),
  /** True if it waits for a person at its cost limit; missing if it fails there. */
  pausesAtCost: Schema.optionalKey(Schema.Boolean),
  /** The judge of its result; missing where the server decides. */
  judge: Schema.optionalKey(
    Schema.Struct({
      isOn: Schema.Boolean,
      /** Facts from the caller about the right result. */
      context: OptionalText,
      /** The model that judges; null for the model of the turn. */
      model: OptionalText
    })
  ),
  /** The turn that it repeats, and the number of steps that were repeated; missing if it's no replay. */
  replay: Schema.optionalKey(Replay),
  /** Texts that its creator attached; missing if there are none. */
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** Its questions to people, oldest first; missing before the first one. */
  questions: Schema.optionalKey(Schema.Array(Question)),
  /** The secrets that its agent may type; missing where the caller bound none. */
  secrets: Schema.optionalKey(Schema.Array(BoundSecret)),
  /** The files that its agent may upload, and the workspace that the caller named; missing where it named none. */
  files: Schema.optionalKey(Schema.Struct({ workspaceId: OptionalText, ids: Schema.Array(Schema.String) })),
  model: Schema.String,
  agentVersion: Schema.String,
  modelParams: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
  /** The JSON Schema that its output has to fit; null where any output does. Turns of before do not say. */
  outputSchema: Schema.NullOr(Schema.JsonObject).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  output: Schema.Json,
  isSuccess: Schema.NullOr(Schema.Boolean),
  /** Judgment of a judge, which checks the outcome a second time. */
  judgement: Schema.NullOr(
    Schema.Struct({
      verdict: Schema.Boolean,
      reasoning: Schema.String,
      failureReason: OptionalText,
      /** True if no agent could carry out the task; a judge may omit it. */
      impossibleTask: Schema.optionalKey(Schema.Boolean),
      /** True if a captcha blocked the agent; a judge may omit it. */
      reachedCaptcha: Schema.optionalKey(Schema.Boolean)
    })
  ),
  suggestions: Schema.NullOr(Schema.Array(Schema.JsonObject)),
  /** Cost so far, in USD; it only grows, even after the turn was cancelled. */
  cost: OptionalText,
  tokens: Schema.NullOr(Tokens),
  budget: Schema.NullOr(Budget),
  /** State that its agent needs after a restart, or in later turns. */
  checkpoint: Schema.Json,
  /** Number of steps that the agent started. */
  steps: Schema.Int,
  /** Number of calls of a language model; absent before the first one. */
  modelCalls: Schema.optionalKey(Schema.Int),
  error: OptionalText,
  /** The reason why it failed. */
  failure: Schema.NullOr(Schema.Literals(failures)),
  /** That it was asked to end. */
  cancel: Schema.NullOr(Schema.Struct({ reason: Schema.Literals(cancelReasons), at_ms: Moment })),
  createdAt_ms: Moment,
  /** The `traceparent` of the request that created it; missing if the server exported no traces then. */
  traceparent: Schema.optionalKey(Schema.String),
  /** When an agent was given it. */
  dispatchedAt_ms: OptionalMoment,
  startedAt_ms: OptionalMoment,
  finishedAt_ms: OptionalMoment
})

export type Turn = typeof Turn.Type

/** Returns the last answer of a person to a turn, other than one about its cost; of a replay, otherwise the recorded one. */
export const answerOf = ({ questions = [], replay }: Turn): string | undefined => {
  const answered = questions.findLast(({ outcome, reason }) => outcome?.kind === "answered" && reason !== "max_cost")
  return answered?.outcome?.answer ?? replay?.answer
}

/** Judgment of a judge. */
export type Judgement = NonNullable<Turn["judgement"]>

/** Usage of a turn so far. */
export type Usage = Partial<Pick<Turn, "cost" | "tokens">>

/** Final report of an agent on its turn. */
export type TurnReport = Pick<Turn, "output" | "isSuccess" | "judgement" | "suggestions" | "cost"> &
  Partial<Pick<Turn, "checkpoint">>

/** Event of a turn. `Dispatched` and an external `Cancelled` come from the engine, the others from an agent. */
export type TurnEvent =
  | { readonly _tag: "Dispatched" }
  | { readonly _tag: "Started"; readonly settings?: Partial<SessionSettings>; readonly proxyUsedMb?: Decimal }
  | { readonly _tag: "Completed"; readonly report: Partial<TurnReport> }
  | {
      readonly _tag: "Failed"
      readonly error: string
      readonly failure?: Failure
      readonly report?: Partial<TurnReport>
    }
  | { readonly _tag: "Cancelled"; readonly cancel?: CancelReason; readonly report?: Partial<TurnReport> }

const moves: Readonly<
  Record<TurnEvent["_tag"], { readonly from: ReadonlyArray<TurnStatus>; readonly to: TurnStatus }>
> = {
  Dispatched: { from: ["queued"], to: "dispatching" },
  Started: { from: ["dispatching"], to: "running" },
  Completed: { from: ["running"], to: "completed" },
  Failed: { from: ["queued", "dispatching", "running"], to: "failed" },
  Cancelled: { from: ["queued", "dispatching", "running"], to: "cancelled" }
}

/** True if a turn with this status never changes again. */
export const isTerminal = (status: string): boolean =>
  status === "completed" || status === "failed" || status === "cancelled"

/** The tag for the reason why a terminal turn finished. An operator finds it in logs, metrics and the list of runs. */
export const reasonOf = ({ cancel, failure, isSuccess, status }: Turn): string => {
  if (status === "failed") return failure ?? "agent"
  if (status === "cancelled") return cancel?.reason ?? "agent"
  return isSuccess === false ? "reported_failure" : "done"
}

/** The question that a turn waits for; null if it doesn't wait. */
export const waitingFor = ({ questions, status }: Pick<Turn, "questions" | "status">): Question | null => {
  const last = questions?.at(-1)
  return status === "running" && last !== undefined && last.outcome === undefined ? last : null
}

/** True if a running turn waits for a person, or its agent has not received the outcome yet. */
export const isHandedOver = ({ questions, status }: Pick<Turn, "questions" | "status">): boolean =>
  status === "running" && questions?.at(-1)?.continued === false

/** True if the agent of such a turn has no action in progress, so that the turn can go on at another node. */
export const isPaused = (turn: Pick<Turn, "questions" | "status">): boolean => {
  const last = turn.questions?.at(-1)
  return last !== undefined && isHandedOver(turn) && isReached(last)
}

/** True if a message queued the turn: in turns from older versions, each but the first of its session. */
export const isMessage = ({ fromMessage, seq }: Turn): boolean => fromMessage ?? seq > 1

/** Maximum length of a title that comes from a task. */
const longestTitle = 80

/** The turn without the values of its secrets, which its agent no longer needs once it is over. */
export const withoutSecrets = <A extends Pick<Turn, "secrets">>(turn: A): A =>
  turn.secrets === undefined ? turn : { ...turn, secrets: withoutValues(turn.secrets) }

/** The title of a turn: by default, the beginning of the first line of its task; null for a task without text. */
export const titleOf = ({ task, title }: Pick<Turn, "task" | "title">): string | null => {
  if (title !== null) return title
  const [line = ""] = task.trimStart().split(/[\r\n]/u, 1)
  const text = line.trimEnd()
  if (text === "") return null
  if (text.length <= longestTitle) return text
  // a surrogate pair is one character
  const characters = Array.from(text.slice(0, 2 * longestTitle + 1))
  return characters.length <= longestTitle ? text : `${characters.slice(0, longestTitle - 1).join("")}…`
}

/** An empty list, which all turns without tags share. */
export const noTags: Turn["tags"] = []

/** A new turn, queued. All fields are written out, because an object that gets its fields one by one takes more memory. */
export const make = (
  fields: Pick<Turn, "id" | "sessionId" | "task" | "model" | "agentVersion" | "modelParams" | "createdAt_ms"> &
    Partial<Turn>
): Turn => ({
  id: "",
  sessionId: "",
  owner: null,
  seq: 1,
  ahead: false,
  attempt: 0,
  status: "queued",
  node: null,
  task: "",
  title: null,
  tags: noTags,
  model: "",
  agentVersion: "",
  modelParams: null,
  outputSchema: null,
  output: null,
  isSuccess: null,
  judgement: null,
  suggestions: null,
  cost: null,
  tokens: null,
  budget: null,
  checkpoint: null,
  steps: 0,
  error: null,
  failure: null,
  cancel: null,
  createdAt_ms: 0,
  dispatchedAt_ms: null,
  startedAt_ms: null,
  finishedAt_ms: null,
  ...(fields as Partial<Turn>)
})

const highest = (current: Decimal | null, reported: Decimal | null): Decimal | null =>
  current === null || (reported !== null && isMore(reported, current)) ? reported : current

/** The turn after it has used this much: what it used before is part of it, and never gets less. */
export const use = (turn: Turn, { cost = null, tokens = null }: Usage): Turn => {
  const more = {
    cost: highest(turn.cost, cost),
    tokens:
      tokens === null
        ? turn.tokens
        : {
            input: Math.max(tokens.input, turn.tokens?.input ?? 0),
            output: Math.max(tokens.output, turn.tokens?.output ?? 0)
          }
  }
  const same =
    more.cost === turn.cost && more.tokens?.input === turn.tokens?.input && more.tokens?.output === turn.tokens?.output
  return same ? turn : { ...turn, ...more }
}

/**
 * The turn after the event, or why the event cannot happen to it. Its times are those of several nodes, whose clocks may
 * differ: none is before the one before it.
 */
export const move = (turn: Turn, event: TurnEvent, now_ms: number): Result.Result<Turn, InvalidTransition> => {
  const { from, to } = moves[event._tag]
  if (!from.includes(turn.status)) {
    return Result.fail(invalidTransition(turn.status, event._tag))
  }
  const at_ms = Math.max(now_ms, turn.startedAt_ms ?? turn.dispatchedAt_ms ?? turn.createdAt_ms)
  const { cost: told = turn.cost, ...report } = ("report" in event ? event.report : undefined) ?? {}
  return Result.succeed({
    ...(isTerminal(to) ? withoutSecrets(turn) : turn),
    ...report,
    ...(event._tag === "Started" && turn.browserQueue !== undefined ? { browserQueue: null } : {}),
    cost: highest(turn.cost, told),
    error: event._tag === "Failed" ? event.error : null,
    failure: event._tag === "Failed" ? (event.failure ?? "agent") : null,
    cancel: event._tag === "Cancelled" && event.cancel !== undefined ? { reason: event.cancel, at_ms } : null,
    status: to,
    dispatchedAt_ms: event._tag === "Dispatched" ? at_ms : turn.dispatchedAt_ms,
    startedAt_ms: event._tag === "Started" ? at_ms : turn.startedAt_ms,
    finishedAt_ms: isTerminal(to) ? at_ms : null
  })
}
