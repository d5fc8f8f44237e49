import { SessionNotFoundError } from "@webagent/contract"
import type { Engine, SessionWithTurns, StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Links from "./Links.ts"

/** Reads a session by its id, and shows it as a version does. */
export const sessionRead =
  <View>(fromDomain: (withTurns: SessionWithTurns, links: Links.Links) => View) =>
  (engine: Engine["Service"], linksOf: Effect.Success<typeof Links.make>) =>
  (
    id: string,
    request: HttpServerRequest.HttpServerRequest
  ): Effect.Effect<View, SessionNotFoundError | StoreUnavailable> =>
    engine.session(id.toLowerCase()).pipe(
      Effect.flatMap((withTurns) =>
        Effect.map(linksOf(request, withTurns.session.browserId), (links) => fromDomain(withTurns, links))
      ),
      Effect.catchTag("SessionNotFound", () => Effect.fail(new SessionNotFoundError({ detail: "Session not found" })))
    )
