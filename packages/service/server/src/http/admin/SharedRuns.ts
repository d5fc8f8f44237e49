import { NotFoundError, SharedRunsApi } from "@webagent/admin"
import { Engine, Recordings, RunNotes, type Turn } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Struct from "effect/Struct"
import * as LazyGroup from "../../api/LazyGroup.ts"
import { LinkOwners } from "../../api/LinkOwners.ts"
import * as Links from "../../api/Links.ts"
import { LinkTokens } from "../../api/LinkTokens.ts"
import { NodeRouting } from "../../api/Placement.ts"
import * as RunShares from "../../api/RunShares.ts"
import { runOf, stepOf } from "./Conversion.ts"
import { Installation } from "./Installation.ts"

/** The runs that links show, as this server serves them. */
export const Served = SharedRunsApi.middleware(NodeRouting)

const nothing = () => Effect.fail(new NotFoundError({ detail: "This link shows nothing. Check that it is complete" }))

/** The handlers of the runs that links show. */
export const layer = LazyGroup.make(Served, "sharedRuns", function* (group) {
  const engine = yield* Engine
  const notes = yield* RunNotes
  const recordings = yield* Recordings
  const owners = yield* LinkOwners
  const tokens = yield* LinkTokens
  const linksOf = yield* Links.make
  const { browsers } = yield* Installation

  /** The run of a link: all links that open nothing get the same response. */
  const find = Effect.fnUntraced(function* (runId: string, token: string | undefined) {
    const id = runId.toLowerCase()
    const share = notes === null ? null : (yield* notes.get(id)).share
    if (!RunShares.opens(tokens, id, share, token, yield* Clock.currentTimeMillis)) return yield* nothing()
    const turn = yield* Effect.catchTag(engine.turn(id), "TurnNotFound", nothing)
    return (yield* owners.mayOpen(turn.owner)) ? turn : yield* nothing()
  })
  const stepsOf = (id: string) => Effect.catchTag(engine.steps(id), "TurnNotFound", nothing)

  /** The browser whose recording shows this run, and no other run of its session. */
  const recordedIn = ({ sessionId }: Turn.Turn) =>
    Effect.map(
      Effect.catchTag(engine.session(sessionId), "SessionNotFound", nothing),
      ({ session: { browserId, recording, status, turnCount } }) =>
        recording && status === "stopped" && turnCount === 1 ? browserId : null
    )

  /** Sends the browser on to the node with a file; its link is valid for an hour. */
  const fileOf = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    file: string | null,
    missing: string
  ) {
    const url = file === null ? null : (yield* linksOf(request)).recording(file)
    if (url === null) return yield* new NotFoundError({ detail: missing })
    return HttpServerResponse.redirect(Links.pathOf(url), { headers: { "cache-control": "no-store" } })
  })

  return group
    .handle("picture", ({ params, query, request }) =>
      Effect.gen(function* () {
        const { id } = yield* find(params.run_id, query.token)
        const picture = (yield* stepsOf(id)).find(({ ordinal }) => ordinal === params.number)?.picture ?? null
        return yield* fileOf(request, picture, "This step has no picture")
      })
    )
    .handle("recording", ({ params, query, request }) =>
      Effect.gen(function* () {
        const browserId = yield* recordedIn(yield* find(params.run_id, query.token))
        return yield* fileOf(request, browserId, "This run has no recording of its own")
      })
    )
    .handleAll({
      get: Effect.fnUntraced(function* ({ params, query }) {
        const turn = yield* find(params.run_id, query.token)
        const steps = yield* stepsOf(turn.id)
        return {
          ...Struct.omit(runOf(turn), ["failure", "isSuccess", "node", "owner", "sessionId", "tags", "workspaceId"]),
          stepList: steps.map(stepOf(turn)),
          recording: recordings !== null && (yield* recordedIn(turn)) !== null,
          simulated: browsers.startsWith("simulated")
        }
      })
    })
})
