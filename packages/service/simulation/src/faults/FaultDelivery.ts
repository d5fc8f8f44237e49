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
     * Plays a response to the caller of a request, piece by piece.
     *
     * @param request - The request.
     * @param script - The status, the headers, the pieces of the body with their pauses in milliseconds, and the end.
     * @param ended - Called once, before the caller can see the end.
     * @returns The rest of the response. With a socket, nothing is left to send.
     * @throws `ConnectionLost` if there is no socket, and the script ends with a lost connection.
     * @example
     * ```ts
     * import { FaultDelivery } from "@webagent/simulation"
     * import type * as HttpServerRequest from "effect/http/HttpServerRequest"
     *
     * export const reset = (request: HttpServerRequest.HttpServerRequest) =>
     *   FaultDelivery.use(({ deliver }) =>
     *     deliver(request, { head: null, pieces: [], pause_ms: 0, end: "reset" }, (answered) => console.log(answered))
     *   )
     * ```
     */
    readonly deliver: (
      request: HttpServerRequest.HttpServerRequest,
      script: Script,
      ended: (answered: Answered) => void
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, ConnectionLost>
    /**
     * Cuts every connection, and refuses new ones for some time.
     *
     * @param span - The length of the outage.
     * @returns An effect that succeeds once the outage has begun.
     * @example
     * ```ts
     * import { FaultDelivery } from "@webagent/simulation"
     * import * as Duration from "effect/Duration"
     *
     * export const outage = FaultDelivery.use(({ refuseConnections }) => refuseConnections(Duration.seconds(30)))
     * ```
     */
    readonly refuseConnections: (span: Duration.Duration) => Effect.Effect<void>
    /** Ends the outage early. Clients can connect again when this effect has ended. */
    readonly acceptConnections: Effect.Effect<void>
  }
>()("@webagent/simulation/FaultDelivery") {}
