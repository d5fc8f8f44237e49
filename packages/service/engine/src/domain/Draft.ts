import * as Result from "effect/Result"
import type { Event } from "./Event.ts"
import type { InvalidTransition } from "./InvalidTransition.ts"
import type { ModelCall, ModelCallReport } from "./ModelCall.ts"
import * as Session from "./Session.ts"
import * as Turn from "./Turn.ts"

/** A session as its changes need to know it. */
export interface SessionState {
  readonly session: Session.Session
  /** The turns that are not terminal, and the one that the lease names, in the order in which they were created. */
  readonly turns: ReadonlyArray<Turn.Turn>
}

/** Result of a command for a session. */
export interface Decision {
  readonly session: Session.Session
  /** The turn that the command is about, as it is afterwards; null of a command that is about none. */
  readonly turn: Turn.Turn | null
  /** The turns that are written; empty together with `turnSteps`, `events` and an unchanged session when nothing is. */
  readonly turns: ReadonlyArray<Turn.Turn>
  /** The turns of the session's state afterwards. */
  readonly open: ReadonlyArray<Turn.Turn>
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

/** A step that is being decided: what was there, and what is written so far. */
export interface Draft {
  readonly before: SessionState
  readonly at_ms: number
  session: Session.Session
  turns: ReadonlyArray<Turn.Turn>
  readonly written: Map<string, Turn.Turn>
  readonly steps: Array<Turn.TurnStep>
  readonly calls: Array<ModelCall>
  readonly events: Array<Event>
}

export const eventOf = (turn: Turn.Turn, from: Turn.TurnStatus | null, at_ms: number): Event => ({
  at_ms,
  of: "turn",
  id: turn.id,
  sessionId: turn.sessionId,
  owner: turn.owner,
  from,
  to: turn.status
})

/** Adds the event of a step that began or finished. */
export const stepped = (draft: Draft, { id, owner, sessionId }: Turn.Turn, step: Turn.TurnStep): void => {
  const { ended, ordinal } = step
  const change =
    ended === undefined
      ? { from: null, to: "running" }
      : { from: "running", to: ended.failure === null ? "succeeded" : "failed" }
  draft.steps.push(step)
  draft.events.push({ at_ms: draft.at_ms, of: "step", id, step: ordinal, sessionId, owner, ...change })
}

/** The turn as it is now instead of as it was. */
export const write = (draft: Draft, turn: Turn.Turn, before: Turn.Turn | undefined): void => {
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
export const move = (
  draft: Draft,
  before: Turn.Turn,
  event: Turn.TurnEvent
): Result.Result<Turn.Turn, InvalidTransition> =>
  Result.map(Turn.move(before, event, draft.at_ms), (moved) => {
    if (event._tag === "Started" && (event.settings !== undefined || event.proxyUsedMb !== undefined)) {
      const adjusted = Session.move(draft.session, { ...event, _tag: "Adjusted" }, draft.at_ms)
      draft.session = Result.getOrElse(adjusted, () => draft.session)
    }
    write(draft, moved, before)
    if (Turn.isTerminal(moved.status)) stopWhenDone(draft)
    return moved
  })

export const cancel = (draft: Draft, turn: Turn.Turn, reason: Turn.CancelReason) =>
  move(draft, turn, { _tag: "Cancelled", cancel: reason })

/** Adds what a turn has used. */
export const use = (draft: Draft, turn: Turn.Turn, usage: Turn.Usage | undefined): Turn.Turn => {
  const more = usage === undefined ? turn : Turn.use(turn, usage)
  if (more !== turn) write(draft, more, turn)
  return more
}

/** Adds a row for a model call. The turn's count makes its ordinal, so that a repeated step replaces its own row. */
export const called = (draft: Draft, turn: Turn.Turn, call: ModelCallReport | undefined): Turn.Turn => {
  if (call === undefined) return turn
  const ordinal = (turn.modelCalls ?? 0) + 1
  const updated = { ...turn, modelCalls: ordinal }
  draft.calls.push({ turnId: turn.id, ordinal, ...call })
  write(draft, updated, turn)
  return updated
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
export const decisionOf = (draft: Draft, id: string | null): Decision => {
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
    open: turns.filter(({ id, status }) => !Turn.isTerminal(status) || id === session.lease?.turnId),
    turnSteps: steps,
    modelCalls: calls,
    events,
    finished: changed ? finishedBy(draft) : [],
    changed
  }
}
