import {
  ConflictError,
  type HTTPValidationError,
  SessionNotFoundError,
  TaskNotFoundError,
  toDateTime
} from "@webagent/contract"
import type { TaskCreate, TaskListQuery } from "@webagent/contract/v2"
import { Engine, type SafeCreate as Safe, Turn, type TurnFilter } from "@webagent/engine"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as LazyGroup from "../LazyGroup.ts"
import { invalid } from "../Invalid.ts"
import * as Links from "../Links.ts"
import * as NumberedPages from "../NumberedPages.ts"
import * as SafeCreate from "../SafeCreate.ts"
import { checkModel } from "../TurnOptions.ts"
import * as Conversion from "./Conversion.ts"
import { Served } from "./Served.ts"
import * as TaskOptions from "./TaskOptions.ts"

const notFound = () => Effect.fail(new TaskNotFoundError({ detail: "Task not found" }))

/** The statuses of turns that a v2 status stands for; undefined for all of them. */
const statusesOf = (
  filter: string | undefined
): Effect.Effect<ReadonlyArray<Turn.TurnStatus> | undefined, HTTPValidationError> => {
  if (filter === undefined) return Effect.succeed(undefined)
  const statuses = Turn.turnStatuses.filter((status) => Conversion.statusFromDomain[status] === filter)
  return statuses.length > 0
    ? Effect.succeed(statuses)
    : Effect.fail(invalid(["query", "filterBy"], "Expected created, started, finished, failed or stopped"))
}

const millis = (timestamp: string): number =>
  Option.match(toDateTime(timestamp), { onNone: () => 0, onSome: DateTime.toEpochMillis })

const filterOf = ({ after, before, sessionId }: TaskListQuery): TurnFilter => ({
  ...(sessionId === undefined ? {} : { sessionId: sessionId.toLowerCase() }),
  ...(after === undefined ? {} : { from_ms: millis(after) }),
  ...(before === undefined ? {} : { to_ms: millis(before) })
})

/** The v2 operations on tasks. */
export const layer = LazyGroup.make(Served, "tasks", function* (handlers) {
  const engine = yield* Engine
  const linksOf = yield* Links.make

  const find = (id: string) => Effect.catchTag(engine.turn(id.toLowerCase()), "TurnNotFound", notFound)

  const view = Effect.fnUntraced(function* (id: string, request: HttpServerRequest.HttpServerRequest) {
    const turn = yield* find(id)
    const steps = yield* Effect.catchTag(engine.steps(turn.id), "TurnNotFound", notFound)
    return Conversion.taskWithSteps(turn, steps, yield* linksOf(request))
  })

  /** Creates a task in a session of its own, or as the next one of the session that the body names. */
  const create = Effect.fnUntraced(function* (body: TaskCreate, safe: Safe | undefined) {
    const { sessionId = null, task } = body
    const options = yield* TaskOptions.ofTask(body)
    yield* checkModel(engine, options.model, "llm")
    if (sessionId === null) {
      return yield* engine.createSession({ task, modelParams: null, thinkingLevel: null, ...options }, safe)
    }
    yield* TaskOptions.refuseOfFollowUp(body)
    return yield* engine.queue({ sessionId: sessionId.toLowerCase(), text: task, interrupt: false, ...options }, safe)
  })

  return handlers.handleAll({
    create: ({ payload, request }) =>
      SafeCreate.once({ request, payload }, (safe) => create(payload, safe)).pipe(
        Effect.map(({ turn }) => ({ id: turn.id, sessionId: turn.sessionId })),
        Effect.catchTags({
          SessionNotFound: () => Effect.fail(new SessionNotFoundError({ detail: "Session not found" })),
          SessionStopped: () => Effect.fail(new ConflictError({ detail: "Session is stopped" }))
        })
      ),
    list: Effect.fnUntraced(function* ({ query }) {
      const page = yield* NumberedPages.pageOf("pageNumber", query.pageNumber, query.pageSize)
      const filter = filterOf(query)
      const statuses = yield* statusesOf(query.filterBy)
      const all = statuses === undefined ? filter : { ...filter, statuses }
      const turns = yield* NumberedPages.read((after, limit) => engine.lists.turns(all, after, limit), page)
      const counts = yield* engine.lists.turnCounts(filter, NumberedPages.mostCounted)
      return {
        items: turns.map(Conversion.taskFromDomain),
        totalItems: NumberedPages.totalOf(counts, statuses),
        pageNumber: page.number,
        pageSize: page.size
      }
    }),
    get: ({ params, request }) => view(params.task_id, request),
    status: ({ params }) => Effect.map(find(params.task_id), Conversion.taskStatus),
    update: ({ params, payload, request }) =>
      Effect.gen(function* () {
        const { id, sessionId } = yield* find(params.task_id)
        yield* payload.action === "stop" ? engine.cancelTurn(id) : engine.stopSession(sessionId)
        return yield* view(id, request)
      }).pipe(Effect.catchTags({ TurnNotFound: notFound, SessionNotFound: notFound }))
  })
})
