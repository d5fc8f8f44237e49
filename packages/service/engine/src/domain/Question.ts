import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"
import { Moment, OptionalText } from "./Fields.ts"

/** Effects of a question that no person answers in time: the run fails, leaves the matter out, or decides by itself. */
export const unansweredPolicies = ["fail", "skip", "continue"] as const

/** Reasons for which a run asks a person. */
export const questionReasons = ["question", "approval", "sign_in", "captcha", "payment", "max_cost"] as const

export type QuestionReason = (typeof questionReasons)[number]

/** Settings of a run's hand-off to people. Only a run that has it may ask one by itself. */
export const HandOff = Schema.Struct({
  /** Time that a person has for an answer. */
  timeout_ms: Schema.Int,
  whenUnanswered: Schema.Literals(unansweredPolicies),
  /** True if the run's time limit stands still while it waits. */
  pausesLimits: Schema.Boolean
})

export type HandOff = typeof HandOff.Type

/** The default hand-off of a run. */
export const defaultHandOff: HandOff = { timeout_ms: 600_000, whenUnanswered: "fail", pausesLimits: false }

/**
 * The hand-off of a run that has reached its cost limit. Without an answer it fails, because no person agreed to a higher
 * cost, and its time limit stands still, because it can't work meanwhile.
 */
export const costHandOff = ({ timeout_ms }: HandOff): HandOff => ({
  timeout_ms,
  whenUnanswered: "fail",
  pausesLimits: true
})

/** The question about a cost limit that a run has reached, with the cost so far if it's known. */
export const aboutCost = (cost: Decimal.Decimal | null, limit: Decimal.Decimal): string =>
  `The run ${cost === null ? "" : `has cost ${cost} USD and `}reached its cost limit of ${limit} USD. Answer with a higher limit in USD, or with "${endAnswer}" to end the run.`

/** The answer that lets a run end at its cost limit. Any other answer is the new limit in USD. */
export const endAnswer = "end"

/** The new cost limit that an answer sets; null if it isn't an amount above the limit so far. */
export const raisedCost = (answer: string | null, limit: Decimal.Decimal | null): Decimal.Decimal | null => {
  const amount = answer?.trim() ?? ""
  if (!/^\d{1,9}(?:\.\d{1,12})?$/u.test(amount)) return null
  return limit === null || Decimal.isMore(amount, limit) ? amount : null
}

/** Maximum number of questions of a run, so that its record stays small. */
export const mostQuestions = 20

const requestFields = {
  reason: Schema.Literals(questionReasons),
  question: Schema.String,
  /** The answers to choose from; null for any text. */
  choices: Schema.NullOr(Schema.Array(Schema.String)),
  /** Its agent, a rule about actions that need an approval, or a request. */
  askedBy: Schema.Literals(["agent", "rule", "api"]),
  ...HandOff.fields
}

/** A question to ask a person. */
export const QuestionRequest = Schema.Struct(requestFields)

export type QuestionRequest = typeof QuestionRequest.Type

const { timeout_ms: _, ...storedFields } = requestFields

/** A question of a run to a person, and its outcome. */
export const Question = Schema.Struct({
  /** Counts the run's questions, from 1. */
  id: Schema.String,
  ...storedFields,
  askedAt_ms: Moment,
  until_ms: Moment,
  /** Missing while the run waits. `handed_back`: a person took control of the browser, and gave it back. */
  outcome: Schema.optionalKey(
    Schema.Struct({
      kind: Schema.Literals(["answered", "handed_back", "expired"]),
      answer: OptionalText,
      /** Name of the key of the person; null if no person answered. */
      by: OptionalText,
      at_ms: Moment
    })
  ),
  /** True once the agent has the outcome and goes on. */
  continued: Schema.Boolean,
  /** True once the agent does nothing but wait for the outcome. Missing in questions of older versions. */
  isReached: Schema.optionalKey(Schema.Boolean)
})

export type Question = typeof Question.Type

/** A run's next question. */
export const ask = (
  questions: ReadonlyArray<Question>,
  { timeout_ms, ...request }: QuestionRequest,
  at_ms: number
): Question => ({
  ...request,
  id: String(questions.length + 1),
  askedAt_ms: at_ms,
  until_ms: at_ms + timeout_ms,
  continued: false,
  isReached: request.askedBy !== "api"
})

/** True if a person can use the browser instead of answering: looking at a page neither approves anything nor raises a limit. */
export const isHandedBack = ({ reason }: Question): boolean => reason !== "approval" && reason !== "max_cost"

/** True if the agent does nothing but wait for the outcome. A request can ask in the middle of an action. */
export const isReached = ({ askedBy, isReached = askedBy !== "api" }: Question): boolean => isReached

/** The sentence for a run that fails because no person answered. */
export const unanswered = ({ askedAt_ms, question, until_ms }: Question): string => {
  const time_s = Math.round((until_ms - askedAt_ms) / 1000)
  const [time, unit] = time_s < 60 ? [time_s, "second"] : [Math.round(time_s / 6) / 10, "minute"]
  return `No person answered within ${time} ${unit}${time === 1 ? "" : "s"}: ${question.slice(0, 200)}`
}

/** The time that questions had a run wait up to a moment, in milliseconds. */
export const waited_ms = (questions: ReadonlyArray<Question>, now_ms: number): number =>
  questions.reduce(
    (sum, { askedAt_ms, outcome }) => sum + Math.max(0, Math.min(now_ms, outcome?.at_ms ?? now_ms) - askedAt_ms),
    0
  )
