import * as Schema from "effect/Schema"
import { ConflictError, RunNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import type { Operation } from "../Operation.ts"
import { handOffOperations } from "../Wire.ts"
import { Run } from "./Run.ts"

/** Effects of a question that no person answers in time: the run fails, leaves the matter out, or decides by itself. */
export const unansweredPolicies = ["fail", "skip", "continue"] as const

/** Reasons for which a run asks a person. */
export const questionReasons = ["question", "approval", "sign_in", "captcha", "payment"] as const

const seconds = Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 86_400 }))

/** The hand-off of a run, its field `handOff` of `POST /runs`. Its agent may ask people only if it's there. */
export const HandOff = Schema.Struct({
  /** Time that a person has for an answer, in seconds: 1 to 86,400, by default 600. */
  timeout: Schema.optionalKey(seconds),
  /** `fail` by default. */
  whenUnanswered: Schema.optionalKey(Schema.Literals(unansweredPolicies)),
  /** True to have the run's time limit stand still while it waits; false by default. */
  pausesTimeLimit: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "HandOff" })
export type HandOff = typeof HandOff.Type

/** A question for a person. */
export const AskPerson = Schema.Struct({
  question: Schema.NonEmptyString.check(Schema.isMaxLength(2000)),
  /** `question` by default. */
  reason: Schema.optionalKey(Schema.Literals(questionReasons)),
  /** The answers to choose from, 2 to 20; any text by default. */
  choices: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Schema.NonEmptyString.check(Schema.isMaxLength(200))).check(
        Schema.isMinLength(2),
        Schema.isMaxLength(20)
      )
    )
  ),
  ...HandOff.fields
}).annotate({ identifier: "AskPerson" })
export type AskPerson = typeof AskPerson.Type

/** The answer to the question that a run waits for. */
export const AnswerRun = Schema.Struct({
  /** The `id` of the run's `waitingFor`, so that an answer never reaches another question. */
  questionId: Schema.NonEmptyString,
  /** One of the choices if there are any. */
  answer: Schema.String.check(Schema.isMaxLength(10_000))
}).annotate({ identifier: "AnswerRun" })
export type AnswerRun = typeof AnswerRun.Type

const ofRun = {
  params: Schema.Struct({ run_id: Identifier }),
  success: Run,
  errors: [RunNotFoundError, ConflictError],
  status: 200
} as const

/** The operations of our server on runs that wait for people. */
export const HandOffExtensions = {
  ask: { ...handOffOperations.askPerson, ...ofRun, payload: AskPerson },
  answer: { ...handOffOperations.answerRun, ...ofRun, payload: AnswerRun }
} as const satisfies Readonly<Record<string, Operation>>
