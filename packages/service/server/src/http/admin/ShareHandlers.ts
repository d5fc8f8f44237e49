import { fromMillis } from "@webagent/contract"
import { Engine, RunNotes, type RunShare } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { LinkTokens } from "../../api/LinkTokens.ts"
import { originOf } from "../../api/Origin.ts"
import * as RunShares from "../../api/RunShares.ts"
import { makeNotable } from "./MarkHandlers.ts"
import type { Operations } from "./Operations.ts"

/** For how long a link shows a run. */
const lifetime_ms = 30 * 86_400_000

/** Links that show one run. */
export const layer = (api: Operations) =>
  HttpApiBuilder.group(
    api,
    "shares",
    Effect.fnUntraced(function* (handlers) {
      const find = makeNotable(yield* Engine, yield* RunNotes)
      const tokens = yield* LinkTokens
      return handlers.handleAll({
        create: ({ params, request }) =>
          Effect.gen(function* () {
            const { notes, turn } = yield* find(params.run_id)
            const createdAt_ms = yield* Clock.currentTimeMillis
            const share: RunShare = {
              // a link from before has another id
              id: createdAt_ms.toString(36),
              createdAt_ms,
              expiresAt_ms: createdAt_ms + lifetime_ms
            }
            yield* notes.set(turn.id, { share })
            const token = RunShares.tokenOf(tokens, turn.id, share)
            return {
              runId: turn.id,
              url: `${yield* originOf(request)}${RunShares.path(turn.id)}?token=${token}`,
              token,
              createdAt: fromMillis(createdAt_ms),
              expiresAt: fromMillis(share.expiresAt_ms)
            }
          }),
        revoke: ({ params }) =>
          Effect.flatMap(find(params.run_id), ({ notes, turn }) => notes.set(turn.id, { share: null }))
      })
    })
  )
