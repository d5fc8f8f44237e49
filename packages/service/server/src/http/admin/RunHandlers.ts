import { NotFoundError, type RunDetails } from "@webagent/admin"
import { ConflictError } from "@webagent/contract"
import { Engine, noNote, Owner, RunNotes, type Turn } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Audit from "../../api/Audit.ts"
import { Caller } from "../../api/Caller.ts"
import * as Links from "../../api/Links.ts"
import * as SafeCreate from "../../api/SafeCreate.ts"
import * as V4 from "../../api/v4/Conversion.ts"
import * as BulkCancel from "./BulkCancel.ts"
import { callOf, markOf, runOf, stepOf } from "./Conversion.ts"
import type { Operations } from "./Operations.ts"
import * as Pages from "./Pages.ts"
import * as RunFilter from "./RunFilter.ts"

/** Largest count of runs by status. */
const mostCounted = 10_000

const noRun = () => Effect.fail(new NotFoundError({ detail: "Run not found" }))

/** Path and query of a link: it is for the address that the client uses. */
export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

/** Runs as the caller's own, even if the caller sees those of every key. */
const owned = <A, E, R>(create: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Caller, ({ owner }) => Effect.provideService(create, Owner, owner))

/** Runs of every key, or of the request's key. */
export const layer = (api: Operations) =>
  HttpApiBuilder.group(
    api,
    "runs",
    Effect.fnUntraced(function* (handlers) {
      const engine = yield* Engine
      const linksOf = yield* Links.make
      const cancel = BulkCancel.make(engine)
      const notes = yield* RunNotes
      const find = (id: string) => Effect.catchTag(engine.turn(id.toLowerCase()), "TurnNotFound", noRun)

      const budgetOf = ({ budget }: Turn.Turn): RunDetails["budget"] =>
        budget === null ? null : { costUsd: budget.cost, tokens: budget.tokens, durationMs: budget.duration_ms }

      /** Starts a run like another one, for the same owner. */
      const again = Effect.fnUntraced(function* (id: string) {
        const turn = yield* engine.turn(id.toLowerCase())
        const { session } = yield* engine.session(turn.sessionId)
        const { budget, model, modelParams, outputSchema, owner, tags, task } = turn
        const { recording, thinkingLevel } = session
        // a model of before, which the agent no longer has, gives way to the current one
        const hasModel = yield* engine.acceptsModel(model)
        const request = {
          task,
          modelParams,
          outputSchema,
          thinkingLevel,
          recording,
          tags,
          budget,
          ...(hasModel ? { model } : {})
        }
        const created = yield* Effect.provideService(engine.createSession(request), Owner, owner)
        return { of: id, run: runOf(created.turn) }
      })

      return handlers
        .handle("list", ({ query: { cursor, limit, ...filters } }) =>
          Effect.gen(function* () {
            const filter = yield* RunFilter.of(filters)
            const { statuses: _statuses, text, ...counted } = filter
            const page = yield* Pages.read(
              { list: "admin.runs", filter: { ...filter }, cursor, limit },
              (after, rows) => engine.lists.turns(filter, after, rows),
              runOf
            )
            const counts =
              cursor === undefined && text === undefined ? yield* engine.lists.turnCounts(counted, mostCounted) : null
            return { ...page, counts }
          })
        )
        .handle("create", ({ payload, request }) =>
          SafeCreate.once({ request, payload }, (safe) =>
            Effect.flatMap(V4.toDomain(payload), (session) => owned(engine.createSession(session, safe)))
          ).pipe(
            Effect.tap(({ turn }) => Audit.note([turn.id])),
            Effect.map(({ turn }) => runOf(turn))
          )
        )
        .handle("message", ({ params, payload, request }) =>
          Effect.gen(function* () {
            const { sessionId } = yield* find(params.run_id)
            const { turn } = yield* SafeCreate.once({ request, payload }, (safe) =>
              engine.queue({ sessionId, ...payload }, safe)
            )
            return runOf(turn)
          }).pipe(
            Effect.catchTags({
              SessionNotFound: noRun,
              SessionStopped: () => Effect.fail(new ConflictError({ detail: "The session of this run is stopped" }))
            })
          )
        )
        .handle("get", ({ params, request }) =>
          Effect.gen(function* () {
            const turn = yield* find(params.run_id)
            const { session } = yield* Effect.catchTag(engine.session(turn.sessionId), "SessionNotFound", noRun)
            const { browserId, recording, status } = session
            const isStopped = status === "stopped"
            const links = yield* linksOf(request, browserId)
            const { mark, share } = notes === null ? noNote : yield* notes.get(turn.id)
            const now_ms = yield* Clock.currentTimeMillis
            return {
              ...runOf(turn),
              browserId,
              attempt: turn.attempt,
              modelParams: turn.modelParams,
              outputSchema: turn.outputSchema,
              budget: budgetOf(turn),
              suggestions: turn.suggestions,
              liveUrl: links.live(isStopped ? null : browserId),
              recordingUrl: recording && browserId !== null && isStopped ? links.recording(browserId) : null,
              mark: mark === null ? null : markOf(mark),
              shared: share !== null && share.expiresAt_ms > now_ms
            }
          })
        )
        .handle("picture", ({ params, request }) =>
          Effect.gen(function* () {
            const { id } = yield* find(params.run_id)
            const steps = yield* Effect.catchTag(engine.steps(id), "TurnNotFound", noRun)
            const picture = steps.find(({ ordinal }) => ordinal === params.number)?.picture ?? null
            const url = picture === null ? null : (yield* linksOf(request)).recording(picture)
            if (url === null) return yield* new NotFoundError({ detail: "This step has no picture" })
            // the node with the file serves it
            return HttpServerResponse.redirect(pathOf(url), { headers: { "cache-control": "no-store" } })
          })
        )
        .handleAll({
          steps: ({ params, query: { after = 0 } }) =>
            Effect.gen(function* () {
              const turn = yield* find(params.run_id)
              const steps = yield* Effect.catchTag(engine.steps(turn.id), "TurnNotFound", noRun)
              return steps.filter(({ ordinal }) => ordinal > after).map(stepOf(turn))
            }),
          modelCalls: ({ params, query: { after = 0 } }) =>
            Effect.gen(function* () {
              const { id } = yield* find(params.run_id)
              const calls = yield* Effect.catchTag(engine.modelCalls(id), "TurnNotFound", noRun)
              return calls.filter(({ ordinal }) => ordinal > after).map(callOf)
            }),
          cancel: ({ payload }) => cancel(payload),
          retry: ({ payload }) =>
            Effect.gen(function* () {
              yield* Audit.note(payload.ids)
              const started: Array<Effect.Success<ReturnType<typeof again>>> = []
              const notFound: Array<string> = []
              const refused: Array<{ readonly id: string; readonly detail: string }> = []
              for (const id of new Set(payload.ids)) {
                const missing = () => Effect.sync(() => void notFound.push(id))
                yield* again(id).pipe(
                  Effect.map((run) => void started.push(run)),
                  Effect.catchTags({
                    TurnNotFound: missing,
                    SessionNotFound: missing,
                    AdmissionRefused: ({ message }) => Effect.sync(() => void refused.push({ id, detail: message })),
                    IdempotencyKeyReused: Effect.die
                  })
                )
              }
              return { started, notFound, refused }
            })
        })
    })
  )
