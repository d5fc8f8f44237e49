import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { AdmissionRefused, LaunchFailed, StoreUnavailable } from "@webagent/engine"
import * as ErrorResponse from "./ErrorResponse.ts"

const later = (detail: string) => ErrorResponse.make(503, detail, { "retry-after": "1" })

/** When a browser ends is unknown, so this is a guess. */
const full = (detail: string) => ErrorResponse.make(429, detail, { "retry-after": "5" })

/** The response to an error that passes with time; undefined for every other error. */
export const answer = (error: unknown): HttpServerResponse.HttpServerResponse | undefined => {
  if (error instanceof AdmissionRefused) {
    const { message, retryAfter_ms } = error
    return ErrorResponse.make(429, message, { "retry-after": String(Math.max(1, Math.ceil(retryAfter_ms / 1000))) })
  }
  if (error instanceof LaunchFailed) return error.reason === "full" ? full(error.message) : later(error.message)
  if (!(error instanceof StoreUnavailable)) return undefined
  return later(
    error.applied === "no"
      ? "The service cannot reach its store. Nothing was done: try again"
      : "The service lost its store on the way. Try again with the same Idempotency-Key, or look before you do"
  )
}
