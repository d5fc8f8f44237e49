import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Browser } from "../domain/Browser.ts"
import type { SessionState } from "../domain/Decide.ts"
import type { Event } from "../domain/Event.ts"
import type { IdempotencyRecord } from "../domain/IdempotencyRecord.ts"
import type { ModelCall } from "../domain/ModelCall.ts"
import type { Node } from "../domain/Node.ts"
import type { StoredMessage } from "../domain/StoredMessage.ts"
import type { Session } from "../domain/Session.ts"
import type { Turn, TurnStep } from "../domain/Turn.ts"
import type { AdmissionRefused } from "../domain/Errors.ts"
import type { Lists } from "./Lists.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** Another step changed a record of this step first. Nothing was written: read the record again and decide again. */
export class Conflict extends Data.TaggedError("Conflict")<{ readonly id: string }> {}

/** The store wrote nothing, because an earlier step used the same key. `record` is what that step made. */
export class KeyTaken extends Data.TaggedError("KeyTaken")<{ readonly record: IdempotencyRecord }> {}

export { StoreUnavailable } from "./StoreUnavailable.ts"

/** Stores that an idempotency key made a record. Runs inside the commit that writes the record, before it. */
export type Keep<A> = (made: A, at_ms: number) => Effect.Effect<void, KeyTaken | StoreUnavailable>

/** Checks a create, inside the commit that writes it. */
export type Admit = Effect.Effect<void, AdmissionRefused | StoreUnavailable>

/**
 * Records that one step of the engine writes: all of them or none. The revision of a session or browser is one more
 * than the stored one. Revision 1 is a new record, and the store must not have one with its id. Turns have no revision:
 * a step that writes turns also writes their session, whose revision guards them.
 */
export interface Step {
  readonly session?: Session
  /** New or changed turns of `session`. */
  readonly turns?: ReadonlyArray<Turn>
  /** Steps that agents begin or end. A step replaces the stored one with the same `turnId` and `ordinal`. */
  readonly turnSteps?: ReadonlyArray<TurnStep>
  /** Model calls of agents. A call replaces the stored one with the same `turnId` and `ordinal`. */
  readonly modelCalls?: ReadonlyArray<ModelCall>
  readonly message?: StoredMessage
  readonly browser?: Browser
  /** A browser that never got a place: deleted if it is stored with this revision. */
  readonly unplaced?: Browser
  /**
   * The store refuses the step with `KeyTaken` if a record with this key, or with its other digest, has not expired at
   * `key.createdAt_ms`.
   */
  readonly key?: IdempotencyRecord
  /** The key of a create that failed: deleted, so that a repeat runs. */
  readonly forgetKey?: string
  /** Changes, for readers of `eventsAfter`. */
  readonly events: ReadonlyArray<Event>
  /** Runs inside the commit of a step that is not refused. If it fails, the commit writes nothing. */
  readonly also?: Admit
}

/** An event with its cursor. Cursors grow in the order of commits, from 1. */
export interface StoredEvent {
  readonly cursor: number
  readonly event: Event
}

/** Reads the log of all changes, of all owners. */
export type EventLog = Pick<Store["Service"], "eventsAfter" | "eventsOf" | "newestEvent" | "oldestEvent">

/** The sessions and browsers that are not over. */
export interface Unfinished {
  /** The ids of sessions that hold a lease or have a turn that is not terminal, the longest waiting first. */
  readonly sessions: ReadonlyArray<string>
  /** The ids of browsers that are not stopped. */
  readonly browsers: ReadonlyArray<string>
}

/** Limits for `prune`, which deletes only finished records, starting with those that finished first. */
export interface Retention {
  /** Stopped sessions with their turns, and stopped browsers, that finished at this time or before. */
  readonly finishedUntil_ms?: number
  /** Turns of active sessions that finished at this time or before. */
  readonly turnsUntil_ms?: number
  /** Of the turns that finished exactly at `turnsUntil_ms`, those with an id up to this one (default: all). */
  readonly turnsUntilId?: string
  /** Idempotency records created at this time or before. */
  readonly keysUntil_ms?: number
  /** Events up to this cursor. */
  readonly eventsUntil?: number
  /** Maximum number of events that one call deletes, because they are small and many; `limit` by default. */
  readonly eventsLimit?: number
  /** Maximum number of records of each kind that one call deletes. */
  readonly limit: number
}

/** Number of deleted records of each kind. */
export interface Pruned {
  readonly sessions: number
  readonly turns: number
  readonly browsers: number
  readonly keys: number
  readonly events: number
}

/** All records of a store, in the order of their creation. */
export interface Records {
  readonly sessions: ReadonlyArray<Session>
  readonly turns: ReadonlyArray<Turn>
  readonly turnSteps: ReadonlyArray<TurnStep>
  readonly modelCalls: ReadonlyArray<ModelCall>
  readonly messages: ReadonlyArray<StoredMessage>
  readonly browsers: ReadonlyArray<Browser>
  readonly idempotencyRecords: ReadonlyArray<IdempotencyRecord>
}

type Read<A> = Effect.Effect<A, StoreUnavailable>

/**
 * The port to where the engine keeps its records. Only engines write to it, and a read after a commit sees the commit.
 * Several engines may share one store: revisions prevent them from overwriting each other.
 */
export class Store extends Context.Service<
  Store,
  {
    /** True if all records are in the memory of this process, so that reads cost nothing. */
    readonly isInMemory?: boolean
    /** Writes one step. The store checks the key before the revisions, so a repeated create is always `KeyTaken`. */
    readonly commit: (step: Step) => Effect.Effect<void, AdmissionRefused | Conflict | KeyTaken | StoreUnavailable>

    readonly session: (id: string) => Read<Option.Option<Session>>
    /** A session with its open turns, from one snapshot. */
    readonly sessionState: (id: string) => Read<Option.Option<SessionState>>
    readonly turn: (id: string) => Read<Option.Option<Turn>>
    /** The turns of a session, in the order of their creation. */
    readonly turnsOf: (sessionId: string) => Read<ReadonlyArray<Turn>>
    /** The steps of a turn, by ordinal. */
    readonly stepsOf: (turnId: string) => Read<ReadonlyArray<TurnStep>>
    /** The model calls of a turn, by ordinal. */
    readonly modelCallsOf: (turnId: string) => Read<ReadonlyArray<ModelCall>>
    readonly message: (id: string) => Read<Option.Option<StoredMessage>>
    readonly browser: (id: string) => Read<Option.Option<Browser>>
    /** The record with this digest, as its key or as its other digest, even if it has expired. */
    readonly idempotencyRecord: (key: string) => Read<Option.Option<IdempotencyRecord>>

    /** The oldest sessions and browsers that are not over, at any node. Stores need an index for it. */
    readonly unfinished: (limit: number) => Read<Unfinished>
    /**
     * Extends a node's lease by this long, by the store's clock, and stores the node's record. False when another node
     * found it lost: that is final, and the node must go on under another id. Set `isKnown` for a node that renewed
     * before: then the answer is also false when the store does not know the node, because the store forgets a node a
     * day after its lease has ended.
     */
    readonly renew: (node: Node, ttl_ms: number, isKnown?: boolean) => Effect.Effect<boolean, StoreUnavailable>
    /** The records of the nodes whose lease has not ended, ordered by id. */
    readonly nodes: Read<ReadonlyArray<Node>>
    /**
     * The records of the nodes whose lease has ended but that no node found lost. They may only be late, as all nodes
     * are after an outage of the store.
     */
    readonly silent: Read<ReadonlyArray<Node>>
    /**
     * Makes a node drain, whatever `renew` says of it later, or lets it take work again; then a node that reports itself
     * as draining drains again from its next `renew`. False when no node with this id has a lease.
     */
    readonly drain: (node: string, isDraining?: boolean) => Effect.Effect<boolean, StoreUnavailable>
    /** The record of a node whose lease has not ended. */
    readonly node: (id: string) => Read<Option.Option<Node>>
    /** Ends the lease of a node now. The node counts as lost. */
    readonly leave: (node: string) => Effect.Effect<void, StoreUnavailable>
    /**
     * True if the node's lease has expired, by the store's clock. A node that is found lost can't renew its lease. A
     * node that never renewed is lost.
     */
    readonly isLost: (node: string) => Effect.Effect<boolean, StoreUnavailable>
    /** The cancelled turns whose agent at this node has not let go yet. */
    readonly cancelledAt: (node: string) => Read<ReadonlyArray<Turn>>
    /** The sessions that have a lease of this node. */
    readonly leasedTo: (node: string) => Read<ReadonlyArray<Session>>
    /** The ids of the browsers of this node that are still starting. */
    readonly startingAt: (node: string) => Read<ReadonlyArray<string>>
    /**
     * Work that a node may take over: sessions with open turns and no lease, and the sessions and browsers of nodes
     * whose lease has expired. Those that have waited longest come first.
     */
    readonly abandoned: (limit: number) => Read<Unfinished>

    /**
     * The next events after a cursor, at most this many; 0 is before the first. Cursors have no gaps, so a first event
     * that is not the next one shows that events before it were pruned.
     */
    readonly eventsAfter: (cursor: number, limit: number) => Read<ReadonlyArray<StoredEvent>>
    /**
     * Deletes a session with its turns, their steps and its messages. False if it isn't stopped, or if an agent still
     * works on it. A record of an idempotency key keeps a copy of what it created until it expires.
     */
    readonly purge: (sessionId: string) => Effect.Effect<boolean, StoreUnavailable>
    /** As `eventsAfter`, of one turn and its steps. */
    readonly eventsOf: (turnId: string, cursor: number, limit: number) => Read<ReadonlyArray<StoredEvent>>
    /** The cursor of the newest event that was ever stored; 0 if there was none. */
    readonly newestEvent: Read<number>
    /** The cursor of the oldest event that is still stored, or of the next one. */
    readonly oldestEvent: Read<number>
    /** Deletes records that ended long ago. */
    readonly prune: (retention: Retention) => Effect.Effect<Pruned, StoreUnavailable>

    /** Pages of turns, sessions and browsers, with counts and spend, of any owner. */
    readonly lists: Lists

    /** All records, from one snapshot: for copies, and for stores that fit into memory. */
    readonly records: Read<Records>
  }
>()("@webagent/engine/Store") {}
