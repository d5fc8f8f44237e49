import * as Result from "effect/Result"
import type { Resumes } from "./Command.ts"
import * as Draft from "./Draft.ts"
import * as Turn from "./Turn.ts"

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

export const isAtWork = ({ status }: Turn.Turn) => status === "dispatching" || status === "running"

/** Gives a turn to the node, under a lease whose token is the revision of this step. */
const lease = (draft: Draft.Draft, turn: Turn.Turn, node: string): void => {
  const { revision } = draft.session
  draft.session = { ...draft.session, lease: { node, token: revision + 1, turnId: turn.id } }
  const nextAttempt = { ...turn, attempt: turn.attempt + 1, node }
  const begun =
    turn.status === "queued" ? Turn.move(nextAttempt, { _tag: "Dispatched" }, draft.at_ms) : Result.succeed(nextAttempt)
  if (Result.isSuccess(begun)) Draft.write(draft, begun.success, turn)
}

const leave = (draft: Draft.Draft): void => {
  draft.session = { ...draft.session, lease: null }
}

/** Releases the turn of a node that no longer works on it: the turn is queued again, continues elsewhere, or fails. */
export const release = (
  draft: Draft.Draft,
  failure: "node_lost" | "node_closed",
  resumes: Resumes | undefined
): void => {
  const held = draft.turns.find(({ id }) => id === draft.session.lease?.turnId)
  leave(draft)
  if (held === undefined || !isAtWork(held)) return
  // nothing has begun before a turn is running
  if (held.status === "dispatching")
    return Draft.write(draft, { ...held, status: "queued", dispatchedAt_ms: null }, held)
  if (resumes?.(held) === true) return
  const error = failure === "node_lost" ? nodeLost : nodeClosed
  void Draft.move(draft, held, { _tag: "Failed", error, failure })
}

/** Gives the node the next turn, or one that waits to go on. */
export const take = (draft: Draft.Draft, node: string): string | null => {
  const waiting = draft.turns.find(isAtWork) ?? next(draft.turns)
  if (waiting !== undefined) lease(draft, waiting, node)
  return waiting?.id ?? null
}

/** The holder of the lease leaves the session, or goes on with its next turn. */
export const goOn = (draft: Draft.Draft, { goesOn = false }: { readonly goesOn?: boolean }): void => {
  const { node } = draft.session.lease ?? { node: "" }
  leave(draft)
  if (goesOn) take(draft, node)
}
