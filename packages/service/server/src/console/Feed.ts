import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"

/** A change of a record, as the console's WebSocket sends it. */
export interface FeedEvent {
  /** The position with which a page continues. */
  readonly id: string
  readonly event: string
  /** The record as it is now. */
  readonly data: unknown
}

/** The changes that a page asks for. */
export interface FeedRequest {
  /** The position of the last event that the page has; null is from now on. */
  readonly after: string | null
  /** The run whose steps and model calls to send. */
  readonly run: string | null
}

/** Streams the changes that the caller may see, as long as the server runs. */
export type FeedService = (request: FeedRequest) => Stream.Stream<FeedEvent, unknown>

/** The changes of records; null for a server without events. */
export const Feed: Context.Reference<FeedService | null> = Context.Reference("@webagent/server/Feed", {
  defaultValue: (): FeedService | null => null
})
