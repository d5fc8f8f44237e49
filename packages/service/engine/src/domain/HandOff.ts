import * as Result from "effect/Result"
import type { Progress, Refusal } from "./Command.ts"
import * as Draft from "./Draft.ts"
import type { Event } from "./Event.ts"
import * as Question from "./Question.ts"
import * as Turn from "./Turn.ts"

/** Stores a turn with a changed question. */
const putQuestions = (
  draft: Draft.Draft,
  turn: Turn.Turn,
  questions: ReadonlyArray<Question.Question>,
  question: NonNullable<Event["question"]>
): Turn.Turn => {
  const updated = { ...turn, questions }
  Draft.write(draft, updated, turn)
  draft.events.push({ ...Draft.eventOf(turn, turn.status, draft.at_ms), question })
  return updated
}

/** Asks a person, unless the turn waits already or has asked as often as it may. */
export const ask = (draft: Draft.Draft, turn: Turn.Turn, request: Question.QuestionRequest): Turn.Turn | undefined => {
  const { questions = [] } = turn
  if (Turn.waitingFor(turn) !== null || questions.length >= Question.mostQuestions) return undefined
  const question = Question.ask(questions, request, draft.at_ms)
  return putQuestions(draft, turn, [...questions, question], { id: question.id, change: "waiting" })
}

/** Ends the wait for a question, unless it has ended. */
export const endWait = (
  draft: Draft.Draft,
  turn: Turn.Turn,
  id: string,
  outcome: Omit<NonNullable<Question.Question["outcome"]>, "at_ms">
): Turn.Turn | undefined => {
  const open = Turn.waitingFor(turn)
  if (open === null || open.id !== id) return undefined
  const ended = { ...open, outcome: { ...outcome, at_ms: Math.max(draft.at_ms, open.askedAt_ms) } }
  const change = outcome.kind === "expired" ? "unanswered" : "answered"
  return putQuestions(draft, turn, [...(turn.questions ?? []).slice(0, -1), ended], { id, change })
}

/** Ends the wait for a question with an answer, unless it's late. An answer about the cost limit also sets the new limit. */
export const answer = (
  draft: Draft.Draft,
  turn: Turn.Turn,
  id: string,
  { isDriven = false, ...given }: { readonly answer: string; readonly by: string | null; readonly isDriven?: boolean }
): Result.Result<void, Refusal> => {
  const open = Turn.waitingFor(turn)
  if (open === null || open.id !== id) return Result.fail({ _tag: "NotWaiting" })
  const isLate = draft.at_ms >= open.until_ms && !(isDriven && Question.isHandedBack(open))
  if (isLate) return Result.fail({ _tag: "NotWaiting" })
  const { budget } = turn
  const cost = open.reason === "max_cost" ? Question.raisedCost(given.answer, budget?.cost ?? null) : null
  if (open.reason === "max_cost" && cost === null && given.answer.trim() !== Question.endAnswer) {
    return Result.fail({ _tag: "NotRaised" })
  }
  const answered = endWait(draft, turn, id, { kind: "answered", ...given }) ?? turn
  if (cost !== null) {
    Draft.write(draft, { ...answered, budget: { tokens: null, duration_ms: null, ...budget, cost } }, answered)
  }
  return Result.void
}

/** The question once its agent waits for the outcome, and once it goes on with it. */
const receive = (question: Question.Question, waits: boolean, goesOn: boolean): Question.Question => {
  const reached = waits && !Question.isReached(question) ? { ...question, isReached: true } : question
  return goesOn && !reached.continued && reached.outcome !== undefined ? { ...reached, continued: true } : reached
}

/** Asks the agent's questions, and records that the agent waits for their outcomes and has received them. */
export const handOver = (
  draft: Draft.Draft,
  turn: Turn.Turn,
  { ask: request, goesOn = false, unanswered, waits = false }: Progress
): Turn.Turn => {
  let updated = request === undefined ? turn : (ask(draft, turn, request) ?? turn)
  if (unanswered !== undefined) {
    const { by, id, kind } = unanswered
    updated = endWait(draft, updated, id, { kind, answer: null, by }) ?? updated
  }
  const { questions = [] } = updated
  const moved = { ...updated, questions: questions.map((question) => receive(question, waits, goesOn)) }
  if (moved.questions.every((question, index) => question === questions[index])) return updated
  Draft.write(draft, moved, updated)
  return moved
}
