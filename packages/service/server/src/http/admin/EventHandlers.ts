import { BadCursorError } from "@webagent/admin"
import { Engine } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { EventHub } from "../../api/EventHub.ts"
import * as ServerSentEvents from "../../api/ServerSentEvents.ts"
import * as EventLog from "./EventLog.ts"
import * as LiveEvents from "./LiveEvents.ts"
import { group } from "./Operations.ts"
import * as Pages from "./Pages.ts"

/** Changes as they happen, as server-sent events, and those of the past as pages. */
export const layer = group("events", function* (handlers) {
  const feed = yield* LiveEvents.make
  const hub = yield* EventHub
  const { events } = yield* Engine
  const past = EventLog.make(events)
  return handlers
    .handle("list", ({ query: { cursor, limit, ...filter } }) =>
      Pages.read(
        { list: "admin.events", filter, cursor, limit },
        (after, rows) => past(filter, after, rows),
        EventLog.viewOf
      )
    )
    .handleAll({
      stream: Effect.fnUntraced(function* ({ headers, query: { run = null } }) {
        const lastEventId = headers["last-event-id"]
        if (ServerSentEvents.positionOf(lastEventId) === null) {
          return yield* new BadCursorError({
            detail:
              "Last-Event-ID must be the id of an event of this server. Leave it out to start with the next change"
          })
        }
        const context = yield* Effect.context<never>()
        const changes = feed({ after: lastEventId || null, run: run?.toLowerCase() ?? null }).pipe(
          Stream.map((change) => ({ ...change, id: Number(change.id) })),
          Stream.catch((error) => Stream.fromEffectDrain(Effect.logDebug("A stream of events ended", error))),
          Stream.provideContext(context)
        )
        return ServerSentEvents.respond(yield* hub.ofCaller(changes))
      })
    })
})
