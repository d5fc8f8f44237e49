import { HarnessApi, SignedOutError, type StartRun } from "@webagent/harness-api"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Guard, isSame } from "./Guard.ts"
import type { Model } from "./Model.ts"
import type { OwnRuns } from "./OwnRuns.ts"

/** Services of the handlers. */
export interface HandlersOptions {
  readonly model: Model
  readonly own: OwnRuns
}

const session = HttpApiBuilder.group(
  HarnessApi,
  "session",
  Effect.fnUntraced(function* (handlers) {
    const { cookie, session, token } = yield* Guard
    return handlers.handleAll({
      open: Effect.fnUntraced(function* ({ payload }) {
        if (!isSame(Redacted.value(payload.token), token)) {
          return yield* new SignedOutError({
            detail: "The token is of another start. Open the address that this one printed."
          })
        }
        yield* HttpApiBuilder.securitySetCookie(HttpApiSecurity.apiKey({ key: cookie, in: "cookie" }), session, {
          secure: false,
          sameSite: "strict",
          path: "/"
        })
      })
    })
  })
)

const reading = (model: Model) =>
  Layer.mergeAll(
    HttpApiBuilder.group(HarnessApi, "project", (handlers) => handlers.handleAll({ get: () => model.project })),
    HttpApiBuilder.group(HarnessApi, "suites", (handlers) => handlers.handleAll({ list: () => model.suites })),
    HttpApiBuilder.group(HarnessApi, "load", (handlers) =>
      handlers.handleAll({
        list: () => model.loads.list,
        get: ({ params }) => model.loads.get(params.run_id, params.test),
        compare: ({ params }) => model.loads.compare(params.run_id, params.test, params.before),
        comparisons: () => model.loads.comparisons,
        comparison: ({ params }) => model.loads.comparison(params.run_id, params.test)
      })
    ),
    HttpApiBuilder.group(HarnessApi, "nights", (handlers) =>
      handlers.handleAll({
        map: ({ query }) => model.nights(query.last),
        get: ({ params }) => model.night(params.night_id),
        compare: ({ params }) => model.compare(params.night_id, params.before),
        figures: ({ query }) => model.figures(query.figure, query.last),
        trend: ({ query }) => model.trend(query.suite, query.name),
        accept: ({ params, payload }) => Effect.asVoid(model.accept(params.night_id, payload)),
        acknowledge: ({ params, payload }) => Effect.asVoid(model.acknowledge(params.night_id, payload)),
        quarantine: ({ payload }) => Effect.map(model.quarantine(payload), ({ entry }) => entry),
        release: ({ payload }) => Effect.asVoid(model.release(payload))
      })
    )
  )

/** The files of chosen scenarios: a broken file of another suite must not keep them from running. */
const filesOf = ({ suites }: Model, scenarios: StartRun["scenarios"]) =>
  Effect.map(suites, ({ files }) => {
    if (scenarios === undefined) return undefined
    const names = new Set(scenarios.map(({ suite }) => suite))
    const chosen = files.flatMap(({ argument, suite }) => (suite !== null && names.has(suite) ? argument : []))
    return chosen.length === 0 ? undefined : chosen
  })

const runs = ({ model, own }: HandlersOptions) =>
  HttpApiBuilder.group(
    HarnessApi,
    "runs",
    Effect.fnUntraced(function* (handlers) {
      const fs = yield* FileSystem.FileSystem
      return handlers.handleAll({
        list: ({ query }) => model.runs(query),
        get: ({ params }) => model.run(params.run_id),
        trace: ({ params }) => model.reports.trace(params.run_id, params.trace),
        file: Effect.fnUntraced(function* ({ params: { file, run_id } }) {
          const path = yield* model.folders.fileOf(run_id, file)
          return Stream.orDie(fs.stream(path))
        }),
        start: Effect.fnUntraced(function* ({ payload }) {
          const suites = payload.suites ?? (yield* filesOf(model, payload.scenarios))
          return yield* model.summary(yield* own.start({ ...payload, ...(suites === undefined ? {} : { suites }) }))
        }),
        stop: Effect.fnUntraced(function* ({ params: { run_id } }) {
          yield* model.folders.pathOf(run_id)
          yield* own.stop(run_id)
          return yield* model.summary(run_id)
        })
      })
    })
  )

/** The handlers of every operation. */
export const layer = (options: HandlersOptions) => Layer.mergeAll(session, reading(options.model), runs(options))
