import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { LinkTokens } from "./LinkTokens.ts"
import { origin } from "./Origin.ts"

/** The address of a path of this server that opens without a key. */
export type LinkTo = (path: string) => string

/** Links that start where the caller came and carry the token that opens them. */
export const linkTo =
  (tokens: LinkTokens["Service"], request: HttpServerRequest.HttpServerRequest): LinkTo =>
  (path) =>
    `${origin(request)}${path}?token=${tokens.of(path)}`

/** The path of a session's recording, also as a route with `:session_id`. */
export const recordingPath = <const Id extends string>(sessionId: Id) => `/recordings/${sessionId}` as const

/** The path of a session that is shared, also as a route with `:session_id`. */
export const sharePath = <const Id extends string>(sessionId: Id) => `/share/${sessionId}` as const
