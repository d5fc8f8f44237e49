import {
  type Browser,
  type Event,
  type IdempotencyRecord,
  type ModelCall,
  type Session,
  type StoredMessage,
  Turn,
  turnIdOf
} from "@webagent/engine"

/** Parses a stored record. Only this package writes records, so they aren't checked again with each read. */
export const parsed = <A>(text: unknown): A => JSON.parse(String(text)) as A

/** Fields that turns of older versions don't have. */
const newFields = { node: null, title: null, tags: [] } satisfies Partial<Turn.Turn>

/** Parses a stored turn, with every field of this version. */
export const parsedTurn = (text: unknown): Turn.Turn => {
  const turn = parsed<Turn.Turn>(text)
  return "tags" in turn ? turn : { ...newFields, ...(turn as Turn.Turn) }
}

/** Parses the record of a key, whose turn may be of an older version. */
export const parsedKey = (text: unknown): IdempotencyRecord => {
  const record = parsed<IdempotencyRecord>(text)
  const { made } = record
  if (!("turn" in made) || "tags" in made.turn) return record
  return { ...record, made: { ...made, turn: { ...newFields, ...(made.turn as Turn.Turn) } } }
}

/** Returns the time when a turn finished; null if it hasn't. */
const endedAt = (turn: Turn.Turn) => (Turn.isTerminal(turn.status) ? (turn.finishedAt_ms ?? turn.createdAt_ms) : null)

const stoppedAt = (record: { readonly status: string; readonly finishedAt_ms: number | null }) =>
  record.status === "stopped" ? record.finishedAt_ms : null

export const sessionRow = (session: Session.Session) => ({
  id: session.id,
  revision: session.revision,
  stopped_at_ms: stoppedAt(session),
  lease_node: session.lease?.node ?? null,
  lease_turn: session.lease?.turnId ?? null,
  idle_since_ms: session.idleSince_ms,
  record: JSON.stringify(session)
})

export const turnRow = (turn: Turn.Turn) => ({
  id: turn.id,
  session_id: turn.sessionId,
  seq: turn.seq,
  owner: turn.owner,
  status: turn.status,
  ended_at_ms: endedAt(turn),
  usd: Number(turn.cost ?? 0),
  waiting_since_ms: Turn.waitingFor(turn)?.askedAt_ms ?? null,
  record: JSON.stringify(turn)
})

export const browserRow = (browser: Browser.Browser) => ({
  id: browser.id,
  revision: browser.revision,
  owner: browser.owner,
  node: browser.node,
  stopped_at_ms: stoppedAt(browser),
  record: JSON.stringify(browser)
})

export const messageRow = (message: StoredMessage) => ({
  id: message.id,
  turn_id: message.turnId,
  record: JSON.stringify(message)
})

export const stepRow = (step: Turn.TurnStep) => ({
  turn_id: step.turnId,
  ordinal: step.ordinal,
  record: JSON.stringify(step)
})

export const modelCallRow = (call: ModelCall) => ({
  turn_id: call.turnId,
  ordinal: call.ordinal,
  record: JSON.stringify(call)
})

export const keyRow = (record: IdempotencyRecord) => ({
  key: record.key,
  also: record.also ?? null,
  created_at_ms: record.createdAt_ms,
  record: JSON.stringify(record)
})

export const eventRow = (event: Event) => ({ turn_id: turnIdOf(event), record: JSON.stringify(event) })
