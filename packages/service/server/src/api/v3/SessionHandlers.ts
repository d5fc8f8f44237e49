import { BadCursorError, SessionNotFoundError } from "@webagent/contract"
import type { Session, SessionCreate } from "@webagent/contract/v3"
import { Engine, type SafeCreate as Safe, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as LazyGroup from "../LazyGroup.ts"
import * as Links from "../Links.ts"
import * as NumberedPages from "../NumberedPages.ts"
import * as SafeCreate from "../SafeCreate.ts"
import { deleteSession } from "../SessionDelete.ts"
import { sessionRead } from "../SessionRead.ts"
import * as TurnOptions from "../TurnOptions.ts"
import * as Conversion from "./Conversion.ts"
import * as Messages from "./Messages.ts"
import { Served } from "./Served.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The number of messages in a response, unless the caller sets it. */
const usualMessages = 50

/** The read of a session by its id: as an operation, and as a fast read. */
export const read = sessionRead(Conversion.fromDomain)

const missing = HttpServerResponse.jsonUnsafe({ detail: "Session not found" }, { status: 404 })
const stopped = HttpServerResponse.jsonUnsafe({ detail: "Session is stopped" }, { status: 409 })

const notFound = () => Effect.fail(new SessionNotFoundError({ detail: "Session not found" }))

/** The v3 operations on sessions. */
export const layer = LazyGroup.make(Served, "sessions", function* (handlers) {
  const engine = yield* Engine
  const linksOf = yield* Links.make
  const get = read(engine, linksOf)

  const list = Effect.fnUntraced(function* (page: NumberedPages.NumberedPage, request: Request) {
    const sessions = yield* NumberedPages.read((after, limit) => engine.lists.sessions({}, after, limit), page)
    const counts = yield* engine.lists.sessionCounts({}, NumberedPages.mostCounted)
    const shown = yield* Effect.forEach(sessions, ({ id }) =>
      get(id, request).pipe(
        Effect.map((session): ReadonlyArray<Session> => [session]),
        // another request may have deleted it since
        Effect.catchIf(
          (error) => error._tag === "SessionNotFoundError",
          () => Effect.succeed([])
        )
      )
    )
    return {
      sessions: shown.flat(),
      total: NumberedPages.totalOf(counts),
      page: page.number,
      pageSize: page.size
    }
  })

  /** Creates a session, or the next task of the session that the body names. */
  const create = Effect.fnUntraced(function* (payload: SessionCreate, safe: Safe | undefined) {
    const sessionId = yield* TurnOptions.sessionId(payload)
    if (sessionId === undefined) {
      const session = yield* Conversion.toDomain(payload)
      yield* TurnOptions.checkModel(engine, session.model)
      return yield* engine.createSession(session, safe)
    }
    const message = yield* Conversion.followUpToDomain(sessionId, payload)
    yield* TurnOptions.checkModel(engine, message.model)
    return yield* engine.queue(message, safe)
  })

  /** Cancels the tasks of a session that are not over. */
  const cancelTasks = (id: string) =>
    Effect.flatMap(engine.session(id), ({ turns }) =>
      Effect.forEach(
        // the running one last, so that none of the others begins
        turns.filter(({ status }) => !Turn.isTerminal(status)).toReversed(),
        (turn) => Effect.catchTag(engine.cancelTurn(turn.id), "TurnNotFound", () => Effect.void),
        { discard: true }
      )
    )

  const messages = Effect.fnUntraced(function* (id: string, query: Messages.MessageQuery, request: Request) {
    const { session, turns } = yield* engine.session(id)
    const page = Messages.pageOf(session.id, turns, query)
    if (page === undefined) return yield* new BadCursorError({ detail: "The session has no message with this id" })
    const links = yield* linksOf(request)
    const steps = new Map<string, ReadonlyArray<Turn.TurnStep>>()
    for (const { id: turnId } of new Set(page.messages.map(({ turn }) => turn))) {
      steps.set(turnId, yield* Effect.catchTag(engine.steps(turnId), "TurnNotFound", () => Effect.succeed([])))
    }
    return {
      messages: page.messages.flatMap((each) => Messages.fromDomain(each, steps.get(each.turn.id) ?? [], links) ?? []),
      hasMore: page.hasMore
    }
  })

  return handlers.handleAll({
    create: ({ payload, request }) =>
      SafeCreate.once({ request, payload }, (safe) => create(payload, safe)).pipe(
        Effect.flatMap((made) =>
          made._tag === "Message"
            ? get(made.turn.sessionId, request)
            : Effect.map(linksOf(request), (links) =>
                Conversion.fromDomain({ session: made.session, turns: [made.turn] }, links)
              )
        ),
        // the description shows no errors of this operation
        Effect.catchTags({
          SessionNotFound: () => Effect.succeed(missing),
          SessionNotFoundError: () => Effect.succeed(missing),
          SessionStopped: () => Effect.succeed(stopped)
        })
      ),
    get: ({ params, request }) => get(params.session_id, request),
    list: ({ query, request }) =>
      Effect.flatMap(NumberedPages.pageOf("page", query.page, query.page_size), (page) => list(page, request)),
    stop: ({ params, payload, request }) => {
      const id = params.session_id.toLowerCase()
      const stop: Effect.Effect<unknown, Effect.Error<ReturnType<typeof cancelTasks>>> = payload.strategy === "task"
        ? cancelTasks(id)
        : engine.stopSession(id)
      return Effect.catchTag(stop, "SessionNotFound", notFound).pipe(Effect.andThen(get(id, request)))
    },
    delete: ({ params }) => deleteSession(engine, params.session_id),
    messages: ({ params, query, request }) =>
      messages(
        params.session_id.toLowerCase(),
        { after: query.after, before: query.before, limit: query.limit ?? usualMessages },
        request
      ).pipe(Effect.catchTag("SessionNotFound", notFound))
  })
})
