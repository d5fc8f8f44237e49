import { BadCursorError, type ListedShare, NotFoundError, pageSize } from "@webagent/admin"
import { fromMillis } from "@webagent/contract"
import { Engine, Owner, RunNotes, type RunNotesService, type RunShare, Turn } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Cursor from "../../api/Cursor.ts"
import { LinkTokens } from "../../api/LinkTokens.ts"
import { originOf } from "../../api/Origin.ts"
import * as RunShares from "../../api/RunShares.ts"
import { makeNotable } from "./MarkHandlers.ts"
import { group } from "./Operations.ts"

/** For how long a link shows a run by default. */
const defaultDays = 30

const day_ms = 86_400_000

/** Number of links that one request looks at, because those of other keys and those that expired are left out. */
const mostLooked = 1000

type Shares = Effect.Success<ReturnType<RunNotesService["shares"]>>

/** Links that show one run. */
export const layer = group("shares", function* (handlers) {
  const engine = yield* Engine
  const stored = yield* RunNotes
  const find = makeNotable(engine, stored)
  const tokens = yield* LinkTokens

  const linkOf = (request: HttpServerRequest.HttpServerRequest, runId: string, share: RunShare) =>
    Effect.map(originOf(request), (origin) => {
      const token = RunShares.tokenOf(tokens, runId, share)
      return {
        runId,
        url: `${origin}${RunShares.path(runId)}?token=${token}`,
        token,
        createdAt: fromMillis(share.createdAt_ms),
        expiresAt: fromMillis(share.expiresAt_ms)
      }
    })

  /** The link of a run that the caller sees. */
  const listed = (request: HttpServerRequest.HttpServerRequest, runId: string, share: RunShare) =>
    Effect.gen(function* () {
      const turn = yield* engine.turn(runId)
      const link = yield* linkOf(request, runId, share)
      return [{ ...link, task: turn.task, title: Turn.titleOf(turn), owner: turn.owner }]
    }).pipe(Effect.catchTag("TurnNotFound", () => Effect.succeed([])))

  return handlers
    .handle("list", ({ query: { cursor, limit = pageSize.default }, request }) =>
      Effect.gen(function* () {
        const scope = { list: "admin.shares", owner: yield* Owner, filter: {} }
        let after: string | null | undefined = cursor === undefined ? null : Cursor.decodeText(scope, cursor)
        if (after === undefined) return yield* new BadCursorError({ detail: Cursor.badCursor })
        const now_ms = yield* Clock.currentTimeMillis
        const rows: Array<ListedShare> = []
        for (let left = mostLooked; left > 0 && rows.length < limit && after !== undefined;) {
          const wanted = limit - rows.length
          const shares: Shares = stored === null ? [] : yield* stored.shares(after, wanted)
          for (const { share, turnId } of shares) {
            if (share.expiresAt_ms > now_ms) rows.push(...(yield* listed(request, turnId, share)))
          }
          left -= shares.length
          after = shares.length < wanted ? undefined : shares.at(-1)?.turnId
        }
        const next = after === undefined || after === null ? null : Cursor.encodeText(scope, after)
        return { rows, next, complete: next === null || rows.length === limit }
      })
    )
    .handleAll({
      get: Effect.fnUntraced(function* ({ params, request }) {
        const { notes, turn } = yield* find(params.run_id)
        const { share } = yield* notes.get(turn.id)
        if (share === null || share.expiresAt_ms <= (yield* Clock.currentTimeMillis)) {
          return yield* new NotFoundError({ detail: "This run has no link" })
        }
        return yield* linkOf(request, turn.id, share)
      }),
      create: Effect.fnUntraced(function* ({ params, query: { days = defaultDays }, request }) {
        const { notes, turn } = yield* find(params.run_id)
        const createdAt_ms = yield* Clock.currentTimeMillis
        const share: RunShare = {
          // a link from before has another id
          id: createdAt_ms.toString(36),
          createdAt_ms,
          expiresAt_ms: createdAt_ms + days * day_ms
        }
        yield* notes.set(turn.id, { share })
        return yield* linkOf(request, turn.id, share)
      }),
      revoke: ({ params }) =>
        Effect.flatMap(find(params.run_id), ({ notes, turn }) => notes.set(turn.id, { share: null }))
    })
})
