import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { LaunchFailed, StoreUnavailable } from "@webagent/engine"
import * as Answer from "./Answer.ts"

const later = (detail: string) => Answer.detail(503, detail, { "retry-after": "1" })

/** The server does not know when there is room again: a browser runs for minutes. */
const full = (detail: string) => Answer.detail(429, detail, { "retry-after": "5" })

/** The answer to what cannot be done right now; undefined for every other error. */
export const answer = (error: unknown): HttpServerResponse.HttpServerResponse | undefined => {
  if (error instanceof LaunchFailed) return error.reason === "full" ? full(error.message) : later(error.message)
  if (!(error instanceof StoreUnavailable)) return undefined
  return later(
    error.applied === "no"
      ? "The service cannot reach its store. Nothing was done: try again"
      : "The service lost its store on the way. Try again with the same Idempotency-Key, or look before you do"
  )
}
