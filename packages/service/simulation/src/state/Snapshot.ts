import { Browser, ModelCall, Session, SnapshotKey, StoredMessage, Turn } from "@webagent/engine"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SimulatedFiles from "./SimulatedFiles.ts"

/** The turns of one session that are not terminal, in the order in which they run. */
const Queue = Schema.Struct({
  sessionId: Schema.String,
  running: Schema.NullOr(Schema.String),
  waiting: Schema.Array(Schema.String)
})

/** Everything that an engine knows, as plain JSON. */
export const Snapshot = Schema.Struct({
  version: Schema.Literal(1),
  sessions: Schema.Array(Session.Session),
  turns: Schema.Array(Turn.Turn),
  queues: Schema.Array(Queue),
  turnSteps: Schema.Array(Turn.TurnStep),
  // snapshots of earlier versions have none
  modelCalls: Schema.Array(ModelCall).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  messages: Schema.Array(StoredMessage),
  browsers: Schema.Array(Browser.Browser),
  idempotencyRecords: Schema.Array(SnapshotKey),
  ...SimulatedFiles.fields,
  ids: Schema.Record(Schema.String, Schema.Int)
})

export type Snapshot = typeof Snapshot.Type

/** The value is no snapshot, or contradicts itself; nothing was restored. */
export class InvalidSnapshot extends Data.TaggedError("InvalidSnapshot")<{ readonly message: string }> {}

const decode = Schema.decodeUnknownEffect(Snapshot)

/** Every turn that is not terminal has to be in the queue of its session, which has to be active. */
const checkQueues = Effect.fnUntraced(function* (snapshot: Snapshot) {
  const sessions = new Map(snapshot.sessions.map((session) => [session.id, session]))
  const open = new Map<string, Turn.Turn>()
  for (const turn of snapshot.turns) {
    const session = sessions.get(turn.sessionId)
    if (session === undefined) return yield* invalid(`turn ${turn.id} has no session`)
    if (Turn.isTerminal(turn.status)) continue
    if (session.status === "stopped") {
      return yield* invalid(`turn ${turn.id} is ${turn.status} but its session is stopped`)
    }
    open.set(turn.id, turn)
  }
  for (const { running, sessionId, waiting } of snapshot.queues) {
    for (const id of running === null ? waiting : [running, ...waiting]) {
      const turn = open.get(id)
      if (turn?.sessionId !== sessionId || (turn.status === "queued") === (id === running)) {
        return yield* invalid(`the queue of session ${sessionId} must not contain turn ${id}`)
      }
      open.delete(id)
    }
  }
  const [forgotten] = open.keys()
  if (forgotten !== undefined) return yield* invalid(`turn ${forgotten} is not terminal but in no queue`)
})

const invalid = (what: string) =>
  new InvalidSnapshot({ message: `Invalid snapshot: ${what}. Restore a snapshot without changes.` })

/** The snapshot, when it is one that an engine can go on from. */
export const parse = Effect.fnUntraced(function* (value: unknown) {
  const snapshot = yield* Effect.mapError(decode(value), (error) => invalid(error.message.replaceAll(/\s+/gu, " ")))
  yield* checkQueues(snapshot)
  return snapshot
})
