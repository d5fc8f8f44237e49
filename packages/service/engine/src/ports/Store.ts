import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Browser } from "../domain/Browser.ts"
import type { SessionState } from "../domain/Decide.ts"
import type { Event } from "../domain/Event.ts"
import type { IdempotencyRecord } from "../domain/IdempotencyRecord.ts"
import type { Node } from "../domain/Node.ts"
import type { StoredMessage } from "../domain/StoredMessage.ts"
import type { Session } from "../domain/Session.ts"
import type { Turn, TurnStep } from "../domain/Turn.ts"

/** A record is not as the step expects it: read again, decide again. Nothing was written. */
export class Conflict extends Data.TaggedError("Conflict")<{ readonly id: string }> {}

/** The step's key was used before: here is what was made with it then. Nothing was written. */
export class KeyTaken extends Data.TaggedError("KeyTaken")<{ readonly record: IdempotencyRecord }> {}

/**
 * The store does not answer. `applied` says what became of a commit: `no`, it was not carried out; `unknown`, it may
 * have been. A read is always `no`.
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly applied: "no" | "unknown"
  readonly cause: unknown
}> {
  /** What the database, its driver or the network said first. */
  override get message(): string {
    let first = this.cause
    while (first instanceof Error && first.cause !== undefined) first = first.cause
    // a host with several addresses refuses at each of them
    if (first instanceof AggregateError) return first.errors.map(({ message }: Error) => message).join(", ")
    return first instanceof Error ? first.message : String(first)
  }
}

/**
 * What one step of the engine writes, all of it or nothing.
 *
 * A session or browser in it has the revision after the one it was read with: the store must have exactly one less,
 * and nothing at all where it is 1. Turns have no revision of their own: a step that writes turns writes their session
 * too, whose revision guards them all.
 */
export interface Step {
  readonly session?: Session
  /** New or changed turns of `session`. */
  readonly turns?: ReadonlyArray<Turn>
  /** Steps that agents begin or end: `turnId` and `ordinal` name one, and the newest record counts. */
  readonly turnSteps?: ReadonlyArray<TurnStep>
  readonly message?: StoredMessage
  readonly browser?: Browser
  /** Refused with `KeyTaken` when a record with this key is there that is not expired at `key.createdAt_ms`. */
  readonly key?: IdempotencyRecord
  /** The key of a create that failed: deleted, so that a repeat runs. */
  readonly forgetKey?: string
  /** What changed, to be read after a cursor. */
  readonly events: ReadonlyArray<Event>
  /** Runs inside of the commit, unless that is refused: what it stores is stored with it, and its failure undoes all. */
  readonly also?: Effect.Effect<void, StoreUnavailable>
}

/** An event with its place. Cursors grow in the order of commits; the first is 1. */
export interface StoredEvent {
  readonly cursor: number
  readonly event: Event
}

/** What is there of sessions and browsers that are not over. */
export interface Unfinished {
  /** The ids of sessions that hold a lease or have a turn that is not terminal, the longest waiting first. */
  readonly sessions: ReadonlyArray<string>
  /** The ids of browsers that are not stopped. */
  readonly browsers: ReadonlyArray<string>
}

/** What is kept how long. Only what is over is ever forgotten, the longest over first. */
export interface Retention {
  /** Stopped sessions with all their turns, stopped browsers: those that finished at this time or before. */
  readonly finishedUntil_ms?: number
  /** Turns of sessions that go on: those that finished at this time or before. */
  readonly turnsUntil_ms?: number
  /** Of those that finished at `turnsUntil_ms` itself, the ones with an id up to this; all of them unless given. */
  readonly turnsUntilId?: string
  /** Idempotency records that were made at this time or before. */
  readonly keysUntil_ms?: number
  /** Events up to this cursor. */
  readonly eventsUntil?: number
  /** How many records of each kind go at most in one call. */
  readonly limit: number
}

/** How many records of each kind were forgotten. */
export interface Pruned {
  readonly sessions: number
  readonly turns: number
  readonly browsers: number
  readonly keys: number
  readonly events: number
}

/** Everything that there is, in the order in which it was created. */
export interface Records {
  readonly sessions: ReadonlyArray<Session>
  readonly turns: ReadonlyArray<Turn>
  readonly turnSteps: ReadonlyArray<TurnStep>
  readonly messages: ReadonlyArray<StoredMessage>
  readonly browsers: ReadonlyArray<Browser>
  readonly idempotencyRecords: ReadonlyArray<IdempotencyRecord>
}

/** A read. */
type Read<A> = Effect.Effect<A, StoreUnavailable>

/**
 * The port to whatever remembers. Engines are its only writers; a read after a commit sees the commit. Several
 * engines may share one store: revisions keep them from overwriting each other.
 */
export class Store extends Context.Service<
  Store,
  {
    /**
     * Writes one step. The store checks the key first, then the revisions, so a repeat of a create is always
     * `KeyTaken`.
     */
    readonly commit: (step: Step) => Effect.Effect<void, Conflict | KeyTaken | StoreUnavailable>

    readonly session: (id: string) => Read<Option.Option<Session>>
    /** A session with what is still to be done, read at one moment. */
    readonly sessionState: (id: string) => Read<Option.Option<SessionState>>
    readonly turn: (id: string) => Read<Option.Option<Turn>>
    /** The turns of a session in the order in which they were created. */
    readonly turnsOf: (sessionId: string) => Read<ReadonlyArray<Turn>>
    /** The steps of a turn in their order. */
    readonly stepsOf: (turnId: string) => Read<ReadonlyArray<TurnStep>>
    readonly message: (id: string) => Read<Option.Option<StoredMessage>>
    readonly browser: (id: string) => Read<Option.Option<Browser>>
    /** An expired record is included. */
    readonly idempotencyRecord: (key: string) => Read<Option.Option<IdempotencyRecord>>

    /** What is not over, whichever node holds it; by an index, never by reading everything. */
    readonly unfinished: (limit: number) => Read<Unfinished>
    /**
     * A node says that it is alive for this much longer, by the store's clock, whatever its own says, and tells of
     * itself. False when it was found lost: it is so for good, and goes on under another id. `isKnown` is for a node
     * that renewed before: false, too, when the store does not know it, because the store forgets a node a day after
     * its time is over.
     */
    readonly renew: (node: Node, ttl_ms: number, isKnown?: boolean) => Effect.Effect<boolean, StoreUnavailable>
    /** What the nodes tell of themselves whose time is not over, by their ids. */
    readonly nodes: Read<ReadonlyArray<Node>>
    /**
     * What the nodes told of themselves whose time is over, but which were not found lost: they may only be late, as
     * all are after an outage of the store.
     */
    readonly silent: Read<ReadonlyArray<Node>>
    /** Has a node drain from now on, whatever it tells of itself later; false when no node with this id lives. */
    readonly drain: (node: string) => Effect.Effect<boolean, StoreUnavailable>
    /** What a node tells of itself, whose time is not over. */
    readonly node: (id: string) => Read<Option.Option<Node>>
    /** The node ends its time now, for good. */
    readonly leave: (node: string) => Effect.Effect<void, StoreUnavailable>
    /**
     * Whether the node's time is over, by the store's clock. One that is found so cannot renew any more. One that never
     * renewed has no time.
     */
    readonly isLost: (node: string) => Effect.Effect<boolean, StoreUnavailable>
    /** The turns that a node has at work although they are cancelled. */
    readonly cancelledAt: (node: string) => Read<ReadonlyArray<Turn>>
    /**
     * What a node may take over: sessions without a lease that have something to do, and sessions and browsers of nodes
     * whose time is over. The longest waiting first.
     */
    readonly abandoned: (limit: number) => Read<Unfinished>

    /** Events after a cursor, in order, at most this many; 0 is before the first. Pruned ones are left out. */
    readonly eventsAfter: (cursor: number, limit: number) => Read<ReadonlyArray<StoredEvent>>
    /** Deletes what ended long ago. */
    readonly prune: (retention: Retention) => Effect.Effect<Pruned, StoreUnavailable>

    /** Everything at one moment: for copies, and for stores that fit into memory. */
    readonly records: Read<Records>
    /** Replaces everything with these records. Events and nodes are deleted too. */
    readonly replace: (records: Records) => Effect.Effect<void, StoreUnavailable>
  }
>()("@webagent/engine/Store") {}
