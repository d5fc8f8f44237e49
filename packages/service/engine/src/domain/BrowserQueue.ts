import * as Schema from "effect/Schema"
import { Moment, OptionalMoment } from "./Fields.ts"

/** Reasons why a run gets no browser yet: all are in use, its key has as many as it may have, or memory is short. */
const waitReasons = ["browsers", "key", "memory"] as const

/** The place of a run in the queue for a browser. */
export const QueuePlace = Schema.Struct({
  /** 1 is the next one that gets a browser, unless runs of keys with fewer browsers come in between. */
  position: Schema.Int,
  reason: Schema.Literals(waitReasons)
})

export type QueuePlace = typeof QueuePlace.Type

/** The wait of a run for a browser. A run that moves to another node keeps the time since which it waits. */
export const BrowserQueue = Schema.Struct({
  ...QueuePlace.fields,
  since_ms: Moment,
  /** When the run fails if it has no browser; null for no limit. */
  until_ms: OptionalMoment
})

export type BrowserQueue = typeof BrowserQueue.Type

/** Positions up to this one are stored whenever they change. */
const near = 10

/**
 * True if a place is worth a commit: the reason is another one, or the position is near the front, or half or twice the
 * stored one. So each run of a long queue is written a few times, however many leave it.
 */
export const isNews = (stored: QueuePlace | null, { position, reason }: QueuePlace): boolean =>
  stored === null ||
  reason !== stored.reason ||
  (position !== stored.position &&
    (position <= near || position <= stored.position / 2 || position >= stored.position * 2))

/** True if a place is news that can't wait: the first one of a run, or one near the front. */
export const isUrgent = (stored: QueuePlace | null, place: QueuePlace): boolean =>
  stored === null || (place.position <= near && isNews(stored, place))
