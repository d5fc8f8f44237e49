import { NotFoundError, SharedRunsApi } from "@webagent/admin"
import { Engine, RunNotes } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import { LinkOwners } from "../../api/LinkOwners.ts"
import * as Links from "../../api/Links.ts"
import { LinkTokens } from "../../api/LinkTokens.ts"
import { NodeRouting } from "../../api/Placement.ts"
import * as RunShares from "../../api/RunShares.ts"
import { runOf, stepOf } from "./Conversion.ts"
import { pathOf } from "./RunHandlers.ts"

/** The runs that links show, as this server serves them. */
export const Served = SharedRunsApi.middleware(NodeRouting)

const nothing = () => Effect.fail(new NotFoundError({ detail: "This link shows nothing. Check that it is complete" }))

const handlers = HttpApiBuilder.group(
  Served,
  "sharedRuns",
  Effect.fnUntraced(function* (group) {
    const engine = yield* Engine
    const notes = yield* RunNotes
    const owners = yield* LinkOwners
    const tokens = yield* LinkTokens
    const linksOf = yield* Links.make

    /** The run of a link: all links that open nothing get the same response. */
    const find = Effect.fnUntraced(function* (runId: string, token: string | undefined) {
      const id = runId.toLowerCase()
      const share = notes === null ? null : (yield* notes.get(id)).share
      if (!RunShares.opens(tokens, id, share, token, yield* Clock.currentTimeMillis)) return yield* nothing()
      const turn = yield* Effect.catchTag(engine.turn(id), "TurnNotFound", nothing)
      return (yield* owners.mayOpen(turn.owner)) ? turn : yield* nothing()
    })
    const stepsOf = (id: string) => Effect.catchTag(engine.steps(id), "TurnNotFound", nothing)

    return group
      .handle("picture", ({ params, query, request }) =>
        Effect.gen(function* () {
          const { id } = yield* find(params.run_id, query.token)
          const picture = (yield* stepsOf(id)).find(({ ordinal }) => ordinal === params.number)?.picture ?? null
          const url = picture === null ? null : (yield* linksOf(request)).recording(picture)
          if (url === null) return yield* new NotFoundError({ detail: "This step has no picture" })
          return HttpServerResponse.redirect(pathOf(url), { headers: { "cache-control": "no-store" } })
        })
      )
      .handleAll({
        get: ({ params, query }) =>
          Effect.gen(function* () {
            const turn = yield* find(params.run_id, query.token)
            const steps = yield* stepsOf(turn.id)
            return {
              ...Struct.omit(runOf(turn), [
                "failure",
                "isSuccess",
                "node",
                "owner",
                "sessionId",
                "tags",
                "workspaceId"
              ]),
              stepList: steps.map(stepOf(turn))
            }
          })
      })
  })
)

/** Serves the runs that links show. */
export const layer = HttpApiBuilder.layer(Served).pipe(Layer.provide(handlers))
