import * as Result from "effect/Result"
import type { BrowserQueue } from "./BrowserQueue.ts"
import * as Decimal from "./Decimal.ts"
import type { Event } from "./Event.ts"
import type { InvalidTransition } from "./InvalidTransition.ts"
import type { ModelCall, ModelCallReport } from "./ModelCall.ts"
import * as Question from "./Question.ts"
import * as Session from "./Session.ts"
import * as Turn from "./Turn.ts"

/** A session as its changes need to know it. */
export interface SessionState {
  readonly session: Session.Session
  /** The turns that are not terminal, and the one that the lease names, in the order in which they were created. */
  readonly turns: ReadonlyArray<Turn.Turn>
}

/** Progress of a turn that an agent reports in addition to the events that change the turn's status. */
export interface Progress {
  readonly used?: Turn.Usage
  /** A model call that finished. It counts even if the turn has been cancelled in the meantime, because it's paid for. */
  readonly call?: ModelCallReport | undefined
  readonly checkpoint?: Turn.Turn["checkpoint"]
  /** A step that is about to begin. */
  readonly step?: Turn.Step
  /** A step that is over, as it began, and why it failed. */
  readonly ended?: {
    readonly step: Turn.TurnStep
    readonly failure: string | null
    readonly details?: Turn.StepDetails | undefined
  }
  /** A question to a person. Nothing is asked while the turn waits for another one. */
  readonly ask?: Question.QuestionRequest
  /** The wait for a question is over without an answer. A question that was answered meanwhile keeps its answer. */
  readonly unanswered?: { readonly id: string; readonly kind: "expired" | "handed_back"; readonly by: string | null }
  /** The agent has the outcomes of the turn's questions, and goes on. */
  readonly goesOn?: boolean
}

/** Command for a session. */
export type Command =
  /**
   * Adds a turn. An interrupt cancels the turn at work and runs before all that wait. With `deduplicate`, a waiting turn
   * with the same task and mode is the result, and nothing is added.
   */
  | {
      readonly _tag: "Queue"
      readonly turn: Turn.Turn
      readonly interrupt: boolean
      readonly deduplicate?: boolean
    }
  /** With `onlyQueued`, a turn that a node has taken is not cancelled: the refusal is `Over`. */
  | { readonly _tag: "Cancel"; readonly turnId: string; readonly onlyQueued?: boolean }
  /** Has a running turn wait for a person, between two steps of its agent. */
  | { readonly _tag: "Ask"; readonly turnId: string; readonly request: Question.QuestionRequest }
  | {
      readonly _tag: "Answer"
      readonly turnId: string
      readonly questionId: string
      readonly answer: string
      readonly by: string | null
    }
  /** Cancels all open turns, and accepts no more. */
  | { readonly _tag: "Stop" }
  /** Stops the session if it is idle since this time, or longer. */
  | { readonly _tag: "StopIdle"; readonly since_ms: number }
  /** Makes the session readable by its link without an API key, also when it is stopped. */
  | { readonly _tag: "Share" }
  /** Ends that. */
  | { readonly _tag: "Unshare" }
  /** The session's agent has a browser from now on; the one before used this much. */
  | {
      readonly _tag: "UseBrowser"
      readonly token: number
      readonly browserId: string
      readonly usedMb: Decimal.Decimal
    }
  /** A node takes the next turn, if no node has one. `from` is a node that is lost: what it had is taken over. */
  | { readonly _tag: "Take"; readonly node: string; readonly from?: string; readonly resumes?: Resumes | undefined }
  /**
   * Reports an event of the lease's holder. With `leaves`, its agent is gone when the event finishes the turn; a node
   * that `goesOn` takes the next turn in the same step.
   */
  | {
      readonly _tag: "Report"
      readonly token: number
      readonly event: Turn.TurnEvent
      readonly leaves: boolean
      readonly goesOn?: boolean
    }
  | { readonly _tag: "Progress"; readonly token: number; readonly progress: Progress }
  /** The turn, which has not begun, waits for a free browser. */
  | { readonly _tag: "Wait"; readonly token: number; readonly queue: BrowserQueue }
  /** The agent is gone, however that came about: its turn ends with `ending` if it has not ended. */
  | {
      readonly _tag: "LetGo"
      readonly token: number
      readonly ending: Turn.TurnEvent
      readonly goesOn?: boolean
      readonly used?: Turn.Usage | undefined
    }
  /** The node closes: what had not begun is given back, what runs ends with a reason or waits to go on. */
  | {
      readonly _tag: "GiveBack"
      readonly token: number
      readonly resumes?: Resumes | undefined
      readonly used?: Turn.Usage | undefined
    }

/** Predicate for whether a running turn can continue on another node. */
type Resumes = (turn: Turn.Turn) => boolean

/** The reason why a command is refused. */
export type Refusal =
  | InvalidTransition
  | { readonly _tag: "Stopped" }
  /** The session has something to do, or had until a moment ago. */
  | { readonly _tag: "Busy" }
  /** The turn does not go on, or has not begun. */
  | { readonly _tag: "Over" }
  | { readonly _tag: "LeaseLost" }
  /** The turn doesn't wait for this answer: it was given, or its time is over. */
  | { readonly _tag: "NotWaiting" }
  /** The turn waits already, or has asked as often as it may. */
  | { readonly _tag: "Waiting" }

/** Result of a command for a session. */
export interface Decision {
  readonly session: Session.Session
  /** The turn that the command is about, as it is afterwards; null of a command that is about none. */
  readonly turn: Turn.Turn | null
  /** The turns that are written; empty together with `turnSteps`, `events` and an unchanged session when nothing is. */
  readonly turns: ReadonlyArray<Turn.Turn>
  readonly turnSteps: ReadonlyArray<Turn.TurnStep>
  readonly modelCalls: ReadonlyArray<ModelCall>
  readonly events: ReadonlyArray<Event>
  /**
   * The turns that this command finished: they are terminal and no agent has them. A turn that is cancelled while an
   * agent works on it finishes when the agent lets go, because its cost grows until then.
   */
  readonly finished: ReadonlyArray<Turn.Turn>
  /** True if there are changes to write. */
  readonly changed: boolean
}

const nodeLost = "The machine that worked on this run was lost. What it had done is not repeated: create a new run."

const nodeClosed =
  "The server was stopped while it worked on this run. What it had done is not repeated: create a new run."

/** The next turn to run: an interrupt before all others and the newest of those first, else the oldest. */
export const next = (turns: ReadonlyArray<Turn.Turn>): Turn.Turn | undefined => {
  let first: Turn.Turn | undefined
  for (const turn of turns) {
    if (turn.status !== "queued") continue
    if (
      first === undefined ||
      (turn.ahead ? !first.ahead || turn.seq > first.seq : !first.ahead && turn.seq < first.seq)
    ) {
      first = turn
    }
  }
  return first
}

const isAtWork = ({ status }: Turn.Turn) => status === "dispatching" || status === "running"

/** A step that is being decided: what was there, and what is written so far. */
interface Draft {
  readonly before: SessionState
  readonly at_ms: number
  session: Session.Session
  turns: ReadonlyArray<Turn.Turn>
  readonly written: Map<string, Turn.Turn>
  readonly steps: Array<Turn.TurnStep>
  readonly calls: Array<ModelCall>
  readonly events: Array<Event>
}

/** The id of the turn that a command is about, or null; the draft has what the command does. */
type Decided = Result.Result<string | null, Refusal>

const eventOf = (turn: Turn.Turn, from: Turn.TurnStatus | null, at_ms: number): Event => ({
  at_ms,
  of: "turn",
  id: turn.id,
  sessionId: turn.sessionId,
  owner: turn.owner,
  from,
  to: turn.status
})

/** Adds the event of a step that began or finished. */
const stepped = (draft: Draft, { id, owner, sessionId }: Turn.Turn, step: Turn.TurnStep): void => {
  const { ended, ordinal } = step
  const change =
    ended === undefined
      ? { from: null, to: "running" }
      : { from: "running", to: ended.failure === null ? "succeeded" : "failed" }
  draft.steps.push(step)
  draft.events.push({ at_ms: draft.at_ms, of: "step", id, step: ordinal, sessionId, owner, ...change })
}

/** The turn as it is now instead of as it was. */
const write = (draft: Draft, turn: Turn.Turn, before: Turn.Turn | undefined): void => {
  draft.written.set(turn.id, turn)
  draft.turns =
    before === undefined ? [...draft.turns, turn] : draft.turns.map((each) => (each.id === turn.id ? turn : each))
  if (before?.status !== turn.status) draft.events.push(eventOf(turn, before?.status ?? null, draft.at_ms))
}

/** A session that is not to be kept stops when nothing is left to do. */
const stopWhenDone = (draft: Draft): void => {
  if (draft.session.keepAlive || draft.turns.some(({ status }) => !Turn.isTerminal(status))) return
  draft.session = Result.getOrElse(Session.move(draft.session, { _tag: "Stopped" }, draft.at_ms), () => draft.session)
}

/** Moves a turn, and with it its session. */
const move = (draft: Draft, before: Turn.Turn, event: Turn.TurnEvent): Result.Result<Turn.Turn, InvalidTransition> =>
  Result.map(Turn.move(before, event, draft.at_ms), (moved) => {
    if (event._tag === "Started" && (event.settings !== undefined || event.proxyUsedMb !== undefined)) {
      const adjusted = Session.move(draft.session, { ...event, _tag: "Adjusted" }, draft.at_ms)
      draft.session = Result.getOrElse(adjusted, () => draft.session)
    }
    write(draft, moved, before)
    if (Turn.isTerminal(moved.status)) stopWhenDone(draft)
    return moved
  })

const cancel = (draft: Draft, turn: Turn.Turn, reason: Turn.CancelReason) =>
  move(draft, turn, { _tag: "Cancelled", cancel: reason })

/** Adds what a turn has used. */
const use = (draft: Draft, turn: Turn.Turn, usage: Turn.Usage | undefined): Turn.Turn => {
  const more = usage === undefined ? turn : Turn.use(turn, usage)
  if (more !== turn) write(draft, more, turn)
  return more
}

/** Adds a row for a model call. The turn's count makes its ordinal, so that a repeated step replaces its own row. */
const called = (draft: Draft, turn: Turn.Turn, call: ModelCallReport | undefined): Turn.Turn => {
  if (call === undefined) return turn
  const ordinal = (turn.modelCalls ?? 0) + 1
  const updated = { ...turn, modelCalls: ordinal }
  draft.calls.push({ turnId: turn.id, ordinal, ...call })
  write(draft, updated, turn)
  return updated
}

/** Stores a turn with a changed question. */
const putQuestions = (
  draft: Draft,
  turn: Turn.Turn,
  questions: ReadonlyArray<Question.Question>,
  question: NonNullable<Event["question"]>
): Turn.Turn => {
  const updated = { ...turn, questions }
  write(draft, updated, turn)
  draft.events.push({ ...eventOf(turn, turn.status, draft.at_ms), question })
  return updated
}

/** Asks a person, unless the turn waits already or has asked as often as it may. */
const ask = (draft: Draft, turn: Turn.Turn, request: Question.QuestionRequest): Turn.Turn | undefined => {
  const { questions = [] } = turn
  if (Turn.waitingFor(turn) !== null || questions.length >= Question.mostQuestions) return undefined
  const question = Question.ask(questions, request, draft.at_ms)
  return putQuestions(draft, turn, [...questions, question], { id: question.id, change: "waiting" })
}

/** Ends the wait for a question, unless it has ended. */
const endWait = (
  draft: Draft,
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

/** Asks the agent's questions, and records that the agent has received their outcomes. */
const handOver = (draft: Draft, turn: Turn.Turn, { ask: request, goesOn = false, unanswered }: Progress): Turn.Turn => {
  let updated = request === undefined ? turn : (ask(draft, turn, request) ?? turn)
  if (unanswered !== undefined) {
    const { by, id, kind } = unanswered
    updated = endWait(draft, updated, id, { kind, answer: null, by }) ?? updated
  }
  const { questions = [] } = updated
  if (!goesOn || questions.every(({ continued, outcome }) => continued || outcome === undefined)) return updated
  const continued = questions.map((question) =>
    question.outcome === undefined ? question : { ...question, continued: true }
  )
  const moved = { ...updated, questions: continued }
  write(draft, moved, updated)
  return moved
}

/** Gives a turn to the node, under a lease whose token is the revision of this step. */
const lease = (draft: Draft, turn: Turn.Turn, node: string): void => {
  const { revision } = draft.session
  draft.session = { ...draft.session, lease: { node, token: revision + 1, turnId: turn.id } }
  const nextAttempt = { ...turn, attempt: turn.attempt + 1, node }
  const begun =
    turn.status === "queued" ? Turn.move(nextAttempt, { _tag: "Dispatched" }, draft.at_ms) : Result.succeed(nextAttempt)
  if (Result.isSuccess(begun)) write(draft, begun.success, turn)
}

const leave = (draft: Draft): void => {
  draft.session = { ...draft.session, lease: null }
}

/** Releases the turn of a node that no longer works on it: the turn is queued again, continues elsewhere, or fails. */
const release = (draft: Draft, failure: "node_lost" | "node_closed", resumes: Resumes | undefined): void => {
  const held = draft.turns.find(({ id }) => id === draft.session.lease?.turnId)
  leave(draft)
  if (held === undefined || !isAtWork(held)) return
  // nothing has begun before a turn is running
  if (held.status === "dispatching") return write(draft, { ...held, status: "queued", dispatchedAt_ms: null }, held)
  if (resumes?.(held) === true) return
  const error = failure === "node_lost" ? nodeLost : nodeClosed
  void move(draft, held, { _tag: "Failed", error, failure })
}

/** Gives the node the next turn, or one that waits to go on. */
const take = (draft: Draft, node: string): string | null => {
  const waiting = draft.turns.find(isAtWork) ?? next(draft.turns)
  if (waiting !== undefined) lease(draft, waiting, node)
  return waiting?.id ?? null
}

/** The holder of the lease leaves the session, or goes on with its next turn. */
const goOn = (draft: Draft, { goesOn = false }: { readonly goesOn?: boolean }): void => {
  const { node } = draft.session.lease ?? { node: "" }
  leave(draft)
  if (goesOn) take(draft, node)
}

const queue = (
  draft: Draft,
  { deduplicate = false, interrupt, turn }: Extract<Command, { readonly _tag: "Queue" }>
): Decided => {
  if (draft.session.status === "stopped") return Result.fail({ _tag: "Stopped" })
  const isSame = ({ ahead, status, task }: Turn.Turn) =>
    status === "queued" && task === turn.task && ahead === interrupt
  const waiting = deduplicate ? draft.turns.find((each) => Turn.isMessage(each) && isSame(each)) : undefined
  if (waiting !== undefined) return Result.succeed(waiting.id)
  const working = draft.turns.find(isAtWork)
  const seq = draft.session.turnCount + 1
  draft.session = { ...draft.session, turnCount: seq }
  write(draft, { ...turn, seq, ahead: interrupt, fromMessage: true }, undefined)
  if (interrupt && working !== undefined) void cancel(draft, working, "interrupt")
  return Result.succeed(turn.id)
}

const cancelAsked = (
  draft: Draft,
  { onlyQueued = false, turnId }: Extract<Command, { readonly _tag: "Cancel" }>
): Decided => {
  const turn = draft.turns.find(({ id }) => id === turnId)
  return turn === undefined ||
    (onlyQueued && turn.status !== "queued") ||
    Result.isFailure(cancel(draft, turn, "asked"))
    ? Result.fail({ _tag: "Over" })
    : Result.succeed(turnId)
}

/** A turn that runs, as a command of a client needs it. */
const running = (draft: Draft, turnId: string): Result.Result<Turn.Turn, Refusal> => {
  const turn = draft.turns.find(({ id }) => id === turnId)
  return turn?.status === "running" ? Result.succeed(turn) : Result.fail({ _tag: "Over" })
}

const askOfClient = (draft: Draft, { request, turnId }: Extract<Command, { readonly _tag: "Ask" }>): Decided =>
  Result.flatMap(running(draft, turnId), (turn) =>
    ask(draft, turn, request) === undefined ? Result.fail({ _tag: "Waiting" }) : Result.succeed(turnId)
  )

const answer = (
  draft: Draft,
  { answer: text, by, questionId, turnId }: Extract<Command, { readonly _tag: "Answer" }>
): Decided =>
  Result.flatMap(running(draft, turnId), (turn) =>
    endWait(draft, turn, questionId, { kind: "answered", answer: text, by }) === undefined
      ? Result.fail({ _tag: "NotWaiting" })
      : Result.succeed(turnId)
  )

const stop = (draft: Draft): Decided => {
  const open = inOrder(draft.turns).filter(({ status }) => !Turn.isTerminal(status))
  const stopped = Session.move(draft.session, { _tag: "Stopped" }, draft.at_ms)
  if (Result.isFailure(stopped)) return Result.succeed(null)
  draft.session = stopped.success
  for (const turn of open) void cancel(draft, turn, "session_stopped")
  return Result.succeed(null)
}

const share = (draft: Draft, shared: boolean): Decided => {
  if (draft.session.shared !== shared) draft.session = { ...draft.session, shared }
  return Result.succeed(null)
}

const stopIdle = (draft: Draft, since_ms: number): Decided => {
  const { idleSince_ms, status } = draft.session
  const isIdle = idleSince_ms !== null && idleSince_ms <= since_ms
  return status === "active" && !isIdle ? Result.fail({ _tag: "Busy" }) : stop(draft)
}

const takeOver = (draft: Draft, { from, node, resumes }: Extract<Command, { readonly _tag: "Take" }>): Decided => {
  const { lease: known } = draft.session
  if (known !== null && known.node !== from) return Result.succeed(null)
  if (known !== null) release(draft, "node_lost", resumes)
  return Result.succeed(take(draft, node))
}

const progress = (draft: Draft, turn: Turn.Turn, reported: Progress): Decided => {
  const { ask: request, call, checkpoint, ended, goesOn, step, unanswered, used } = reported
  const counted = called(draft, use(draft, turn, used), call)
  if ([request, checkpoint, ended, goesOn, step, unanswered].every((part) => part === undefined)) {
    return Result.succeed(turn.id)
  }
  // it was cancelled, or has not begun: its agent still has the lease, and has to let go of it
  if (counted.status !== "running") return Result.fail({ _tag: "Over" })
  const updated = handOver(draft, counted, reported)
  if (ended !== undefined) {
    stepped(draft, updated, Turn.stepEnded(ended.step, draft.at_ms, ended.failure, ended.details))
  }
  if (checkpoint === undefined && step === undefined) return Result.succeed(turn.id)
  const steps = updated.steps + (step === undefined ? 0 : 1)
  if (step !== undefined) {
    stepped(draft, updated, { turnId: turn.id, ordinal: steps, ...step, beganAt_ms: draft.at_ms })
  }
  write(draft, { ...updated, steps, checkpoint: checkpoint ?? updated.checkpoint }, updated)
  return Result.succeed(turn.id)
}

const wait = (draft: Draft, turn: Turn.Turn, browserQueue: BrowserQueue): Decided => {
  if (turn.status !== "dispatching") return Result.succeed(turn.id)
  write(draft, { ...turn, browserQueue }, turn)
  const { position, reason } = browserQueue
  draft.events.push({ ...eventOf(turn, turn.status, draft.at_ms), browserQueue: { position, reason } })
  return Result.succeed(turn.id)
}

/** Command from the holder of a lease. */
type OfHolder = Extract<Command, { readonly token: number }>

const ofHolder = (draft: Draft, command: OfHolder): Decided => {
  const { lease: known } = draft.session
  const turn = known?.token === command.token ? draft.turns.find(({ id }) => id === known.turnId) : undefined
  if (turn === undefined) return Result.fail({ _tag: "LeaseLost" })
  switch (command._tag) {
    case "UseBrowser": {
      const proxyUsedMb = Decimal.add(draft.session.proxyUsedMb, command.usedMb)
      draft.session = { ...draft.session, browserId: command.browserId, proxyUsedMb }
      return Result.succeed(null)
    }
    case "Report": {
      const moved = move(draft, turn, command.event)
      if (Result.isFailure(moved)) return Result.fail(moved.failure)
      if (command.leaves && Turn.isTerminal(moved.success.status)) goOn(draft, command)
      return Result.succeed(turn.id)
    }
    case "Progress":
      return progress(draft, turn, command.progress)
    case "Wait":
      return wait(draft, turn, command.queue)
    case "LetGo": {
      const updated = use(draft, turn, command.used)
      if (!Turn.isTerminal(updated.status)) void move(draft, updated, command.ending)
      goOn(draft, command)
      return Result.succeed(turn.id)
    }
    case "GiveBack":
      use(draft, turn, command.used)
      release(draft, "node_closed", command.resumes)
      return Result.succeed(turn.id)
  }
}

const apply = (draft: Draft, command: Command): Decided => {
  switch (command._tag) {
    case "Queue":
      return queue(draft, command)
    case "Cancel":
      return cancelAsked(draft, command)
    case "Ask":
      return askOfClient(draft, command)
    case "Answer":
      return answer(draft, command)
    case "Stop":
      return stop(draft)
    case "StopIdle":
      return stopIdle(draft, command.since_ms)
    case "Share":
    case "Unshare":
      return share(draft, command._tag === "Share")
    case "Take":
      return takeOver(draft, command)
    default:
      return ofHolder(draft, command)
  }
}

const finishedBy = ({ before, session, turns }: Draft): ReadonlyArray<Turn.Turn> => {
  const isDone = (turn: Turn.Turn | undefined, lease: Session.Session["lease"]) =>
    turn !== undefined && Turn.isTerminal(turn.status) && lease?.turnId !== turn.id
  return turns.filter(
    (turn) =>
      isDone(turn, session.lease) &&
      !isDone(
        before.turns.find(({ id }) => id === turn.id),
        before.session.lease
      )
  )
}

/** Builds the decision from the draft, about this turn. */
const decisionOf = (draft: Draft, id: string | null): Decision => {
  const { at_ms, before, calls, events, session, steps, turns, written } = draft
  const changed = session !== before.session || written.size > 0 || steps.length > 0
  const from = before.session.status
  if (session.status !== from) {
    events.unshift({
      at_ms,
      of: "session",
      id: session.id,
      sessionId: null,
      owner: session.owner,
      from,
      to: session.status
    })
  }
  const isIdle =
    session.status === "active" && session.lease === null && turns.every(({ status }) => Turn.isTerminal(status))
  const idleSince_ms = isIdle ? (session.idleSince_ms ?? at_ms) : null
  return {
    session: changed ? { ...session, idleSince_ms, revision: before.session.revision + 1 } : session,
    turn: id === null ? null : (turns.find((turn) => turn.id === id) ?? null),
    turns: [...written.values()],
    turnSteps: steps,
    modelCalls: calls,
    events,
    finished: changed ? finishedBy(draft) : [],
    changed
  }
}

/**
 * Decides the result of a command for a session at this time. It is pure, so that the same state, command and time
 * produce the same decision. The revision of the session guards the write: it is one more than that of `state`.
 */
export const decide = (state: SessionState, command: Command, at_ms: number): Result.Result<Decision, Refusal> => {
  const { session, turns } = state
  const draft: Draft = { before: state, at_ms, session, turns, written: new Map(), steps: [], calls: [], events: [] }
  return Result.map(apply(draft, command), (turnId) => decisionOf(draft, turnId))
}

/** A new session without turns: idle until its first one. */
export const opened = (session: Session.Session): Decision => {
  const { createdAt_ms: at_ms, id, owner, status } = session
  return {
    session: { ...session, idleSince_ms: at_ms },
    turn: null,
    turns: [],
    turnSteps: [],
    modelCalls: [],
    events: [{ at_ms, of: "session", id, sessionId: null, owner, from: null, to: status }],
    finished: [],
    changed: true
  }
}

/** A new session and its first turn. */
export const created = (session: Session.Session, turn: Turn.Turn): Decision & { readonly turn: Turn.Turn } => {
  const first = { ...turn, seq: 1, ahead: false }
  const decision = opened(session)
  return {
    ...decision,
    session: { ...session, turnCount: 1 },
    turn: first,
    turns: [first],
    events: [...decision.events, eventOf(first, null, session.createdAt_ms)]
  }
}

/** The turns in the order in which they run: the one at work first. */
export const inOrder = (turns: ReadonlyArray<Turn.Turn>): ReadonlyArray<Turn.Turn> => {
  const rank = (turn: Turn.Turn) => (turn.status !== "queued" ? 0 : turn.ahead ? 1 : 2)
  return turns.toSorted(
    (left, right) => rank(left) - rank(right) || (rank(left) === 1 ? right.seq - left.seq : left.seq - right.seq)
  )
}
