import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Commits } from "./Commits.ts"
import { NotAChoice, NotAsked, NotRaised, NotWaiting, type TurnNotFound } from "./domain/Errors.ts"
import * as Question from "./domain/Question.ts"
import type { Turn } from "./domain/Turn.ts"
import type { Store, StoreUnavailable } from "./ports/Store.ts"

/** A question that a request makes a turn ask. Missing fields have the values of the turn's own hand-off. */
export interface QuestionToAsk extends Partial<Question.HandOff> {
  readonly reason: Question.QuestionReason
  readonly question: string
  /** The answers to choose from; null for any text. */
  readonly choices: ReadonlyArray<string> | null
}

/** The answer of a person to a question of a turn. */
export interface PersonsAnswer {
  readonly questionId: string
  readonly answer: string
  /** Name of the person's key. */
  readonly by: string | null
}

interface QuestionsOptions extends Pick<Commits, "change"> {
  readonly store: Store["Service"]
  /** Finds a turn that the caller may see. */
  readonly turn: (id: string) => Effect.Effect<Turn, TurnNotFound | StoreUnavailable>
}

/** Makes the operations with which clients ask and answer questions of turns. */
export const make = ({ change, store, turn }: QuestionsOptions) => {
  /** True if a person has control of a session's browser, at any node. */
  const isDriven = Effect.fnUntraced(function* (sessionId: string) {
    const { browserId = null } = Option.getOrUndefined(yield* store.session(sessionId)) ?? {}
    const browser = browserId === null ? Option.none() : yield* store.browser(browserId)
    const { driver } = Option.getOrUndefined(browser) ?? {}
    return driver != null && driver.until_ms > (yield* Clock.currentTimeMillis)
  })

  const ask = Effect.fnUntraced(function* (id: string, question: QuestionToAsk) {
    const existing = yield* turn(id)
    const { handOff = Question.defaultHandOff, sessionId } = existing
    const request: Question.QuestionRequest = { ...handOff, ...question, askedBy: "api" }
    const decided = yield* Effect.result(change(sessionId, { _tag: "Ask", turnId: id, request }))
    if (Result.isSuccess(decided)) return decided.success.turn ?? existing
    const { failure } = decided
    if (failure._tag === "StoreUnavailable") return yield* Effect.fail(failure)
    return yield* new NotAsked({
      message:
        failure._tag === "Waiting"
          ? `The run waits for a person already, or has asked ${Question.mostQuestions} times, as often as it may`
          : "Only a running run can ask a person"
    })
  })

  const answer = Effect.fnUntraced(function* (id: string, { answer: text, by, questionId }: PersonsAnswer) {
    const existing = yield* turn(id)
    const choices = existing.questions?.find((question) => question.id === questionId)?.choices ?? null
    if (choices !== null && !choices.includes(text)) return yield* new NotAChoice({ choices })
    const { sessionId } = existing
    const given = { answer: text, by, isDriven: yield* isDriven(sessionId) }
    const decided = yield* Effect.result(change(sessionId, { _tag: "Answer", turnId: id, questionId, ...given }))
    if (Result.isSuccess(decided)) return decided.success.turn ?? existing
    const { failure } = decided
    if (failure._tag === "NotRaised") return yield* new NotRaised({ limit: existing.budget?.cost ?? null })
    return yield* failure._tag === "StoreUnavailable" ? Effect.fail(failure) : new NotWaiting({ id })
  })

  return {
    ask: (id: string, question: QuestionToAsk) => Effect.uninterruptible(ask(id, question)),
    answer: (id: string, text: PersonsAnswer) => Effect.uninterruptible(answer(id, text))
  }
}
