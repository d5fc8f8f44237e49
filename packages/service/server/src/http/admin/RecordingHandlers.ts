import { Engine } from "@webagent/engine"
import { fromMillis } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as Links from "../../api/Links.ts"
import { group } from "./Operations.ts"
import * as Pages from "./Pages.ts"

/** Recordings of browsers. */
export const layer = group("recordings", function* (handlers) {
  const { lists } = yield* Engine
  const linksOf = yield* Links.make
  return handlers.handle("list", ({ query: { cursor, from, key, limit, to }, request }) =>
    Effect.gen(function* () {
      const filter = {
        ...(yield* Pages.createdBetween({ from, to })),
        ...(key === undefined ? {} : { owner: key })
      }
      const links = yield* linksOf(request)
      const page = yield* Pages.read(
        { list: "admin.recordings", filter, cursor, limit },
        (after, rows) => lists.browsers(filter, after, rows),
        (browser) => browser
      )
      const recorded = page.rows.filter(({ recording }) => recording)
      return {
        ...page,
        complete: page.next === null || (page.complete && recorded.length === page.rows.length),
        rows: recorded.map(({ finishedAt_ms, id, owner, startedAt_ms, status }) => ({
          browserId: id,
          owner,
          url: status === "stopped" ? links.recording(id) : null,
          startedAt: fromMillis(startedAt_ms),
          finishedAt: finishedAt_ms === null ? null : fromMillis(finishedAt_ms)
        }))
      }
    })
  )
})
