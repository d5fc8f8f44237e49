import type { PastEvent, PastEventFilters } from "@webagent/admin"
import { fromMillis } from "@webagent/contract"
import { type Engine, Owner, type Page, type Place, type StoredEvent, turnIdOf } from "@webagent/engine"
import * as Effect from "effect/Effect"

/** Number of events that are read at a time if a filter leaves most of them out. */
const chunk = 500

/** Number of events that one request looks at. */
const mostLooked = 10_000

const kindOf = ({ event: { control, of } }: StoredEvent): PastEvent["kind"] =>
  of === "turn" ? "run" : of === "browser" && control !== undefined ? "control" : of

/** A change as the admin API shows it. */
export const viewOf = (stored: StoredEvent): PastEvent => {
  const { at_ms, control = null, from, id, owner, question, step = null, to } = stored.event
  return {
    position: String(stored.cursor),
    at: fromMillis(at_ms),
    kind: kindOf(stored),
    id,
    step,
    owner,
    from,
    to,
    control,
    question: question?.change ?? null
  }
}

/** Reads pages of the log for the owner of the current request, newest first. */
export const make = (log: Engine["Service"]["events"]) => {
  /** The changes of a run and its steps before a position. They are few: a run has a limit of steps. */
  const ofRun = Effect.fnUntraced(function* (id: string, before: number) {
    const found: Array<StoredEvent> = []
    for (let after = 0, isLast = false; !isLast;) {
      const page: ReadonlyArray<StoredEvent> = yield* log.eventsOf(id, after, chunk)
      found.push(...page.filter(({ cursor }) => cursor < before))
      after = page.at(-1)?.cursor ?? after
      isLast = page.length < chunk || after >= before
    }
    return found.toReversed()
  })

  return Effect.fnUntraced(function* (filter: typeof PastEventFilters.Type, after: Place | null, limit: number) {
    const { before, key, kind, run } = filter
    const owner = yield* Owner
    const fits = (stored: StoredEvent) =>
      (owner === null || stored.event.owner === owner) &&
      (key === undefined || stored.event.owner === key) &&
      (kind === undefined || kindOf(stored) === kind) &&
      (run === undefined || turnIdOf(stored.event) === run.toLowerCase())
    const [oldest, newest] = yield* Effect.all([log.oldestEvent, log.newestEvent])
    let end = Math.min(after?.n ?? before ?? Infinity, newest + 1)
    const found: Array<StoredEvent> = []
    if (run !== undefined) {
      found.push(...(yield* ofRun(run.toLowerCase(), end)).filter(fits))
      end = oldest
    }
    // one more than the page has, so that its end is known
    const size = owner === null && key === undefined && kind === undefined ? limit + 1 : chunk
    for (let left = mostLooked; left > 0 && found.length <= limit && end > oldest; left -= size) {
      // positions have no gaps, so the page before a position is as many positions away
      const start = Math.max(oldest, end - size)
      const page = yield* log.eventsAfter(start - 1, end - start)
      found.push(...page.filter((stored) => stored.cursor < end && fits(stored)).toReversed())
      end = start
    }
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1)?.cursor : end > oldest ? end : undefined
    return { rows, next: last === undefined ? null : { at_ms: 0, n: last } } satisfies Page<StoredEvent>
  })
}
