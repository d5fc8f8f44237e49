import { ConflictError, MessageNotFoundError, SessionNotFoundError } from "@webagent/contract"
import { deduplicateHeader } from "@webagent/contract/Wire"
import { Decide, Engine, type Session, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as LazyGroup from "../LazyGroup.ts"
import * as ListPage from "../ListPage.ts"
import * as RunFiles from "../RunFiles.ts"
import * as SafeCreate from "../SafeCreate.ts"
import { deleteSession } from "../SessionDelete.ts"
import * as Conversion from "./Conversion.ts"
import { Served } from "./Served.ts"

const notFound = () => Effect.fail(new SessionNotFoundError({ detail: "Session not found" }))

const noMessage = () => Effect.fail(new MessageNotFoundError({ detail: "Message not found" }))

/** The v4 operations on sessions. */
export const layer = LazyGroup.make(Served, "sessions", function* (handlers) {
  const engine = yield* Engine
  const runFiles = yield* RunFiles.make

  const find = (id: string) => Effect.catchTag(engine.session(id.toLowerCase()), "SessionNotFound", notFound)

  /** The turn of a session's message. */
  const findMessage = ({ message_id, session_id }: { readonly session_id: string; readonly message_id: string }) =>
    Effect.flatMap(Effect.catchTag(find(session_id), "SessionNotFoundError", noMessage), ({ turns }) => {
      const turn = turns.find((each) => Turn.isMessage(each) && String(each.seq) === message_id)
      return turn === undefined ? noMessage() : Effect.succeed(turn)
    })

  /** A session as lists show it; undefined if it has no run, or was purged meanwhile. */
  const listed = (session: Session.Session) =>
    Effect.map(
      ListPage.first((after, limit) => engine.lists.turns({ sessionId: session.id }, after, limit)),
      (latest) => (latest === undefined ? undefined : Conversion.sessionFromDomain(session, latest))
    )

  return handlers.handleAll({
    list: Effect.fnUntraced(function* ({ query }) {
      const { rows, ...page } = yield* ListPage.read("sessions", query, {}, engine.lists.sessions)
      const sessions = yield* Effect.forEach(rows, listed)
      return { sessions: sessions.filter((session) => session !== undefined), ...page }
    }),
    purge: ({ params }) => deleteSession(engine, params.session_id),
    get: ({ params }) =>
      Effect.flatMap(find(params.session_id), ({ session, turns }) => {
        const latest = turns.at(-1)
        return latest === undefined ? notFound() : Effect.succeed(Conversion.sessionFromDomain(session, latest))
      }),
    queue: ({ params, payload, request }) =>
      SafeCreate.once({ request, payload }, (safe) =>
        Effect.flatMap(runFiles.of(payload), ({ body, files }) =>
          Effect.flatMap(
            Conversion.messageToDomain(
              params.session_id.toLowerCase(),
              body,
              request.headers[deduplicateHeader.toLowerCase()]
            ),
            (message) => engine.queue({ ...message, ...files }, safe)
          )
        )
      ).pipe(
        Effect.map(({ turn }) => Conversion.messageFromDomain(turn)),
        Effect.catchTags({
          SessionNotFound: notFound,
          SessionStopped: () => Effect.fail(new ConflictError({ detail: "Session is stopped" }))
        })
      ),
    messages: ({ params }) =>
      Effect.map(find(params.session_id), ({ turns }) => ({
        queue: Decide.inOrder(turns.filter((turn) => Turn.isMessage(turn) && turn.status === "queued")).map(
          Conversion.messageFromDomain
        ),
        steeringCutoffs: []
      })),
    message: ({ params }) => Effect.map(findMessage(params), Conversion.messageFromDomain),
    removeMessage: ({ params }) =>
      findMessage(params).pipe(
        Effect.flatMap(({ id }) => engine.cancelTurn(id, { onlyQueued: true })),
        Effect.catchTag("TurnNotFound", noMessage),
        Effect.map(Conversion.messageFromDomain),
        Effect.flatMap((message) =>
          message.status === "cancelled"
            ? Effect.succeed(message)
            : Effect.fail(
                new ConflictError({ detail: `The message is ${message.status}: only a pending one can be removed` })
              )
        )
      )
  })
})
