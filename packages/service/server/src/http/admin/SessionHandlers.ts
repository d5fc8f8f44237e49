import { NotFoundError, type Session as SessionView } from "@webagent/admin"
import { ConflictError } from "@webagent/contract"
import { Engine, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { runOf, sessionOf } from "./Conversion.ts"
import { group } from "./Operations.ts"
import * as Pages from "./Pages.ts"

/** Number of sessions whose newest runs are read at the same time. */
const atOnce = 16

const lastRunOf = (turn: Turn.Turn) => ({
  id: turn.id,
  status: turn.status,
  task: turn.task,
  title: Turn.titleOf(turn)
})

const noSession = () => Effect.fail(new NotFoundError({ detail: "Session not found" }))

/** Sessions of every key, or of the request's key. */
export const layer = group("sessions", function* (handlers) {
  const engine = yield* Engine
  const withLastRun = (session: SessionView) =>
    Effect.map(engine.lists.turns({ sessionId: session.id }, null, 1), ({ rows: [turn] }) => ({
      ...session,
      lastRun: turn === undefined ? null : lastRunOf(turn)
    }))
  return handlers
    .handle("list", ({ query: { cursor, from, key, limit, status, to } }) =>
      Effect.gen(function* () {
        const filter = {
          ...(yield* Pages.createdBetween({ from, to })),
          ...(status === undefined ? {} : { statuses: [status] }),
          ...(key === undefined ? {} : { owner: key })
        }
        const page = yield* Pages.read(
          { list: "admin.sessions", filter, cursor, limit },
          (after, rows) => engine.lists.sessions(filter, after, rows),
          sessionOf
        )
        return { ...page, rows: yield* Effect.forEach(page.rows, withLastRun, { concurrency: atOnce }) }
      })
    )
    .handleAll({
      get: ({ params }) =>
        Effect.catchTag(engine.session(params.session_id.toLowerCase()), "SessionNotFound", noSession).pipe(
          Effect.map(({ session, turns }) => ({ ...sessionOf(session), runList: turns.map(runOf) }))
        ),
      stop: ({ params }) =>
        Effect.catchTag(engine.stopSession(params.session_id.toLowerCase()), "SessionNotFound", noSession).pipe(
          Effect.map(sessionOf)
        ),
      purge: ({ params }) =>
        engine.purgeSession(params.session_id.toLowerCase()).pipe(
          Effect.catchTags({
            SessionNotFound: noSession,
            SessionBusy: () =>
              Effect.fail(
                new ConflictError({
                  detail: "The session is active, or its agent hasn't stopped yet. Stop it first"
                })
              )
          })
        )
    })
})
