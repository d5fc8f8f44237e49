import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The response of a server that doesn't offer an operation: that to an unknown path. */
const notOffered = HttpServerResponse.jsonUnsafe({ detail: "Not Found" }, { status: 404 })

/** Carries out an operation over a port that a server may lack. */
export const withPort = <Port, A, E, R>(
  port: Port | null,
  use: (port: Port) => Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, E, R> =>
  port === null ? Effect.succeed(notOffered) : use(port)
