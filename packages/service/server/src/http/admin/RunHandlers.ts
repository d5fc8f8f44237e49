import { NotFoundError, type RunDetails, type RunPage } from "@webagent/admin"
import { ConflictError } from "@webagent/contract"
import { Engine, noNote, RunNotes, type Turn } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Audit from "../../api/Audit.ts"
import { Caller } from "../../api/Caller.ts"
import * as Links from "../../api/Links.ts"
import { invalid } from "../../api/Invalid.ts"
import { answerOf, askedOf, notAChoice, notRaised, notWaiting } from "../../api/RunWaits.ts"
import * as SafeCreate from "../../api/SafeCreate.ts"
import * as StartRun from "../../schedules/StartRun.ts"
import * as BulkCancel from "./BulkCancel.ts"
import * as BulkRetry from "./BulkRetry.ts"
import { callOf, markOf, optionsOf, questionsOf, runOf, stepOf } from "./Conversion.ts"
import { owned } from "./Owned.ts"
import { group } from "./Operations.ts"
import * as Pages from "./Pages.ts"
import * as RunFilter from "./RunFilter.ts"

/** Largest count of runs by status. */
const mostCounted = 10_000

const noRun = () => Effect.fail(new NotFoundError({ detail: "Run not found" }))

/** Runs of every key, or of the request's key. */
export const layer = group("runs", function* (handlers) {
  const engine = yield* Engine
  const linksOf = yield* Links.make
  const cancel = BulkCancel.make(engine)
  const retry = BulkRetry.make(engine)
  const notes = yield* RunNotes
  const { start } = yield* StartRun.make
  const find = (id: string) => Effect.catchTag(engine.turn(id.toLowerCase()), "TurnNotFound", noRun)

  const budgetOf = ({ budget }: Turn.Turn): RunDetails["budget"] =>
    budget === null ? null : { costUsd: budget.cost, tokens: budget.tokens, durationMs: budget.duration_ms }

  return handlers
    .handle("list", ({ query: { counts: wanted, cursor, limit, ...filters } }) =>
      Effect.gen(function* () {
        const filter = yield* RunFilter.of(filters)
        const { statuses: _statuses, text, ...counted } = filter
        const page = yield* Pages.read(
          { list: "admin.runs", filter: { ...filter }, cursor, limit },
          (after, rows) => engine.lists.turns(filter, after, rows),
          runOf
        )
        const isCounted = cursor === undefined && text === undefined && wanted !== "false"
        const counts = isCounted ? yield* engine.lists.turnCounts(counted, mostCounted) : null
        // encoding by the schema would take a third of the request's time, and change nothing
        return HttpServerResponse.jsonUnsafe({ ...page, counts } satisfies RunPage)
      })
    )
    .handle("create", ({ payload, request }) =>
      SafeCreate.once({ request, payload }, (safe) => owned(start(payload, safe))).pipe(
        Effect.tap(({ turn }) => Audit.note([turn.id])),
        Effect.map(({ turn }) => runOf(turn)),
        Effect.catchTag("ProfileUnusable", ({ message }) =>
          Effect.fail(invalid(["body", "browserSettings", "profileId"], message))
        )
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
          attachedFileIds: turn.files?.ids ?? null,
          profileId: session.profileId,
          budget: budgetOf(turn),
          ...optionsOf(turn, session),
          questions: questionsOf(turn),
          suggestions: turn.suggestions,
          liveUrl: links.live(isStopped ? null : browserId),
          recordingUrl: recording && browserId !== null && isStopped ? links.recording(browserId) : null,
          mark: mark === null ? null : markOf(mark),
          shared: share !== null && share.expiresAt_ms > now_ms
        }
      })
    )
    .handle("answer", ({ params, payload }) =>
      Effect.flatMap(Caller, ({ name }) => engine.answer(params.run_id.toLowerCase(), answerOf(payload, name))).pipe(
        Effect.map(runOf),
        Effect.catchTags({
          TurnNotFound: noRun,
          NotAChoice: ({ choices }) => Effect.fail(notAChoice(choices)),
          NotRaised: ({ limit }) => Effect.fail(notRaised(limit)),
          NotWaiting: () => Effect.fail(new ConflictError({ detail: notWaiting }))
        })
      )
    )
    .handle("picture", ({ params, request }) =>
      Effect.gen(function* () {
        const { id } = yield* find(params.run_id)
        const steps = yield* Effect.catchTag(engine.steps(id), "TurnNotFound", noRun)
        const picture = steps.find(({ ordinal }) => ordinal === params.number)?.picture ?? null
        const url = picture === null ? null : (yield* linksOf(request)).recording(picture)
        if (url === null) return yield* new NotFoundError({ detail: "This step has no picture" })
        // the node with the file serves it
        return HttpServerResponse.redirect(Links.pathOf(url), { headers: { "cache-control": "no-store" } })
      })
    )
    .handleAll({
      steps: Effect.fnUntraced(function* ({ params, query: { after = 0 } }) {
        const turn = yield* find(params.run_id)
        const steps = yield* Effect.catchTag(engine.steps(turn.id), "TurnNotFound", noRun)
        return steps.filter(({ ordinal }) => ordinal > after).map(stepOf(turn))
      }),
      modelCalls: Effect.fnUntraced(function* ({ params, query: { after = 0 } }) {
        const { id } = yield* find(params.run_id)
        const calls = yield* Effect.catchTag(engine.modelCalls(id), "TurnNotFound", noRun)
        return calls.filter(({ ordinal }) => ordinal > after).map(callOf)
      }),
      ask: ({ params, payload }) =>
        engine.ask(params.run_id.toLowerCase(), askedOf(payload)).pipe(
          Effect.map(runOf),
          Effect.catchTags({
            TurnNotFound: noRun,
            NotAsked: ({ message }) => Effect.fail(new ConflictError({ detail: message }))
          })
        ),
      cancel: ({ payload }) => cancel(payload),
      retry: ({ payload, request }) => SafeCreate.once({ request, payload }, (safe) => retry(payload.ids, safe))
    })
})
