import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type { BoundSecret, SecretToBind } from "./domain/BoundSecret.ts"
import * as Decide from "./domain/Decide.ts"
import {
  type AdmissionRefused,
  SessionBusy,
  type SessionNotFound,
  SessionStopped,
  TurnNotFound
} from "./domain/Errors.ts"
import type { HandOff } from "./domain/Question.ts"
import * as Session from "./domain/Session.ts"
import * as Turn from "./domain/Turn.ts"
import type { NotChanged } from "./Commits.ts"
import type { Executions } from "./Executions.ts"
import { withFreshIds } from "./freshIds.ts"
import { owned } from "./Owned.ts"
import { Admission, CreatedRun } from "./ports/Admission.ts"
import { Agent, type AgentIdentity } from "./ports/Agent.ts"
import { BrowserPool } from "./ports/BrowserPool.ts"
import { IdSource } from "./ports/IdSource.ts"
import { Owner } from "./ports/Owner.ts"
import { Recordings } from "./ports/Recordings.ts"
import { type Conflict, type KeyTaken, type Step, Store, type StoreUnavailable } from "./ports/Store.ts"
import { SecretBox, type SecretBoxService } from "./ports/SecretBox.ts"
import { CurrentSpan, traceparentOf } from "./ports/Traces.ts"
import { Work } from "./ports/Work.ts"
import * as RunChecks from "./RunChecks.ts"
import type { MadeOf, Record } from "./SafeCreates.ts"
import * as SessionQuestions from "./SessionQuestions.ts"

/** Options of a turn. */
interface TurnRequest {
  /** The language model, one that `acceptsModel`; by default, the agent's. */
  readonly model?: string
  /** Limits of the turn; unlimited by default. */
  readonly budget?: Turn.Turn["budget"]
  /** The files that its agent may upload; none by default. */
  readonly files?: Turn.Turn["files"]
  /** Maximum time that it waits for a free browser, in milliseconds; the server's limit by default. */
  readonly queueTimeout_ms?: number
  /** Its hand-off to people; by default, its agent asks no person. */
  readonly handOff?: HandOff
  /** True if it waits for a person at its cost limit; by default, it fails there. */
  readonly pausesAtCost?: boolean
  /** The judge of its result; by default, the server decides. */
  readonly judge?: Turn.Turn["judge"]
  /** Texts that its creator attached; none by default. */
  readonly metadata?: Turn.Turn["metadata"]
  /** The turn that it repeats, which `acceptsReplay`; none by default. */
  readonly replay?: Turn.Turn["replay"]
  /** Secrets that its agent may type; none by default. */
  readonly secrets?: ReadonlyArray<SecretToBind>
  /** The JSON Schema that its output has to fit. */
  readonly outputSchema?: Turn.Turn["outputSchema"]
  /** Its tags, for filters of lists. */
  readonly tags?: ReadonlyArray<string>
}

/** A session to create, and the task of its first turn. */
export interface SessionRequest extends TurnRequest {
  readonly task: string
  readonly modelParams: Turn.Turn["modelParams"]
  readonly thinkingLevel: string | null
  /** True if its browser's picture is recorded; by default, the agent decides. */
  readonly recording?: boolean
  /** The profile that its browsers start with; none by default. */
  readonly profileId?: string
  /** Settings of its browsers besides their profile; those of the server by default. */
  readonly browser?: Session.Session["browser"]
}

/** Settings of a session that is created without a task; by default, those of its agent. */
export type OpenSessionRequest = Partial<Session.SessionSettings>

/** A session with its turns in the order in which they were created. */
export interface SessionWithTurns {
  readonly session: Session.Session
  readonly turns: ReadonlyArray<Turn.Turn>
}

/** A follow-up for a session; with `interrupt` it does not wait for the turn at work. */
export interface Message extends TurnRequest {
  readonly sessionId: string
  readonly text: string
  readonly interrupt: boolean
  /** True if a waiting message with the same text and mode is returned instead of a second one. */
  readonly deduplicate?: boolean
  /** Parameters of the model; by default, those of the session. */
  readonly modelParams?: Turn.Turn["modelParams"]
}

const optionNames = ["budget", "files", "handOff", "judge", "metadata", "model", "pausesAtCost"] as const

/** The fields of a turn that its request names. */
const optionsOf = (request: TurnRequest) =>
  Struct.pick(request, [...optionNames, "queueTimeout_ms", "replay"]) as Partial<Turn.Turn>

/** True if this refusal is impossible for a client's command. */
const isInternal = (error: NotChanged): error is Exclude<Decide.Refusal, { readonly _tag: "Stopped" }> =>
  ["Over", "Busy", "LeaseLost", "InvalidTransition", "NotWaiting", "NotRaised", "Waiting"].includes(error._tag)

/** The error of a refused client command. A refusal that only the engine's own commands get is a defect. */
const refused =
  (id: string) =>
  (
    error: NotChanged
  ): Effect.Effect<
    never,
    AdmissionRefused | SessionStopped | SessionNotFound | Conflict | KeyTaken | StoreUnavailable
  > => {
    if (error._tag === "Stopped") return Effect.fail(new SessionStopped({ id }))
    return isInternal(error) ? Effect.die(error) : Effect.fail(error)
  }

/** Encrypts the secrets of a turn. */
const sealed = (
  box: SecretBoxService,
  secrets: ReadonlyArray<SecretToBind>,
  { id: turnId, owner = null }: { readonly id: string; readonly owner?: string | null }
) =>
  Effect.forEach(secrets, ({ alias, domains, source }) => {
    const secret = { alias, domains, server: null, sealed: null }
    if (source.type === "server") return Effect.succeed<BoundSecret>({ ...secret, server: source.name })
    return Effect.map(box.seal(source.value, { owner, turnId, alias }), (text): BoundSecret => ({
      ...secret,
      sealed: text
    }))
  })

/** Makes a turn, which stores the current span as the parent of its run. */
const makeTurn = (
  agent: AgentIdentity,
  box: SecretBoxService,
  request: TurnRequest,
  fields: Pick<
    Turn.Turn,
    "id" | "sessionId" | "task" | "modelParams" | "outputSchema" | "tags" | "createdAt_ms" | "owner"
  >
): Effect.Effect<Turn.Turn> =>
  Effect.withFiber((fiber) => {
    const span = fiber.getRef(CurrentSpan)
    const traceparent = span === null ? {} : { traceparent: traceparentOf(span) }
    const made = { ...fields, model: agent.model, ...optionsOf(request), ...traceparent, agentVersion: agent.version }
    if (request.secrets === undefined) return Effect.succeed(Turn.make(made))
    return Effect.map(sealed(box, request.secrets, fields), (secrets) => Turn.make({ ...made, secrets }))
  })

/**
 * Returns a function that adds to a replay what its agent can't read from recorded calls: where its chain of replays
 * begins, and the recorded answer. They are stored, so that no record of the chain is needed later.
 */
const recordedBy =
  ({ replays }: AgentIdentity, turn: (id: string) => Effect.Effect<Turn.Turn, TurnNotFound | StoreUnavailable>) =>
  <A extends TurnRequest>(request: A): Effect.Effect<A, StoreUnavailable> => {
    const { replay } = request
    if (replay === undefined || replays !== "all") return Effect.succeed(request)
    return turn(replay.of).pipe(
      Effect.map((recorded): A => {
        const answer = Turn.answerOf(recorded)
        const root = recorded.replay?.root ?? recorded.replay?.of ?? recorded.id
        return { ...request, replay: { ...replay, root, ...(answer === undefined ? {} : { answer }) } }
      }),
      // it was deleted meanwhile
      Effect.catchTag("TurnNotFound", () => Effect.succeed(request))
    )
  }

/** The part of a step that admits a new turn. */
const admitting = Effect.map(Admission, (admission) => (turnId: string): Pick<Step, "also"> => {
  return admission === null ? {} : { also: Effect.provideService(admission, CreatedRun, turnId) }
})

/** The part of the engine that carries out what clients ask of sessions. */
export const make = Effect.fnUntraced(function* ({ change, commit, create, find }: Executions) {
  const agent = yield* Agent
  const store = yield* Store
  const ids = yield* IdSource
  const pool = yield* BrowserPool
  const recordings = yield* Recordings
  const box = yield* SecretBox
  const work = yield* Work

  const turn = (id: string) => owned(store.turn(id), () => new TurnNotFound({ id }))
  const withRecorded = recordedBy(agent, turn)

  /** Offers the session to nodes, also when its commit got no answer. */
  const offering = <A, E extends { readonly _tag: string }>(sessionId: string, committed: Effect.Effect<A, E>) =>
    Effect.onExit(committed, (exit) =>
      Exit.isSuccess(exit) || Option.exists(Exit.findErrorOption(exit), ({ _tag }) => _tag === "StoreUnavailable")
        ? work.offered(sessionId)
        : Effect.void
    )

  const createUnder = Effect.fnUntraced(function* (refusals: number, request: SessionRequest, record: Record) {
    const owner = yield* Owner
    const id = yield* ids.next("session", refusals)
    const turnId = yield* ids.next("turn", refusals)
    const createdAt_ms = yield* Clock.currentTimeMillis
    const { modelParams, outputSchema = null, profileId = null, tags = Turn.noTags, task, thinkingLevel } = request
    const fields = { id: turnId, sessionId: id, task, modelParams, outputSchema, tags, createdAt_ms, owner }
    const turn = yield* makeTurn(agent, box, yield* withRecorded(request), fields)
    const decision = Decide.created(
      {
        ...Session.make({ id, owner, thinkingLevel, modelParams, profileId, createdAt_ms }),
        ...agent.settings?.(id),
        ...(Struct.pick(request, ["recording", "browser"]) as Partial<Session.Session>)
      },
      turn
    )
    const made: MadeOf<"Session"> = {
      _tag: "Session",
      session: decision.session,
      turn: Turn.withoutSecrets(decision.turn)
    }
    const admit = yield* admitting
    yield* create(decision, { ...record(made, createdAt_ms), ...admit(turnId) })
    return made
  })

  const openUnder = Effect.fnUntraced(function* (refusals: number, request: OpenSessionRequest, record: Record) {
    const owner = yield* Owner
    const id = yield* ids.next("session", refusals)
    const createdAt_ms = yield* Clock.currentTimeMillis
    const session = Session.make({ id, owner, thinkingLevel: null, createdAt_ms })
    const decision = Decide.opened({ ...session, ...agent.settings?.(id), ...request })
    const made: MadeOf<"OpenSession"> = { _tag: "OpenSession", session: decision.session }
    yield* commit(decision, record(made, createdAt_ms))
    return made
  })

  const queueUnder = Effect.fnUntraced(function* (refusals: number, message: Message, record: Record) {
    const { deduplicate = false, interrupt, outputSchema = null, sessionId, tags = Turn.noTags, text } = message
    const { modelParams: ofSession = null, owner } = yield* find(sessionId)
    const { modelParams = ofSession } = message
    const id = yield* ids.next("message", refusals)
    const turnId = yield* ids.next("turn", refusals)
    const createdAt_ms = yield* Clock.currentTimeMillis
    const turn = yield* makeTurn(agent, box, yield* withRecorded(message), {
      id: turnId,
      sessionId,
      task: text,
      modelParams,
      outputSchema,
      tags,
      createdAt_ms,
      owner
    })
    const admit = yield* admitting
    let made: MadeOf<"Message"> = { _tag: "Message", id, interrupt, turn: Turn.withoutSecrets(turn) }
    const queued = change(sessionId, { _tag: "Queue", turn, interrupt, deduplicate }, (decision) => {
      made = { ...made, turn: Turn.withoutSecrets(decision.turn ?? turn) }
      return {
        ...record(made, createdAt_ms),
        message: { id, sessionId, turnId, owner, interrupt, createdAt_ms },
        ...admit(turnId)
      }
    })
    const decision = yield* offering(sessionId, queued.pipe(Effect.catch(refused(sessionId))))
    if (decision.changed) return made
    const waiting: MadeOf<"Message"> = { ...made, turn: Turn.withoutSecrets(decision.turn ?? turn) }
    const { key } = record(waiting, createdAt_ms)
    if (key !== undefined) yield* store.commit({ key, events: [] })
    return waiting
  })

  /** Interrupts a turn at work, or removes a waiting one from the queue. A terminal turn stays as it is. */
  const cancelTurn = Effect.fnUntraced(function* (id: string, onlyQueued: boolean) {
    const existing = yield* turn(id)
    const { sessionId } = existing
    const cancelled = yield* Effect.result(change(sessionId, { _tag: "Cancel", turnId: id, onlyQueued }))
    if (Result.isSuccess(cancelled)) return cancelled.success.turn ?? existing
    if (cancelled.failure._tag === "StoreUnavailable") return yield* Effect.fail(cancelled.failure)
    return yield* turn(id)
  })

  /** Changes a session that the caller may see. */
  const changed = (id: string, command: Extract<Decide.Command, { readonly _tag: "Stop" | "Share" | "Unshare" }>) =>
    Effect.andThen(find(id), change(id, command)).pipe(
      Effect.map(({ session }) => session),
      Effect.catch((error) =>
        error._tag === "SessionNotFound" || error._tag === "StoreUnavailable" ? Effect.fail(error) : Effect.die(error)
      )
    )

  /** Stops a session that has been idle since then; false when it does not exist or has work again. */
  const stopIdle = (id: string, since_ms: number): Effect.Effect<boolean, StoreUnavailable> =>
    change(id, { _tag: "StopIdle", since_ms }).pipe(
      Effect.map(({ changed }) => changed),
      Effect.catch((error) => (error._tag === "StoreUnavailable" ? Effect.fail(error) : Effect.succeed(false)))
    )

  /** Deletes a stopped session that the caller may see. */
  const purge = Effect.fnUntraced(function* (id: string) {
    const { browserId } = yield* find(id)
    if (!(yield* store.purge(id))) return yield* new SessionBusy({ id })
    if (browserId !== null && recordings !== null) yield* recordings.forget(browserId)
  })

  return {
    create: (request: SessionRequest, record: Record) =>
      withFreshIds((refusals) => createUnder(refusals, request, record)),
    open: (request: OpenSessionRequest, record: Record) =>
      withFreshIds((refusals) => openUnder(refusals, request, record)),
    find,
    turn,
    queue: (message: Message, record: Record) => withFreshIds((refusals) => queueUnder(refusals, message, record)),
    ...RunChecks.make({ agent, box, pool, steps: store.stepsOf, turn }),
    cancelTurn: (id: string, { onlyQueued = false }: { readonly onlyQueued?: boolean } = {}) =>
      Effect.uninterruptible(cancelTurn(id, onlyQueued)),
    ...SessionQuestions.make({ change, store, turn }),
    stop: (id: string) => Effect.uninterruptible(changed(id, { _tag: "Stop" })),
    stopIdle: (id: string, since_ms: number) => Effect.uninterruptible(stopIdle(id, since_ms)),
    purge: (id: string) => Effect.uninterruptible(purge(id)),
    share: (id: string) => changed(id, { _tag: "Share" }),
    unshare: (id: string) => changed(id, { _tag: "Unshare" })
  }
})
