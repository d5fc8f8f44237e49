import { ConsoleApi, type Run, type Session } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { World } from "../World.ts"
import { notTested, unknown } from "./unknown.ts"

const sessionOf = (run: Run): Session => ({
  id: run.sessionId,
  status: "active",
  owner: run.owner,
  node: run.node,
  browserId: null,
  runs: 1,
  keepAlive: false,
  recording: false,
  shared: false,
  proxyCostUsd: "0",
  createdAt: run.createdAt,
  finishedAt: null
})

/** Sessions of the world. */
export const sessions = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "sessions", (handlers) =>
    handlers.handleAll({
      list: () =>
        Effect.succeed({
          rows: [...world.runs.values()].slice(0, 5).map((run) => ({ ...sessionOf(run), lastRun: run })),
          next: "more",
          complete: true
        }),
      get: ({ params }) => {
        const runList = [...world.runs.values()].filter(({ sessionId }) => sessionId === params.session_id)
        const [run] = runList
        return run === undefined ? Effect.fail(unknown("session")) : Effect.succeed({ ...sessionOf(run), runList })
      },
      stop: () => notTested,
      purge: () => notTested
    })
  )
