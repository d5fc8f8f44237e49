import { Engine, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as LazyGroup from "../../api/LazyGroup.ts"
import * as Links from "../../api/Links.ts"
import { ServerApi } from "./ServerApi.ts"
import * as ErrorResponse from "../policy/ErrorResponse.ts"

const viewOf =
  ({ recording }: Links.Links, { status, steps }: Turn.Turn) =>
  ({ address, beganAt_ms, ended, ordinal, picture, summary }: Turn.TurnStep) => {
    // a step that ended with its run has no outcome
    const isCut = ended === undefined && ordinal === steps && (status === "failed" || status === "cancelled")
    const failure = isCut ? Turn.cutShort : (ended?.failure ?? null)
    return {
      number: ordinal,
      beganAt: new Date(beganAt_ms).toISOString(),
      address,
      summary,
      outcome: failure !== null ? "failed" : ended === undefined ? null : "succeeded",
      failure,
      durationMs: ended === undefined ? null : ended.at_ms - beganAt_ms,
      pictureUrl: picture === null ? null : recording(picture)
    }
  }

/** The steps of a run so far, and the links to its browser. A key that may read a run may read its steps. */
export const layer = LazyGroup.make(ServerApi, "steps", function* (handlers) {
  const engine = yield* Engine
  const linksOf = yield* Links.make
  const notFound = () => Effect.succeed(ErrorResponse.make(404, "Run not found"))

  return handlers.handle("list", ({ request }) =>
    Effect.gen(function* () {
      const { run_id = "" } = yield* HttpRouter.params
      const turn = yield* engine.turn(run_id.toLowerCase())
      const { session } = yield* engine.session(turn.sessionId)
      const links = yield* linksOf(request, session.browserId)
      const { browserId, recording, status } = session
      return HttpServerResponse.jsonUnsafe({
        runId: turn.id,
        liveUrl: links.live(status === "stopped" ? null : browserId),
        recordingUrl: recording && browserId !== null && status === "stopped" ? links.recording(browserId) : null,
        steps: (yield* engine.steps(turn.id)).map(viewOf(links, turn))
      })
    }).pipe(Effect.catchTags({ TurnNotFound: notFound, SessionNotFound: notFound }))
  )
})
