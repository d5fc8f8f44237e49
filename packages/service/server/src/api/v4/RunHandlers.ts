import { ConflictError, RunNotFoundError, SessionNotFoundError } from "@webagent/contract"
import type { RunCreate } from "@webagent/contract/v4"
import { Engine, type SafeCreate as Safe, type Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as LazyGroup from "../LazyGroup.ts"
import { invalid } from "../Invalid.ts"
import { Caller } from "../Caller.ts"
import * as ListPage from "../ListPage.ts"
import * as Links from "../Links.ts"
import { originOf } from "../Origin.ts"
import * as RunFiles from "../RunFiles.ts"
import { answerOf, askedOf, notAChoice, notRaised, notWaiting } from "../RunWaits.ts"
import * as SafeCreate from "../SafeCreate.ts"
import { check } from "./CheckRun.ts"
import * as Conversion from "./Conversion.ts"
import * as Options from "./Options.ts"
import * as Replay from "./Replay.ts"
import { Served } from "./Served.ts"

const notFound = () => Effect.fail(new RunNotFoundError({ detail: "Run not found" }))

/** The reads of a run by its id: as operations, and as fast reads. */
export const reads = (engine: Engine["Service"], linksOf: Effect.Success<typeof Links.make>) => {
  const find = (id: string) => Effect.catchTag(engine.turn(id.toLowerCase()), "TurnNotFound", notFound)
  const withLiveUrl = Effect.fnUntraced(function* (turn: Turn.Turn, request: HttpServerRequest.HttpServerRequest) {
    const { session } = yield* Effect.catchTag(engine.session(turn.sessionId), "SessionNotFound", notFound)
    const browserId = session.status === "stopped" ? null : session.browserId
    return Conversion.fromDomain(turn, (yield* linksOf(request, browserId)).live(browserId))
  })
  return {
    find,
    status: (id: string) => Effect.map(find(id), Conversion.statusFromDomain),
    get: (id: string, request: HttpServerRequest.HttpServerRequest) =>
      linksOf.showsBrowsers
        ? Effect.flatMap(find(id), (turn) => withLiveUrl(turn, request))
        : Effect.map(find(id), (turn) => Conversion.fromDomain(turn))
  }
}

/** The v4 operations on runs. */
export const layer = LazyGroup.make(Served, "runs", function* (handlers) {
  const engine = yield* Engine
  const { find, get, status } = reads(engine, yield* Links.make)

  const runFiles = yield* RunFiles.make

  /** Creates a run in a session of its own, or as the next turn of the session that the body names. */
  const create = Effect.fnUntracedEager(function* (whole: RunCreate, safe: Safe | undefined) {
    const { body, files, missing } = yield* runFiles.of(whole)
    const sessionId = yield* Options.sessionId(body)
    const payload = yield* Replay.ofCreate(engine, body)
    if (sessionId === undefined) {
      const session = yield* Conversion.toDomain(payload)
      yield* check(engine, session)
      return { ...(yield* engine.createSession({ ...session, ...files }, safe)), missing }
    }
    const message = yield* Conversion.followUpToDomain(sessionId, payload)
    yield* check(engine, message)
    return { ...(yield* engine.queue({ ...message, ...files }, safe)), missing }
  })

  return handlers.handleAll({
    create: ({ payload, request }) =>
      SafeCreate.once({ request, payload }, (safe) => create(payload, safe)).pipe(
        Effect.flatMap(({ missing, turn }) =>
          Effect.map(originOf(request), (origin) =>
            // encoding by the schema would change nothing
            HttpServerResponse.jsonUnsafe(Conversion.createdFromDomain(turn, origin, missing), { status: 201 })
          )
        ),
        Effect.catchTags({
          ProfileUnusable: ({ message }) => Effect.fail(invalid(["body", "browserSettings", "profileId"], message)),
          SessionNotFound: () => Effect.fail(new SessionNotFoundError({ detail: "Session not found" })),
          SessionStopped: () => Effect.fail(new ConflictError({ detail: "Session is stopped" }))
        })
      ),
    list: ({ query: { sessionId, ...query } }) =>
      Effect.map(
        ListPage.read(
          "runs",
          query,
          sessionId === undefined ? {} : { sessionId: sessionId.toLowerCase() },
          engine.lists.turns
        ),
        ({ rows, ...page }) => ({ runs: rows.map((turn) => Conversion.fromDomain(turn)), ...page })
      ),
    status: ({ params }) => status(params.run_id),
    get: ({ params, request }) => get(params.run_id, request),
    cancel: ({ params, request }) =>
      Effect.catchTag(engine.cancelTurn(params.run_id.toLowerCase()), "TurnNotFound", notFound).pipe(
        Effect.flatMap(({ id }) => get(id, request))
      ),
    ask: ({ params, payload, request }) =>
      engine.ask(params.run_id.toLowerCase(), askedOf(payload)).pipe(
        Effect.flatMap(({ id }) => get(id, request)),
        Effect.catchTags({
          TurnNotFound: notFound,
          NotAsked: ({ message }) => Effect.fail(new ConflictError({ detail: message }))
        })
      ),
    answer: ({ params, payload, request }) =>
      Effect.flatMap(Caller, ({ name }) => engine.answer(params.run_id.toLowerCase(), answerOf(payload, name))).pipe(
        Effect.flatMap(({ id }) => get(id, request)),
        Effect.catchTags({
          TurnNotFound: notFound,
          NotAChoice: ({ choices }) => Effect.fail(notAChoice(choices)),
          NotRaised: ({ limit }) => Effect.fail(notRaised(limit)),
          NotWaiting: () => Effect.fail(new ConflictError({ detail: notWaiting }))
        })
      ),
    attachments: ({ params, request }) =>
      Effect.flatMap(find(params.run_id), ({ id }) =>
        Effect.map(runFiles.attachments(id, request), (attachments) => ({ attachments }))
      )
  })
})
