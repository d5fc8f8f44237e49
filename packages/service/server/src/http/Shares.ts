import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { linkTo, sharePath } from "../api/Links.ts"
import { LinkTokens } from "../api/LinkTokens.ts"
import * as Conversion from "../api/v2/Conversion.ts"
import { Engine, SessionNotFound } from "@webagent/engine"
import * as Answer from "./Answer.ts"

/** Where a `publicShareUrl` leads: to the session as v2 shows it. It takes no key but a token, as recordings do. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const engine = yield* Engine
    const tokens = yield* LinkTokens
    yield* router.add(
      "GET",
      sharePath(":session_id"),
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { session_id } = yield* HttpRouter.params
        const id = (session_id ?? "").toLowerCase()
        const { token } = yield* HttpServerRequest.ParsedSearchParams
        if (!tokens.opens(sharePath(id), token)) return yield* new SessionNotFound({ id })
        const found = yield* engine.session(id)
        if (!found.session.shared) return yield* new SessionNotFound({ id })
        return HttpServerResponse.jsonUnsafe(Conversion.fromDomain(found, linkTo(tokens, request)))
      }).pipe(Effect.catchTag("SessionNotFound", () => Effect.succeed(Answer.detail(404, "Session not found"))))
    )
  })
)
