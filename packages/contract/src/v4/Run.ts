import * as Schema from "effect/Schema"
import { DecimalString } from "../DecimalString.ts"
import { Identifier } from "../Identifier.ts"
import { answer, JsonObject, openRecord, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { Timestamp } from "../Timestamp.ts"
import { runStatuses, terminalRunStatuses } from "../Wire.ts"

/** The body of `POST /runs`: the instruction, provider-native reasoning values, and any field that isn't described. */
export const RunCreate = openRecord({
  task: Schema.String,
  modelParams: Schema.optionalKey(JsonObject)
}).annotate({ identifier: "RunCreate" })

/** A secret that the agent of one run may type. No response has its value. */
export interface SecretBinding {
  /** The name that the task and the agent use, as in `<secret:alias>`: letters, digits, dots, dashes and underscores. */
  readonly alias: string
  /** The value, or the name of a secret that the operator of the server has configured. */
  readonly source:
    | { readonly type: "inline"; readonly value: string }
    | { readonly type: "server"; readonly name: string }
  /** The sites on which it may be typed, such as `shop.example` or `*.shop.example`. */
  readonly allowedDomains: ReadonlyArray<string>
}

/**
 * Fields of `POST /runs` that published clients send, and the description doesn't show. They are types alone: the service
 * checks their values.
 */
export interface RunOptions {
  /** Makes the run the next one of this session. */
  readonly sessionId?: string
  /** The name of the model, as the service knows it. */
  readonly model?: string
  /** The most that the run may cost, in USD. */
  readonly maxCostUsd?: number | string
  /**
   * Effect of reaching `maxCostUsd`: the run fails, or waits until a person answers with a higher limit in USD or with
   * `end`. `fail` by default.
   */
  readonly onMaxCost?: "fail" | "pause"
  /** Secrets that the agent may type without seeing them. */
  readonly secretBindings?: ReadonlyArray<SecretBinding> | null
  /** True, or an object, to have a second model call judge the result, with a `model` and a `context` of its own. */
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
    readonly customProxy?: JsonObject | null
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

/** The body of `POST /runs`. */
export type RunCreate = typeof RunCreate.Type & RunOptions

/** Status of a run. Described are the terminal ones: `completed`, `failed`, `cancelled`. */
export const RunStatus = openStatus(runStatuses)
export type RunStatus = typeof RunStatus.Type

/** Returns whether a run's status is final: `completed`, `failed` or `cancelled`. An unknown status isn't. */
export const isTerminalRunStatus = (status: string): boolean =>
  (terminalRunStatuses as ReadonlyArray<string>).includes(status)

/** The question that a run waits for. It's a type alone: a client keeps what the service sends. */
export interface WaitingFor {
  readonly id: string
  /** `question`, `approval`, `sign_in`, `captcha`, `payment` or `max_cost`. */
  readonly reason: string
  /** `agent`, `rule` or `api`. */
  readonly askedBy: string
  readonly question: string
  /** The answers to choose from; null for any text. */
  readonly choices: ReadonlyArray<string> | null
  readonly askedAt: string
  readonly deadline: string
  /** `fail`, `skip` or `continue`. */
  readonly whenUnanswered: string
  readonly pausesTimeLimit: boolean
}

/** An object whose fields have types and aren't checked. */
type Unchecked<A> = ReturnType<typeof undescribed<Schema.NullOr<Schema.Codec<A, JsonObject>>>>

// fields of our server, and those that published clients read
const undescribedFields = {
  sessionId: undescribed(Schema.NullOr(Identifier)),
  workspaceId: undescribed(Schema.NullOr(Identifier)),
  task: undescribed(Schema.String),
  modelParams: undescribed(Schema.NullOr(JsonObject)),
  judgement: undescribed(Schema.NullOr(JsonObject)),
  waitingFor: undescribed(Schema.NullOr(JsonObject)) as object as Unchecked<WaitingFor>,
  result: undescribed(Schema.Unknown),
  error: undescribed(Schema.NullOr(Schema.String)),
  title: undescribed(Schema.NullOr(Schema.String)),
  model: undescribed(Schema.NullOr(Schema.String)),
  createdAt: undescribed(Timestamp),
  updatedAt: undescribed(Timestamp),
  startedAt: undescribed(Schema.NullOr(Timestamp)),
  finishedAt: undescribed(Schema.NullOr(Timestamp)),
  cost: undescribed(Schema.NullOr(DecimalString)),
  totalCostUsd: undescribed(Schema.NullOr(DecimalString)),
  contextLimit: undescribed(Schema.NullOr(Schema.Int)),
  totalInputTokens: undescribed(Schema.NullOr(Schema.Int)),
  totalOutputTokens: undescribed(Schema.NullOr(Schema.Int)),
  attachedFileIds: undescribed(Schema.NullOr(Schema.Array(Identifier)))
}

/** The response to `POST /runs`: "the run, which includes id". Only the id is certain. */
export const CreatedRun = answer({
  id: Identifier,
  status: undescribed(RunStatus),
  ...undescribedFields,
  eventsUrl: undescribed(Schema.String),
  missingFileIds: undescribed(Schema.Array(Identifier))
}).annotate({ identifier: "CreatedRun" })
export type CreatedRun = typeof CreatedRun.Type

/**
 * The full run: an id, a status and, once terminal, a result. `cost` is a decimal string in USD, and `totalCostUsd` is
 * another name of it.
 */
export const Run = answer({
  id: Identifier,
  status: RunStatus,
  ...undescribedFields
}).annotate({ identifier: "Run" })
export type Run = typeof Run.Type

/** The response of the cheap status endpoint. */
export const RunStatusView = answer({ status: RunStatus }).annotate({ identifier: "RunStatusView" })
export type RunStatusView = typeof RunStatusView.Type
