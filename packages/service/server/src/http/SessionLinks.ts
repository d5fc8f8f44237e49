import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { type LinkTo, linkTo, recordingPath, sharePath } from "../api/Links.ts"
import { LinkTokens } from "../api/LinkTokens.ts"
import * as Conversion from "../api/v2/Conversion.ts"
import { Engine, type SessionWithTurns } from "@webagent/engine"
import * as Answer from "./Answer.ts"

/** A picture of one grey pixel: no session is recorded yet. */
const frame = Buffer.from("R0lGODlhAQABAIAAAMLCwgAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64")

/** A link to a session. It takes no key but a token, as the presigned links of the service do. */
const link = (
  path: typeof recordingPath | typeof sharePath,
  missing: string,
  show: (found: SessionWithTurns, linkTo: LinkTo) => HttpServerResponse.HttpServerResponse | undefined
) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const engine = yield* Engine
      const tokens = yield* LinkTokens
      const notFound = Answer.detail(404, missing)
      yield* router.add(
        "GET",
        path(":session_id"),
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const { session_id } = yield* HttpRouter.params
          const id = (session_id ?? "").toLowerCase()
          const { token } = yield* HttpServerRequest.ParsedSearchParams
          if (!tokens.opens(path(id), token)) return notFound
          return show(yield* engine.session(id), linkTo(tokens, request)) ?? notFound
        }).pipe(Effect.catchTag("SessionNotFound", () => Effect.succeed(notFound)))
      )
    })
  )

/** Where a `recordingUrl` leads, and a `publicShareUrl`: to the session as v2 shows it. */
export const layer = Layer.merge(
  link(recordingPath, "Recording not found", ({ session }) =>
    session.recording && session.status === "stopped"
      ? HttpServerResponse.uint8Array(frame, { contentType: "image/gif" })
      : undefined
  ),
  link(sharePath, "Session not found", (found, linkTo) =>
    found.session.shared ? HttpServerResponse.jsonUnsafe(Conversion.fromDomain(found, linkTo)) : undefined
  )
)
