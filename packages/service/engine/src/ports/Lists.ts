import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Browser from "../domain/Browser.ts"
import type { Decimal } from "../domain/Decimal.ts"
import type * as Session from "../domain/Session.ts"
import type * as Turn from "../domain/Turn.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** A place in a list: the creation time of a row, and the number of its creation, which never changes either. */
export interface Place {
  /** Milliseconds since 1970. */
  readonly at_ms: number
  readonly n: number
}

/**
 * Rows of a list, newest first. A page may have fewer rows than its limit, or none, and still a `next`: a page looks at
 * a bounded number of rows, so that its time doesn't depend on the size of the store. Continue while `next` is not null.
 */
export interface Page<A> {
  readonly rows: ReadonlyArray<A>
  /** The place after which the list continues; null at its end. */
  readonly next: Place | null
}

/** Creation times, from the first to before the second, in milliseconds since 1970. */
interface Created {
  readonly from_ms?: number
  readonly to_ms?: number
}

/** Selects turns. Every field that is present has to match. */
export interface TurnFilter extends Created {
  /** One of these; no turn matches an empty array. */
  readonly statuses?: ReadonlyArray<Turn.TurnStatus>
  readonly owner?: string
  readonly sessionId?: string
  readonly model?: string
  /** The node that worked on it last. */
  readonly node?: string
  readonly tag?: string
  /** True for those that wait for a person. */
  readonly waiting?: true
  readonly failure?: string
  /** USD, of turns that cost this much or more. */
  readonly minCost?: Decimal
  /**
   * Words of the task, in any order and case; the last one also matches as the beginning of a word if it has three
   * letters or more. A list with a text is in the order of creation numbers, which differs from that of times if clocks
   * differ.
   */
  readonly text?: string
}

/** Selects sessions. */
export interface SessionFilter extends Created {
  readonly statuses?: ReadonlyArray<Session.Session["status"]>
  readonly owner?: string
}

/** Selects browsers. */
export interface BrowserFilter extends Created {
  readonly statuses?: ReadonlyArray<Browser.Browser["status"]>
  readonly owner?: string
  readonly node?: string
}

/** Selects turns to count: counts are by status, and a text isn't counted. */
export type TurnCountFilter = Omit<TurnFilter, "statuses" | "text">

/** A number of rows; there are at least this many if `more` is true, because counting stops at a limit. */
export interface Count {
  readonly count: number
  readonly more: boolean
}

/** Counts of rows by status. */
export type Counts<Status extends string> = Readonly<Record<Status, Count>>

/** Selects finished turns by the time when they finished, from the first to before the second; whole UTC days. */
export interface SpendFilter {
  readonly from_ms: number
  readonly to_ms: number
  readonly owner?: string
}

/** The cost of the turns that finished on one UTC day, of one owner and one model. */
export interface Spend {
  /** The beginning of the day, in milliseconds since 1970. */
  readonly day_ms: number
  readonly owner: string | null
  readonly model: string
  /** Number of finished turns. */
  readonly turns: number
  /** USD. */
  readonly cost: Decimal
  readonly inputTokens: number
  readonly outputTokens: number
}

/**
 * Lists aren't complete yet, because the server is still building them after an update: the `cause` of a
 * `StoreUnavailable`. Everything else works meanwhile.
 */
export class ListsPreparing extends Data.TaggedError("ListsPreparing")<{
  /** Percentage of the records that lists contain, rounded down. */
  readonly percent: number
}> {
  override get message(): string {
    return `Lists are being prepared after an update: ${this.percent} %. Try again later`
  }
}

type Read<A> = Effect.Effect<A, StoreUnavailable>

/**
 * Pages of stored records, newest first. A walk over all pages returns every row at most once, and exactly once if it
 * was there before the walk and matched all the time. A row that changes during the walk may be missing, or may be
 * returned although it no longer matches.
 */
export interface Lists {
  readonly turns: (filter: TurnFilter, after: Place | null, limit: number) => Read<Page<Turn.Turn>>
  readonly sessions: (filter: SessionFilter, after: Place | null, limit: number) => Read<Page<Session.Session>>
  readonly browsers: (filter: BrowserFilter, after: Place | null, limit: number) => Read<Page<Browser.Browser>>
  /** Counts turns by status, at most this many of each; may be a second old. */
  readonly turnCounts: (filter: TurnCountFilter, most: number) => Read<Counts<Turn.TurnStatus>>
  readonly sessionCounts: (
    filter: Omit<SessionFilter, "statuses">,
    most: number
  ) => Read<Counts<Session.Session["status"]>>
  readonly browserCounts: (
    filter: Omit<BrowserFilter, "statuses">,
    most: number
  ) => Read<Counts<Browser.Browser["status"]>>
  /** The cost of finished turns by day, owner and model, in this order. */
  readonly spend: (filter: SpendFilter) => Read<ReadonlyArray<Spend>>
  /**
   * Finished turns that cost something, the costliest first, at most `limit`. It looks at a bounded number of the store's
   * costliest turns, so there may be fewer than `limit` if most of these don't match.
   */
  readonly costliest: (filter: SpendFilter, limit: number) => Read<ReadonlyArray<Turn.Turn>>
}
