import { type HTTPValidationError, SessionNotFoundError, ShareNotFoundError } from "@webagent/contract"
import type { SessionCreate } from "@webagent/contract/v2"
import { Engine, type Session } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as LazyGroup from "../LazyGroup.ts"
import { enableRecording } from "../ExtensionFields.ts"
import { invalid } from "../Invalid.ts"
import * as Links from "../Links.ts"
import * as NumberedPages from "../NumberedPages.ts"
import { deleteSession } from "../SessionDelete.ts"
import * as SafeCreate from "../SafeCreate.ts"
import { sessionRead } from "../SessionRead.ts"
import * as Conversion from "./Conversion.ts"
import { Served } from "./Served.ts"
import { refuseOfSession } from "./TaskOptions.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The read of a session by its id: as an operation, and as a fast read. */
export const read = sessionRead(Conversion.fromDomain)

const notFound = () => Effect.fail(new SessionNotFoundError({ detail: "Session not found" }))

/** The statuses that a filter selects; undefined for all of them. */
const statusesOf = (
  filter: string | undefined
): Effect.Effect<ReadonlyArray<Session.Session["status"]> | undefined, HTTPValidationError> => {
  if (filter === undefined) return Effect.succeed(undefined)
  return filter === "active" || filter === "stopped"
    ? Effect.succeed([filter])
    : Effect.fail(invalid(["query", "filterBy"], "Expected active or stopped"))
}

/** Converts the body of a v2 session create request. */
const toDomain = (body: SessionCreate) =>
  Effect.map(Effect.andThen(refuseOfSession(body), enableRecording(body)), (recording) => ({
    ...(body.keepAlive === undefined ? {} : { keepAlive: body.keepAlive }),
    ...(body.persistMemory === undefined ? {} : { persistMemory: body.persistMemory }),
    ...recording
  }))

/** The v2 operations on sessions. */
export const layer = LazyGroup.make(Served, "sessions", function* (handlers) {
  const engine = yield* Engine
  const linksOf = yield* Links.make
  const get = read(engine, linksOf)

  const shown = (session: Session.Session, request: Request) =>
    Effect.map(linksOf(request, session.browserId), (links) => Conversion.itemFromDomain(session, links))
  const share = (session: Session.Session, request: Request) =>
    Effect.map(linksOf(request), (links) => Conversion.shareFromDomain(session, links))
  const stop = (id: string) => Effect.catchTag(engine.stopSession(id.toLowerCase()), "SessionNotFound", notFound)

  return handlers.handleAll({
    get: ({ params, request }) => get(params.session_id, request),
    create: ({ payload, request }) =>
      SafeCreate.once({ request, payload }, (safe) =>
        Effect.flatMap(toDomain(payload), (settings) => engine.openSession(settings, safe))
      ).pipe(Effect.flatMap(({ session }) => shown(session, request))),
    list: Effect.fnUntraced(function* ({ query, request }) {
      const page = yield* NumberedPages.pageOf("pageNumber", query.pageNumber, query.pageSize)
      const statuses = yield* statusesOf(query.filterBy)
      const filter = statuses === undefined ? {} : { statuses }
      const sessions = yield* NumberedPages.read((after, limit) => engine.lists.sessions(filter, after, limit), page)
      const counts = yield* engine.lists.sessionCounts({}, NumberedPages.mostCounted)
      return {
        items: yield* Effect.forEach(sessions, (session) => shown(session, request)),
        totalItems: NumberedPages.totalOf(counts, statuses),
        pageNumber: page.number,
        pageSize: page.size
      }
    }),
    // "stop" is the only action that the contract lets through
    update: ({ params, request }) => Effect.flatMap(stop(params.session_id), ({ id }) => get(id, request)),
    delete: ({ params }) => deleteSession(engine, params.session_id),
    purge: ({ params }) => deleteSession(engine, params.session_id),
    getShare: ({ params, request }) =>
      engine.session(params.session_id.toLowerCase()).pipe(
        Effect.catchTag("SessionNotFound", () => Effect.fail(new ShareNotFoundError({ detail: "Session not found" }))),
        Effect.filterOrFail(
          ({ session }) => session.shared,
          () => new ShareNotFoundError({ detail: "Public share not found" })
        ),
        Effect.flatMap(({ session }) => share(session, request))
      ),
    share: ({ params, request }) =>
      Effect.catchTag(engine.shareSession(params.session_id.toLowerCase()), "SessionNotFound", notFound).pipe(
        Effect.flatMap((session) => share(session, request))
      ),
    unshare: ({ params }) =>
      Effect.catchTag(engine.unshareSession(params.session_id.toLowerCase()), "SessionNotFound", notFound).pipe(
        Effect.asVoid
      )
  })
})
