import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { recordingPath } from "../api/Links.ts"
import { LinkTokens } from "../api/LinkTokens.ts"
import { Engine, SessionNotFound } from "@webagent/engine"
import * as Answer from "./Answer.ts"

/** A picture of one grey pixel: no session is recorded yet. */
const frame = Buffer.from("R0lGODlhAQABAIAAAMLCwgAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64")

/** Where a `recordingUrl` leads. It takes no key but a token, as the presigned links of the service do. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const engine = yield* Engine
    const tokens = yield* LinkTokens
    yield* router.add(
      "GET",
      recordingPath(":session_id"),
      Effect.gen(function* () {
        const { session_id } = yield* HttpRouter.params
        const id = (session_id ?? "").toLowerCase()
        const { token } = yield* HttpServerRequest.ParsedSearchParams
        if (!tokens.opens(recordingPath(id), token)) return yield* new SessionNotFound({ id })
        const { session } = yield* engine.session(id)
        return session.recording && session.status === "stopped"
          ? HttpServerResponse.uint8Array(frame, { contentType: "image/gif" })
          : Answer.detail(404, "Recording not found")
      }).pipe(Effect.catchTag("SessionNotFound", () => Effect.succeed(Answer.detail(404, "Recording not found"))))
    )
  })
)
