import * as Result from "effect/Result"
import * as Decimal from "./Decimal.ts"
import type { Event } from "./Event.ts"
import type { InvalidTransition } from "./InvalidTransition.ts"
import * as Session from "./Session.ts"
import * as Turn from "./Turn.ts"

/** A session as its changes need to know it. */
export interface SessionState {
  readonly session: Session.Session
  /** The turns that are not terminal, and the one that the lease names, in the order in which they were created. */
  readonly turns: ReadonlyArray<Turn.Turn>
}

/** What an agent says of its turn beside the events that move it. */
export interface Progress {
  readonly used?: Turn.Usage
  readonly checkpoint?: Turn.Turn["checkpoint"]
  /** A step that is about to begin. */
  readonly step?: Turn.Step
  /** A step that is over, as it began, and why it failed. */
  readonly ended?: { readonly step: Turn.TurnStep; readonly failure: string | null }
}

/** What is to be done to a session. */
export type Command =
  /** A turn more. An interrupt cancels the turn at work and runs before all that wait. */
  | { readonly _tag: "Queue"; readonly turn: Turn.Turn; readonly interrupt: boolean }
  | { readonly _tag: "Cancel"; readonly turnId: string }
  /** Cancels what is to be done, and takes no more. */
  | { readonly _tag: "Stop" }
  /** Stops the session if it is idle since this time, or longer. */
  | { readonly _tag: "StopIdle"; readonly since_ms: number }
  | { readonly _tag: "Share" }
  /** The session's agent has a browser from now on; the one before used this much. */
  | {
      readonly _tag: "UseBrowser"
      readonly token: number
      readonly browserId: string
      readonly usedMb: Decimal.Decimal
    }
  /** A node takes the next turn, if no node has one. `from` is a node that is lost: what it had is taken over. */
  | { readonly _tag: "Take"; readonly node: string; readonly from?: string; readonly resumes?: Resumes | undefined }
  /** What the holder of a lease says. With `leaves` its agent is gone when the event ends the turn. */
  | {
      readonly _tag: "Report"
      readonly token: number
      readonly event: Turn.TurnEvent
      readonly leaves: boolean
      readonly goesOn: boolean
    }
  | { readonly _tag: "Progress"; readonly token: number; readonly progress: Progress }
  /**
   * The agent is gone, however that came about: its turn ends with `ending` if it has not ended. A node that `goesOn`
   * takes the next turn in the same step.
   */
  | {
      readonly _tag: "LetGo"
      readonly token: number
      readonly ending: Turn.TurnEvent
      readonly goesOn: boolean
      readonly used?: Turn.Usage | undefined
    }
  /** The node closes: what had not begun is given back, what runs ends with a reason or waits to go on. */
  | {
      readonly _tag: "GiveBack"
      readonly token: number
      readonly resumes?: Resumes | undefined
      readonly used?: Turn.Usage | undefined
    }

/** Whether a turn that is running can go on elsewhere. */
type Resumes = (turn: Turn.Turn) => boolean

/** Why a command is not carried out. */
export type Refusal =
  | InvalidTransition
  | { readonly _tag: "Stopped" }
  /** The session has something to do, or had until a moment ago. */
  | { readonly _tag: "Busy" }
  /** The turn does not go on, or has not begun. */
  | { readonly _tag: "Over" }
  | { readonly _tag: "LeaseLost" }

/** What a command makes of a session. */
export interface Decision {
  readonly session: Session.Session
  /** The turn that the command is about, as it is afterwards; null of a command that is about none. */
  readonly turn: Turn.Turn | null
  /** The turns that are written; empty together with `turnSteps`, `events` and an unchanged session when nothing is. */
  readonly turns: ReadonlyArray<Turn.Turn>
  readonly turnSteps: ReadonlyArray<Turn.TurnStep>
  readonly events: ReadonlyArray<Event>
  /** Whether anything is to be written at all. */
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

/** What is written so far. */
interface Draft {
  session: Session.Session
  turns: ReadonlyArray<Turn.Turn>
  readonly written: Map<string, Turn.Turn>
  readonly steps: Array<Turn.TurnStep>
  readonly events: Array<Event>
}

const eventOf = (turn: Turn.Turn, from: Turn.TurnStatus | null, at_ms: number): Event => ({
  at_ms,
  of: "turn",
  id: turn.id,
  sessionId: turn.sessionId,
  owner: turn.owner,
  from,
  to: turn.status
})

/** The turn as it is now instead of as it was. */
const write = (draft: Draft, turn: Turn.Turn, before: Turn.Turn | undefined, at_ms: number): void => {
  draft.written.set(turn.id, turn)
  draft.turns =
    before === undefined ? [...draft.turns, turn] : draft.turns.map((each) => (each.id === turn.id ? turn : each))
  if (before?.status !== turn.status) draft.events.push(eventOf(turn, before?.status ?? null, at_ms))
}

/** A session that is not to be kept stops when nothing is left to do. */
const stopWhenDone = (draft: Draft, at_ms: number): void => {
  if (draft.session.keepAlive || draft.turns.some(({ status }) => !Turn.isTerminal(status))) return
  draft.session = Result.getOrElse(Session.move(draft.session, { _tag: "Stopped" }, at_ms), () => draft.session)
}

/** Moves a turn, and with it its session. */
const move = (
  draft: Draft,
  before: Turn.Turn,
  event: Turn.TurnEvent,
  at_ms: number
): Result.Result<Turn.Turn, InvalidTransition> =>
  Result.map(Turn.move(before, event, at_ms), (moved) => {
    if (event._tag === "Started" && (event.settings !== undefined || event.proxyUsedMb !== undefined)) {
      const adjusted = Session.move(draft.session, { ...event, _tag: "Adjusted" }, at_ms)
      draft.session = Result.getOrElse(adjusted, () => draft.session)
    }
    write(draft, moved, before, at_ms)
    if (Turn.isTerminal(moved.status)) stopWhenDone(draft, at_ms)
    return moved
  })

/** Gives a turn to the node, under a lease whose token is the revision of this step. */
const lease = (draft: Draft, turn: Turn.Turn, node: string, at_ms: number): Turn.Turn => {
  const { revision } = draft.session
  draft.session = { ...draft.session, lease: { node, token: revision + 1, turnId: turn.id } }
  const given = { ...turn, attempt: turn.attempt + 1 }
  if (turn.status === "queued") {
    return Result.getOrElse(
      Result.map(Turn.move(given, { _tag: "Dispatched" }, at_ms), (moved) => {
        write(draft, moved, turn, at_ms)
        return moved
      }),
      () => turn
    )
  }
  write(draft, given, turn, at_ms)
  return given
}

const leave = (draft: Draft) => {
  draft.session = { ...draft.session, lease: null }
}

/** What becomes of the turn of a node that works on it no more. */
const release = (draft: Draft, failure: "node_lost" | "node_closed", resumes: Resumes | undefined, at_ms: number) => {
  const held = draft.turns.find(({ id }) => id === draft.session.lease?.turnId)
  leave(draft)
  if (held === undefined || !isAtWork(held)) return
  // nothing has begun before a turn is running
  if (held.status === "dispatching") {
    write(draft, { ...held, status: "queued", dispatchedAt_ms: null }, held, at_ms)
    return
  }
  if (resumes?.(held) === true) return
  const error = failure === "node_lost" ? nodeLost : nodeClosed
  void move(draft, held, { _tag: "Failed", error, failure }, at_ms)
}

/** Gives the node the next turn, or one that waits to go on. */
const take = (draft: Draft, node: string, at_ms: number): Turn.Turn | null => {
  const waiting = draft.turns.find(isAtWork) ?? next(draft.turns)
  return waiting === undefined ? null : lease(draft, waiting, node, at_ms)
}

/**
 * What a command makes of a session at this time: pure, so that the same state, command and time are the same
 * decision. The revision of the session guards what is written: it is one more than that of `state`.
 */
export const decide = (state: SessionState, command: Command, at_ms: number): Result.Result<Decision, Refusal> => {
  const draft: Draft = { session: state.session, turns: state.turns, written: new Map(), steps: [], events: [] }

  const decided = (turnId: string | null): Result.Result<Decision, Refusal> => {
    const { events, session, steps, written } = draft
    const changed = session !== state.session || written.size > 0 || steps.length > 0
    if (session.status !== state.session.status) {
      events.unshift({
        at_ms,
        of: "session",
        id: session.id,
        sessionId: null,
        owner: session.owner,
        from: state.session.status,
        to: session.status
      })
    }
    const isIdle =
      session.status === "active" &&
      session.lease === null &&
      draft.turns.every(({ status }) => Turn.isTerminal(status))
    const idleSince_ms = isIdle ? (session.idleSince_ms ?? at_ms) : null
    return Result.succeed({
      session: changed ? { ...session, idleSince_ms, revision: state.session.revision + 1 } : session,
      turn: turnId === null ? null : (draft.turns.find(({ id }) => id === turnId) ?? null),
      turns: [...written.values()],
      turnSteps: steps,
      events,
      changed
    })
  }

  /** The turn of the lease with this token. */
  const held = (token: number): Turn.Turn | undefined =>
    state.session.lease?.token === token ? state.turns.find(({ id }) => id === state.session.lease?.turnId) : undefined

  const used = (turn: Turn.Turn, usage: Turn.Usage | undefined): Turn.Turn => {
    const more = usage === undefined ? turn : Turn.use(turn, usage)
    if (more !== turn) write(draft, more, turn, at_ms)
    return more
  }

  const cancel = (turn: Turn.Turn, reason: Turn.CancelReason) =>
    move(draft, turn, { _tag: "Cancelled", cancel: reason }, at_ms)

  switch (command._tag) {
    case "Queue": {
      if (state.session.status === "stopped") return Result.fail({ _tag: "Stopped" })
      const seq = state.session.turnCount + 1
      draft.session = { ...draft.session, turnCount: seq }
      write(draft, { ...command.turn, seq, ahead: command.interrupt }, undefined, at_ms)
      const working = state.turns.find(isAtWork)
      if (command.interrupt && working !== undefined) void cancel(working, "interrupt")
      return decided(command.turn.id)
    }
    case "Cancel": {
      const turn = state.turns.find(({ id }) => id === command.turnId)
      if (turn === undefined) return Result.fail({ _tag: "Over" })
      const moved = cancel(turn, "asked")
      return Result.isFailure(moved) ? Result.fail({ _tag: "Over" }) : decided(turn.id)
    }
    case "StopIdle": {
      const { idleSince_ms, status } = state.session
      if (status === "active" && (idleSince_ms === null || idleSince_ms > command.since_ms)) {
        return Result.fail({ _tag: "Busy" })
      }
      return decide(state, { _tag: "Stop" }, at_ms)
    }
    case "Stop": {
      const stopped = Session.move(state.session, { _tag: "Stopped" }, at_ms)
      if (Result.isFailure(stopped)) return decided(null)
      draft.session = stopped.success
      for (const turn of inOrder(state.turns)) if (!Turn.isTerminal(turn.status)) void cancel(turn, "session_stopped")
      return decided(null)
    }
    case "Share": {
      if (!state.session.shared) draft.session = Session.share(state.session)
      return decided(null)
    }
    case "UseBrowser": {
      if (held(command.token) === undefined) return Result.fail({ _tag: "LeaseLost" })
      const proxyUsedMb = Decimal.add(draft.session.proxyUsedMb, command.usedMb)
      draft.session = { ...draft.session, browserId: command.browserId, proxyUsedMb }
      return decided(null)
    }
    case "Take": {
      const { lease: known } = state.session
      if (known !== null && known.node !== command.from) return decided(null)
      if (known !== null) release(draft, "node_lost", command.resumes, at_ms)
      return decided(take(draft, command.node, at_ms)?.id ?? null)
    }
    case "Report": {
      const turn = held(command.token)
      if (turn === undefined) return Result.fail({ _tag: "LeaseLost" })
      const moved = move(draft, turn, command.event, at_ms)
      if (Result.isFailure(moved)) return Result.fail(moved.failure)
      if (command.leaves && Turn.isTerminal(moved.success.status)) {
        const { node } = state.session.lease ?? { node: "" }
        leave(draft)
        if (command.goesOn) take(draft, node, at_ms)
      }
      return decided(turn.id)
    }
    case "Progress": {
      const turn = held(command.token)
      const { checkpoint, ended, step, used: usage } = command.progress
      if (turn === undefined) return Result.fail({ _tag: "LeaseLost" })
      const told = used(turn, usage)
      if (checkpoint === undefined && ended === undefined && step === undefined) return decided(turn.id)
      // it was cancelled, or has not begun: its agent still has the lease, and has to let go of it
      if (told.status !== "running") return Result.fail({ _tag: "Over" })
      if (ended !== undefined) draft.steps.push({ ...ended.step, ended: { at_ms, failure: ended.failure } })
      if (checkpoint === undefined && step === undefined) return decided(turn.id)
      const steps = told.steps + (step === undefined ? 0 : 1)
      if (step !== undefined) {
        draft.steps.push({ turnId: turn.id, ordinal: steps, ...step, beganAt_ms: at_ms })
      }
      write(draft, { ...told, steps, checkpoint: checkpoint ?? told.checkpoint }, told, at_ms)
      return decided(turn.id)
    }
    case "LetGo": {
      const turn = held(command.token)
      if (turn === undefined) return Result.fail({ _tag: "LeaseLost" })
      const told = used(turn, command.used)
      if (!Turn.isTerminal(told.status)) void move(draft, told, command.ending, at_ms)
      const { node } = state.session.lease ?? { node: "" }
      leave(draft)
      if (command.goesOn) take(draft, node, at_ms)
      return decided(turn.id)
    }
    case "GiveBack": {
      const turn = held(command.token)
      if (turn === undefined) return Result.fail({ _tag: "LeaseLost" })
      used(turn, command.used)
      release(draft, "node_closed", command.resumes, at_ms)
      return decided(turn.id)
    }
  }
}

/** A new session and its first turn. */
export const created = (session: Session.Session, turn: Turn.Turn): Decision & { readonly turn: Turn.Turn } => {
  const made = { ...session, turnCount: 1 }
  const first = { ...turn, seq: 1, ahead: false }
  const { createdAt_ms: at_ms, id, owner, status } = made
  return {
    session: made,
    turn: first,
    turns: [first],
    turnSteps: [],
    events: [{ at_ms, of: "session", id, sessionId: null, owner, from: null, to: status }, eventOf(first, null, at_ms)],
    changed: true
  }
}

/** The turns in the order in which they run: the one at work first. */
export const inOrder = (turns: ReadonlyArray<Turn.Turn>): ReadonlyArray<Turn.Turn> => {
  const rank = (turn: Turn.Turn) => (turn.status !== "queued" ? 0 : turn.ahead ? 1 : 2)
  return turns.toSorted(
    (left, right) => rank(left) - rank(right) || (rank(left) === 1 ? right.seq - left.seq : left.seq - right.seq)
  )
}
