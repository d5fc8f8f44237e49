import type { BadCursorError, CancelledRuns, CancelRuns } from "@webagent/admin"
import { mostIds } from "@webagent/admin"
import type { HTTPValidationError } from "@webagent/contract"
import { type Engine, type Place, type StoreUnavailable, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Audit from "../../api/Audit.ts"
import * as Pages from "./Pages.ts"
import * as RunFilter from "./RunFilter.ts"

/** Number of runs that are cancelled at the same time. */
const atOnce = 16

/** Rows of a page of the walk. */
const pageRows = 100

const open: ReadonlyArray<Turn.TurnStatus> = ["queued", "dispatching", "running"]

type Outcome = "cancelled" | "already" | "notFound"

/** Cancels runs of a caller. */
export const make = (engine: Engine["Service"]) => {
  const cancel = (id: string, onlyQueued: boolean): Effect.Effect<Outcome, StoreUnavailable> =>
    Effect.gen(function* () {
      const before = yield* engine.turn(id)
      if (Turn.isTerminal(before.status)) return "already"
      const { status } = yield* engine.cancelTurn(id, { onlyQueued })
      // it may have finished by itself in the meantime, or begun
      return status === "cancelled" || !(onlyQueued || Turn.isTerminal(status)) ? "cancelled" : "already"
    }).pipe(Effect.catchTag("TurnNotFound", () => Effect.succeed<Outcome>("notFound")))

  const cancelAll = Effect.fnUntraced(function* (sent: ReadonlyArray<string>, next: string | null, onlyQueued = false) {
    const ids = [...new Set(sent)]
    yield* Audit.note(ids)
    const outcomes = yield* Effect.forEach(ids, (id) => cancel(id.toLowerCase(), onlyQueued), { concurrency: atOnce })
    const those = (outcome: Outcome) => ids.filter((_, index) => outcomes[index] === outcome)
    return {
      cancelled: those("cancelled"),
      already: those("already"),
      notFound: those("notFound"),
      next
    } satisfies CancelledRuns
  })

  return (
    request: typeof CancelRuns.Type
  ): Effect.Effect<CancelledRuns, BadCursorError | HTTPValidationError | StoreUnavailable> =>
    Effect.gen(function* () {
      if ("ids" in request) return yield* cancelAll(request.ids, null, request.onlyQueued)
      const filter = yield* RunFilter.of("filter" in request ? request.filter : {})
      const statuses = open.filter((status) => filter.statuses?.includes(status) ?? true)
      const walk = { list: "admin.runs.cancel", filter: { ...filter } }
      let after: Place | null = yield* Pages.placeOf({ ...walk, cursor: request.cursor })
      const ids: Array<string> = []
      for (;;) {
        // places are read before the first run is cancelled, because that moves it out of the list
        const page = yield* engine.lists.turns({ ...filter, statuses }, after, pageRows)
        ids.push(...page.rows.map(({ id }) => id))
        after = page.next
        if (after === null || ids.length > mostIds - pageRows) break
      }
      return yield* cancelAll(ids, yield* Pages.cursorOf(walk, after))
    })
}
