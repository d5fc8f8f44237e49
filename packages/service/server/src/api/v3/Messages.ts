import { fromMillis } from "@webagent/contract"
import type { SessionMessage } from "@webagent/contract/v3"
import { Turn } from "@webagent/engine"
import { hash } from "node:crypto"
import type { Links } from "../Links.ts"

/** The ordinal of the message with a turn's outcome: after all its steps. */
const outcome = 0xff_ff_ff_ff

/** The place of a message: the number of its turn in the session, and 0 for the task, or the ordinal of a step. */
interface MessagePlace {
  readonly seq: number
  readonly ordinal: number
}

const digits = (value: number) => value.toString(16).padStart(8, "0")

/** The last 12 digits of a message's id: those of another session differ. */
const mark = (sessionId: string) => hash("sha256", sessionId).slice(0, 12)

/** The id of a message: a uuid that names its place, so that no message has to be stored. */
const idOf = (sessionId: string, { ordinal, seq }: MessagePlace): string => {
  const [turn, step] = [digits(seq), digits(ordinal)]
  return `${turn}-${step.slice(0, 4)}-8000-8${step.slice(4, 7)}-${step.slice(7)}${mark(sessionId).slice(1)}`
}

/** Returns the place that an id names; undefined if it is no id of a message of this session. */
const placeOf = (sessionId: string, id: string): MessagePlace | undefined => {
  const match = /^([\da-f]{8})-([\da-f]{4})-8000-8([\da-f]{3})-([\da-f])([\da-f]{11})$/u.exec(id.toLowerCase())
  if (match === null || match[5] !== mark(sessionId).slice(1)) return undefined
  return { seq: Number.parseInt(match[1] ?? "", 16), ordinal: Number.parseInt(`${match[2]}${match[3]}${match[4]}`, 16) }
}

/**
 * The turns with messages, in the order in which they ran. A turn has messages from its start on: those of a waiting one
 * would come before later messages of the running one.
 */
const started = (turns: ReadonlyArray<Turn.Turn>): ReadonlyArray<Turn.Turn> => {
  const begin = ({ finishedAt_ms, startedAt_ms }: Turn.Turn) => startedAt_ms ?? finishedAt_ms ?? 0
  return turns
    .filter(({ startedAt_ms, status }) => startedAt_ms !== null || status === "failed")
    .toSorted((left, right) => begin(left) - begin(right) || left.seq - right.seq)
}

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** A message that is there, and its turn. */
interface Placed {
  readonly turn: Turn.Turn
  readonly place: MessagePlace
}

/** The messages of a turn: its task, the steps that began, and its outcome. */
const placesOf = (turn: Turn.Turn): ReadonlyArray<Placed> => [
  ...Array.from({ length: turn.steps + 1 }, (_, ordinal) => ({ turn, place: { seq: turn.seq, ordinal } })),
  ...(Turn.isTerminal(turn.status) ? [{ turn, place: { seq: turn.seq, ordinal: outcome } }] : [])
]

/** The messages that a caller asks for: after one of them, before one, or from the first on. */
export interface MessageQuery {
  readonly after: string | undefined
  readonly before: string | undefined
  readonly limit: number
}

/** A part of a session's messages, oldest first; undefined if `after` or `before` is no message of it. */
export const pageOf = (
  sessionId: string,
  turns: ReadonlyArray<Turn.Turn>,
  { after, before, limit }: MessageQuery
): { readonly messages: ReadonlyArray<Placed>; readonly hasMore: boolean } | undefined => {
  const all = started(turns).flatMap(placesOf)
  const indexOf = (id: string) => {
    const place = placeOf(sessionId, id)
    return all.findIndex(({ place: { ordinal, seq } }) => seq === place?.seq && ordinal === place.ordinal)
  }
  const from = after === undefined ? 0 : indexOf(after) + 1
  const to = before === undefined ? all.length : indexOf(before)
  if ((after !== undefined && from === 0) || to === -1) return undefined
  // those next to the message that the caller has
  const start = before !== undefined && after === undefined ? Math.max(from, to - limit) : from
  const messages = all.slice(start, Math.min(to, start + limit))
  return { messages, hasMore: start > from || start + messages.length < to }
}

const stepData = ({ address, ended, name = null, role = null, summary, tool = null, value = null }: Turn.TurnStep) => ({
  summary,
  url: address,
  action: tool === null ? null : { tool, role, name, value },
  failure: ended?.failure ?? null
})

const outcomeData = ({ error, isSuccess, output, status }: Turn.Turn) => ({ status, output, isSuccess, error })

/** A message as v3 shows it; undefined if the turn has no such step. */
export const fromDomain = (
  { place, turn }: Placed,
  steps: ReadonlyArray<Turn.TurnStep>,
  links: Links
): SessionMessage | undefined => {
  const { sessionId } = turn
  const common = { id: idOf(sessionId, place), sessionId, hidden: false, screenshotUrl: null }
  if (place.ordinal === 0) {
    const createdAt = fromMillis(turn.startedAt_ms ?? turn.finishedAt_ms ?? turn.createdAt_ms)
    const data = JSON.stringify({ text: turn.task })
    return { ...common, role: "user", type: "user_message", data, summary: turn.task, createdAt }
  }
  if (place.ordinal === outcome) {
    const data = JSON.stringify(outcomeData(turn))
    const summary = turn.error ?? (turn.output === null ? turn.status : text(turn.output))
    const createdAt = fromMillis(turn.finishedAt_ms ?? turn.createdAt_ms)
    return { ...common, role: "ai", type: "completion", data, summary, createdAt }
  }
  const step = steps[place.ordinal - 1]
  if (step === undefined) return undefined
  return {
    ...common,
    role: "ai",
    type: "browser_action",
    data: JSON.stringify(stepData(step)),
    summary: step.summary,
    screenshotUrl: step.picture === null ? null : links.recording(step.picture),
    createdAt: fromMillis(step.beganAt_ms)
  }
}
