import { ListsPreparing } from "@webagent/engine"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Refusal } from "../../api/Refusal.ts"
import * as ErrorResponse from "./ErrorResponse.ts"

const retryLater = (status: 429 | 503, detail: string, wait_s: number) =>
  ErrorResponse.make(status, detail, { "retry-after": String(wait_s) })

/** Delay before a retry when all browsers are in use or lists are being prepared; a guess of how long that takes. */
const busyRetryAfter_s = 5

/** Returns the response to a refusal: 429 or 503 with `Retry-After`, or 404 or 422 because of a profile. */
export const make = (refusal: Refusal): HttpServerResponse.HttpServerResponse => {
  switch (refusal._tag) {
    case "AdmissionRefused":
      return retryLater(429, refusal.message, Math.max(1, Math.ceil(refusal.retryAfter_ms / 1000)))
    case "LaunchFailed":
      return refusal.reason === "full"
        ? retryLater(429, refusal.message, busyRetryAfter_s)
        : retryLater(503, refusal.message, 1)
    case "ProfileNotFound":
      return ErrorResponse.make(404, "Profile not found")
    case "ProfileUnusable":
      return HttpServerResponse.jsonUnsafe(
        { detail: [{ loc: ["body", "profileId"], msg: refusal.message, type: "value_error" }] },
        { status: 422 }
      )
    case "StoreUnavailable": {
      if (refusal.cause instanceof ListsPreparing) return retryLater(503, refusal.message, busyRetryAfter_s)
      const detail =
        refusal.applied === "no"
          ? "The service cannot reach its store. Nothing was done: try again"
          : "The service lost its store on the way. Try again with the same Idempotency-Key, or look before you do"
      return retryLater(503, detail, 1)
    }
  }
}
