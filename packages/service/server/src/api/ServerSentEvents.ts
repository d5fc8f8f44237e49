import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"

/** An event as it is sent. A client that comes back sends the last `id` in `Last-Event-ID`. */
export interface ServerSentEvent {
  readonly id: number
  readonly event: string
  /** Sent as JSON. */
  readonly data: unknown
}

/** Returns whether a request asks for a stream of events, by its `Accept`. */
export const isWanted = (accept: string | undefined): boolean => /(?:^|,)\s*text\/event-stream\b/iu.test(accept ?? "")

/** Returns the position in a `Last-Event-ID`; undefined if there is none, and null if it isn't one of this server. */
export const positionOf = (lastEventId: string | undefined): number | null | undefined => {
  if (lastEventId === undefined || lastEventId === "") return undefined
  return /^\d{1,15}$/u.test(lastEventId) ? Number(lastEventId) : null
}

const encoder = new TextEncoder()

// JSON has no line breaks, and the names of events are this server's
const encode = ({ data, event, id }: ServerSentEvent) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** A response that sends events as they come. A comment is sent at once, so that the client gets the headers. */
export const respond = (events: Stream.Stream<ServerSentEvent>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(
    Stream.concat(
      Stream.make(encoder.encode(":\n\n")),
      Stream.mapArray(events, (some) => [encoder.encode(some.map(encode).join(""))])
    ),
    {
      contentType: "text/event-stream",
      // a proxy that collects the response would hold events back
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
    }
  )
