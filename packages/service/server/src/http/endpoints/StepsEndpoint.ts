import { ApiKeyAuth, UnauthorizedError } from "@webagent/contract"
import { apiKeyHeader, basePath } from "@webagent/contract/Wire"
import { Engine, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import * as Links from "../../api/Links.ts"
import * as V4 from "../../api/v4/Handlers.ts"
import * as ErrorResponse from "../policy/ErrorResponse.ts"
import { operationOf } from "../policy/ApiKeyAuth.ts"

/** The path of the steps of a run, also as a route with `:run_id`. */
export const stepsPath = <const Id extends string>(runId: Id) => `${basePath.v4}/runs/${runId}/steps` as const

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

/** A key that may read a run may read its steps. */
const read = operationOf(V4.Served.groups.runs, "get")

/** The steps of a run so far, and the links to its browser. The description has no such operation. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const engine = yield* Engine
    const auth = yield* ApiKeyAuth
    const linksOf = yield* Links.make

    const find = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, id: string) {
      const turn = yield* engine.turn(id.toLowerCase())
      const { session } = yield* engine.session(turn.sessionId)
      const links = yield* linksOf(request, session.browserId)
      const { browserId, recording, status } = session
      return HttpServerResponse.jsonUnsafe({
        runId: turn.id,
        liveUrl: links.live(status === "stopped" ? null : browserId),
        recordingUrl: recording && browserId !== null && status === "stopped" ? links.recording(browserId) : null,
        steps: (yield* engine.steps(turn.id)).map(viewOf(links, turn))
      })
    })

    const notFound = Effect.succeed(ErrorResponse.make(404, "Run not found"))
    const answer = (request: HttpServerRequest.HttpServerRequest, id: string) =>
      find(request, id).pipe(
        Effect.catchTags({ TurnNotFound: () => notFound, SessionNotFound: () => notFound }),
        Effect.orDie
      )

    yield* router.add(
      "GET",
      stepsPath(":run_id"),
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { run_id = "" } = yield* HttpRouter.params
        const credential = Redacted.make(request.headers[apiKeyHeader.toLowerCase()] ?? "")
        return yield* auth.apiKey(answer(request, run_id), { credential, ...read })
      }).pipe(
        Effect.catchIf(
          (error) => error instanceof UnauthorizedError,
          ({ detail }) => Effect.succeed(ErrorResponse.make(401, detail))
        )
      )
    )
  })
)
