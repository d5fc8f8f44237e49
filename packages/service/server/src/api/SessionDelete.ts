import { ConflictError, SessionNotFoundError } from "@webagent/contract"
import type { Engine } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

const isBusy = ({ _tag }: { readonly _tag: string }) => _tag === "SessionBusy"

/** Stops a session and deletes it with all its records. */
export const deleteSession = (engine: Engine["Service"], sessionId: string) => {
  const id = sessionId.toLowerCase()
  return engine.stopSession(id).pipe(
    Effect.andThen(
      // most agents let go of a cancelled turn at once
      Effect.andThen(Effect.yieldNow, engine.purgeSession(id)).pipe(
        Effect.retry({ while: isBusy, times: 20 }),
        Effect.retry({ while: isBusy, times: 100, schedule: Schedule.spaced("100 millis") })
      )
    ),
    Effect.catchTags({
      SessionNotFound: () => Effect.fail(new SessionNotFoundError({ detail: "Session not found" })),
      SessionBusy: () =>
        Effect.fail(new ConflictError({ detail: "The session is stopped, but its agent isn't done yet. Try again" }))
    })
  )
}
