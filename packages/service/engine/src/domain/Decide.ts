import * as Result from "effect/Result"
import type { BrowserQueue } from "./BrowserQueue.ts"
import type { Command, Progress, Refusal } from "./Command.ts"
import * as Decimal from "./Decimal.ts"
import * as Draft from "./Draft.ts"
import type { Decision, SessionState } from "./Draft.ts"
import * as HandOff from "./HandOff.ts"
import * as Lease from "./Lease.ts"
import * as Session from "./Session.ts"
import { repeated } from "./StepCall.ts"
import * as Turn from "./Turn.ts"

export type { Command, Progress, Refusal } from "./Command.ts"
export type { Decision, SessionState } from "./Draft.ts"
export { next } from "./Lease.ts"

/** The id of the turn that a command is about, or null; the draft has what the command does. */
type Decided = Result.Result<string | null, Refusal>

const queue = (
  draft: Draft.Draft,
  { deduplicate = false, interrupt, turn }: Extract<Command, { readonly _tag: "Queue" }>
): Decided => {
  if (draft.session.status === "stopped") return Result.fail({ _tag: "Stopped" })
  const isSame = ({ ahead, status, task }: Turn.Turn) =>
    status === "queued" && task === turn.task && ahead === interrupt
  const waiting = deduplicate ? draft.turns.find((each) => Turn.isMessage(each) && isSame(each)) : undefined
  if (waiting !== undefined) return Result.succeed(waiting.id)
  const working = draft.turns.find(Lease.isAtWork)
  const seq = draft.session.turnCount + 1
  draft.session = { ...draft.session, turnCount: seq }
  Draft.write(draft, { ...turn, seq, ahead: interrupt, fromMessage: true }, undefined)
  if (interrupt && working !== undefined) void Draft.cancel(draft, working, "interrupt")
  return Result.succeed(turn.id)
}

const cancelAsked = (
  draft: Draft.Draft,
  { onlyQueued = false, turnId }: Extract<Command, { readonly _tag: "Cancel" }>
): Decided => {
  const turn = draft.turns.find(({ id }) => id === turnId)
  return turn === undefined ||
    (onlyQueued && turn.status !== "queued") ||
    Result.isFailure(Draft.cancel(draft, turn, "asked"))
    ? Result.fail({ _tag: "Over" })
    : Result.succeed(turnId)
}

/** A turn that runs, as a command of a client needs it. */
const running = (draft: Draft.Draft, turnId: string): Result.Result<Turn.Turn, Refusal> => {
  const turn = draft.turns.find(({ id }) => id === turnId)
  return turn?.status === "running" ? Result.succeed(turn) : Result.fail({ _tag: "Over" })
}

const askOfClient = (draft: Draft.Draft, { request, turnId }: Extract<Command, { readonly _tag: "Ask" }>): Decided =>
  Result.flatMap(running(draft, turnId), (turn) =>
    HandOff.ask(draft, turn, request) === undefined ? Result.fail({ _tag: "Waiting" }) : Result.succeed(turnId)
  )

const answer = (
  draft: Draft.Draft,
  { questionId, turnId, ...given }: Extract<Command, { readonly _tag: "Answer" }>
): Decided =>
  Result.flatMap(running(draft, turnId), (turn) =>
    Result.map(HandOff.answer(draft, turn, questionId, given), () => turnId)
  )

const stop = (draft: Draft.Draft): Decided => {
  const open = inOrder(draft.turns).filter(({ status }) => !Turn.isTerminal(status))
  const stopped = Session.move(draft.session, { _tag: "Stopped" }, draft.at_ms)
  if (Result.isFailure(stopped)) return Result.succeed(null)
  draft.session = stopped.success
  for (const turn of open) void Draft.cancel(draft, turn, "session_stopped")
  return Result.succeed(null)
}

const share = (draft: Draft.Draft, shared: boolean): Decided => {
  if (draft.session.shared !== shared) draft.session = { ...draft.session, shared }
  return Result.succeed(null)
}

const stopIdle = (draft: Draft.Draft, since_ms: number): Decided => {
  const { idleSince_ms, status } = draft.session
  const isIdle = idleSince_ms !== null && idleSince_ms <= since_ms
  return status === "active" && !isIdle ? Result.fail({ _tag: "Busy" }) : stop(draft)
}

const takeOver = (
  draft: Draft.Draft,
  { from, node, resumes }: Extract<Command, { readonly _tag: "Take" }>
): Decided => {
  const { lease: known } = draft.session
  if (known !== null && known.node !== from) return Result.succeed(null)
  if (known !== null) Lease.release(draft, "node_lost", resumes)
  return Result.succeed(Lease.take(draft, node))
}

const progress = (draft: Draft.Draft, turn: Turn.Turn, reported: Progress): Decided => {
  const { ask: request, call, checkpoint, ended, goesOn, step, unanswered, used, waits } = reported
  const counted = Draft.called(draft, Draft.use(draft, turn, used), call)
  if ([request, checkpoint, ended, goesOn, step, unanswered, waits].every((part) => part === undefined)) {
    return Result.succeed(turn.id)
  }
  // it was cancelled, or has not begun: its agent still has the lease, and has to let go of it
  if (counted.status !== "running") return Result.fail({ _tag: "Over" })
  const updated = HandOff.handOver(draft, counted, reported)
  if (ended !== undefined) {
    Draft.stepped(draft, updated, Turn.stepEnded(ended.step, draft.at_ms, ended.failure, ended.details))
  }
  const how = ended?.details?.repetition ?? undefined
  if (checkpoint === undefined && step === undefined && how === undefined) return Result.succeed(turn.id)
  const { replay } = updated
  const counts = replay === undefined || how === undefined ? {} : { replay: repeated(replay, how) }
  const steps = updated.steps + (step === undefined ? 0 : 1)
  if (step !== undefined) {
    Draft.stepped(draft, updated, { turnId: turn.id, ordinal: steps, ...step, beganAt_ms: draft.at_ms })
  }
  Draft.write(draft, { ...updated, ...counts, steps, checkpoint: checkpoint ?? updated.checkpoint }, updated)
  return Result.succeed(turn.id)
}

const wait = (draft: Draft.Draft, turn: Turn.Turn, browserQueue: BrowserQueue): Decided => {
  if (turn.status !== "dispatching") return Result.succeed(turn.id)
  Draft.write(draft, { ...turn, browserQueue }, turn)
  const { position, reason } = browserQueue
  draft.events.push({ ...Draft.eventOf(turn, turn.status, draft.at_ms), browserQueue: { position, reason } })
  return Result.succeed(turn.id)
}

/** Command from the holder of a lease. */
type OfHolder = Extract<Command, { readonly token: number }>

const ofHolder = (draft: Draft.Draft, command: OfHolder): Decided => {
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
      const moved = Draft.move(draft, turn, command.event)
      if (Result.isFailure(moved)) return Result.fail(moved.failure)
      if (command.leaves && Turn.isTerminal(moved.success.status)) Lease.goOn(draft, command)
      return Result.succeed(turn.id)
    }
    case "Progress":
      return progress(draft, turn, command.progress)
    case "Wait":
      return wait(draft, turn, command.queue)
    case "LetGo": {
      const updated = Draft.use(draft, turn, command.used)
      if (!Turn.isTerminal(updated.status)) void Draft.move(draft, updated, command.ending)
      Lease.goOn(draft, command)
      return Result.succeed(turn.id)
    }
    case "GiveBack":
      Draft.use(draft, turn, command.used)
      Lease.release(draft, "node_closed", command.resumes)
      return Result.succeed(turn.id)
  }
}

const apply = (draft: Draft.Draft, command: Command): Decided => {
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

/**
 * Decides the result of a command for a session at this time. It is pure, so that the same state, command and time
 * produce the same decision. The revision of the session guards the write: it is one more than that of `state`.
 */
export const decide = (state: SessionState, command: Command, at_ms: number): Result.Result<Decision, Refusal> => {
  const { session, turns } = state
  const draft: Draft.Draft = {
    before: state,
    at_ms,
    session,
    turns,
    written: new Map(),
    steps: [],
    calls: [],
    events: []
  }
  return Result.map(apply(draft, command), (turnId) => Draft.decisionOf(draft, turnId))
}

/** A new session without turns: idle until its first one. */
export const opened = (session: Session.Session): Decision => {
  const { createdAt_ms: at_ms, id, owner, status } = session
  return {
    session: { ...session, idleSince_ms: at_ms },
    turn: null,
    turns: [],
    open: [],
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
    open: [first],
    events: [...decision.events, Draft.eventOf(first, null, session.createdAt_ms)]
  }
}

/** The decision on a new session, and a node's take of its turn in the same step. */
export const taken = ({ events, session, turns }: Decision, node: string): Decision => {
  const before = { session: { ...session, revision: session.revision - 1 }, turns }
  const draft: Draft.Draft = {
    before,
    at_ms: session.createdAt_ms,
    ...before,
    written: new Map(),
    steps: [],
    calls: [],
    events: [...events]
  }
  return Draft.decisionOf(draft, Lease.take(draft, node))
}

/** The turns in the order in which they run: the one at work first. */
export const inOrder = (turns: ReadonlyArray<Turn.Turn>): ReadonlyArray<Turn.Turn> => {
  const rank = (turn: Turn.Turn) => (turn.status !== "queued" ? 0 : turn.ahead ? 1 : 2)
  return turns.toSorted(
    (left, right) => rank(left) - rank(right) || (rank(left) === 1 ? right.seq - left.seq : left.seq - right.seq)
  )
}
