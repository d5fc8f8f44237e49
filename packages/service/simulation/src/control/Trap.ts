import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as KeyRedaction from "../journal/KeyRedaction.ts"
import { Journal } from "../journal/Journal.ts"
import { RealClock } from "../time/RealClock.ts"
import { clipped, longestPath } from "../journal/Requests.ts"
import { clippedOrNull } from "../requests/RequestRecord.ts"

/** Target of redirect faults: another origin that responds with `{}` and records which requests carried a key. */
export const trapPath = "/trap"

/** Answers what was led astray. */
export const make = Effect.fnUntraced(function* (apiKeys: ReadonlyArray<string>) {
  const journal = yield* Journal
  const keys = KeyRedaction.make(apiKeys)
  return Effect.withFiber((fiber) =>
    Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
      journal.recordUnsafe({
        type: "request",
        seq: 0,
        at_ms: fiber.getRef(Clock.Clock).currentTimeMillisUnsafe(),
        realAt_ms: fiber.getRef(RealClock).currentTimeMillisUnsafe(),
        operation: "trap",
        resource: null,
        create: null,
        attempt: 1,
        after: journal.lastUnsafe(),
        method: request.method,
        path: clipped(keys.redact(request.url), longestPath),
        apiKey: keys.digestOf(request),
        idempotencyKey: clippedOrNull(request.headers["idempotency-key"]),
        userAgent: clippedOrNull(request.headers["user-agent"]),
        status: 200,
        retryAfter_ms: null,
        answered: "whole",
        made: null,
        fault: null,
        duration_ms: 0
      })
      return HttpServerResponse.jsonUnsafe({})
    })
  )
})

/** The trap as routes of a server that has nothing to do with the service. */
export const layer = (apiKeys: ReadonlyArray<string>) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      yield* router.add("*", `${trapPath}/*`, yield* make(apiKeys))
    })
  )
