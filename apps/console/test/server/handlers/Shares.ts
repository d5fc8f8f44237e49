import { ConsoleApi, NotFoundError, SharedRunsApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import { recordedRun, type World } from "../World.ts"
import { unknown } from "./unknown.ts"
import { picture } from "../picture.ts"

/** Links that share runs. */
export const shares = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "shares", (handlers) =>
    handlers.handleAll({
      list: ({ query: { cursor, limit = 50 } }) =>
        Effect.sync(() => {
          const from = Number(cursor ?? 0)
          const all = [...world.shares.values()].map((share) => {
            const { owner = null, task = "", title = null } = world.runs.get(share.runId) ?? {}
            return { ...share, owner, task, title }
          })
          const next = from + limit < all.length ? String(from + limit) : null
          return { rows: all.slice(from, from + limit), next, complete: true }
        }),
      get: ({ params }) => {
        const share = world.shares.get(params.run_id)
        return share === undefined ? Effect.fail(unknown("link")) : Effect.succeed(share)
      },
      create: ({ params }) => Effect.sync(() => world.share(params.run_id)),
      revoke: ({ params }) => Effect.sync(() => void world.shares.delete(params.run_id))
    })
  )

/** The handlers of the runs that links show. */
export const sharedLayer = (world: World) =>
  HttpApiBuilder.group(SharedRunsApi, "sharedRuns", (handlers) => {
    const find = (id: string, token: string | undefined) => {
      const run = world.runs.get(id)
      return run !== undefined && token !== undefined && world.shares.get(id)?.token === token
        ? Effect.succeed(run)
        : Effect.fail(new NotFoundError({ detail: "This link shows nothing. Check that it is complete" }))
    }
    return handlers.handleAll({
      get: ({ params, query }) =>
        Effect.map(find(params.run_id, query.token), (run) => ({
          ...run,
          stepList: world.stepsOf(run),
          recording: run.id === recordedRun,
          simulated: false
        })),
      picture: ({ params, query }) =>
        Effect.map(find(params.run_id, query.token), () => Stream.make(new Uint8Array(picture))),
      recording: ({ params, query }) =>
        Effect.map(find(params.run_id, query.token), () => HttpServerResponse.redirect("/recordings/shared"))
    })
  })
