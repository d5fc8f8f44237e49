import { fromMillis } from "@webagent/contract"
import type { AnswerRun, AskPerson, HandOff } from "@webagent/contract/v4"
import { type PersonsAnswer, Question, type QuestionToAsk, Turn } from "@webagent/engine"
import * as Predicate from "effect/Predicate"
import * as Struct from "effect/Struct"
import { invalid } from "./Invalid.ts"

const momentOf = (at_ms: number | null) => (at_ms === null ? null : fromMillis(at_ms))

/** The wait of a run for a free browser, as the APIs show it; null unless it waits. */
export const browserQueueOf = ({ browserQueue, status }: Turn.Turn) =>
  Predicate.isNullish(browserQueue) || Turn.isTerminal(status)
    ? null
    : {
        position: browserQueue.position,
        reason: browserQueue.reason,
        since: fromMillis(browserQueue.since_ms),
        until: momentOf(browserQueue.until_ms)
      }

/** A question of a run as the APIs show it. */
export const questionOf = (question: Question.Question) => ({
  ...Struct.pick(question, ["id", "reason", "askedBy", "question", "choices"]),
  askedAt: fromMillis(question.askedAt_ms),
  deadline: fromMillis(question.until_ms),
  whenUnanswered: question.whenUnanswered,
  pausesTimeLimit: question.pausesLimits
})

/** The question that a run waits for, as the APIs show it; null unless it waits. */
export const waitingForOf = (turn: Turn.Turn) => {
  const question = Turn.waitingFor(turn)
  return question === null ? null : questionOf(question)
}

/** The parts of a hand-off that a request names. */
export const handOffOf = ({ pausesTimeLimit, timeout, whenUnanswered }: HandOff): Partial<Question.HandOff> => ({
  ...(timeout === undefined ? {} : { timeout_ms: Math.round(timeout * 1000) }),
  ...(whenUnanswered === undefined ? {} : { whenUnanswered }),
  ...(pausesTimeLimit === undefined ? {} : { pausesLimits: pausesTimeLimit })
})

/** The question that a request has a run ask. */
export const askedOf = ({ choices = null, question, reason = "question", ...handOff }: AskPerson): QuestionToAsk => ({
  question: question.toWellFormed(),
  reason,
  choices,
  ...handOffOf(handOff)
})

/** The answer of the person with this key. */
export const answerOf = ({ answer, questionId }: AnswerRun, by: string): PersonsAnswer => ({
  questionId,
  answer: answer.toWellFormed(),
  by
})

/** The error for an answer that isn't one of the choices. */
export const notAChoice = (choices: ReadonlyArray<string>) =>
  invalid(
    ["body", "answer"],
    `Expected one of the choices: ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`
  )

/** The error of an answer to a question about a cost limit that is no amount above the limit. */
export const notRaised = (limit: string | null) =>
  invalid(
    ["body", "answer"],
    `Expected an amount in USD above ${limit ?? "0"}, such as 1.50, or "${Question.endAnswer}" to end the run`
  )

/** The detail of a response to an answer that came too late. */
export const notWaiting = "The run doesn't wait for this answer: it was given, or its time is over"
