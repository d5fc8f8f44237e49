import type { RequestEntry } from "@webagent/control"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The caller's connection is gone, or was never had. Only callers without a socket see this error as it is. */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{
  readonly code: "ECONNREFUSED" | "ECONNRESET"
}> {
  override get message() {
    return this.code === "ECONNREFUSED" ? "connect ECONNREFUSED" : "read ECONNRESET"
  }
}

/** An answer that is not given as answers are: piece by piece, and perhaps not to its end. */
export interface Script {
  /** Null when not even a head is sent. Its `content-length` is the one of the whole body. */
  readonly head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | null
  /** Pieces of the body, each `after_ms` after the one before. */
  readonly pieces: ReadonlyArray<{ readonly after_ms: number; readonly bytes: Uint8Array }>
  /** Pause before the end, in milliseconds; `Infinity` until the caller leaves. */
  readonly pause_ms: number
  /** The end of the body, of the connection, or a reset of it. */
  readonly end: "complete" | "close" | "reset"
}

/** The part of a response that arrived. */
export type Answered = (typeof RequestEntry.Type)["answered"]

/** The port to the caller's connection: what faults do to it. */
export class FaultDelivery extends Context.Service<
  FaultDelivery,
  {
    /**
     * Plays the script to the caller of the request. `ended` is called once, before its end can be seen. The
     * response is what is left to be sent, which is nothing where there is a socket.
     */
    readonly deliver: (
      request: HttpServerRequest.HttpServerRequest,
      script: Script,
      ended: (answered: Answered) => void
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, ConnectionLost>
    /** Cuts every connection and refuses new ones for this long; ends as soon as it is so. */
    readonly refuseConnections: (span: Duration.Duration) => Effect.Effect<void>
    /** Ends the outage early. Clients can connect again when this effect has ended. */
    readonly acceptConnections: Effect.Effect<void>
  }
>()("@webagent/simulation/FaultDelivery") {}
