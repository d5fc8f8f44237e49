import type { SpendRow } from "@webagent/admin"
import { Decimal, Engine, type Spend, Turn } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { invalid } from "../../api/Invalid.ts"
import { group } from "./Operations.ts"

const day_ms = 86_400_000

/** Maximum number of days of a request, and the number by default. */
const mostDays = 366
const defaultDays = 30

/** Number of runs in a list of the costliest ones. */
const mostRuns = 50

const dayOf = (at_ms: number): string => new Date(at_ms).toISOString().slice(0, 10)

/** The beginning of a day; fails for one that isn't in the calendar, such as 2026-02-30. */
const beginOf = (field: string, day: string) => {
  const at_ms = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(at_ms) || dayOf(at_ms) !== day
    ? Effect.fail(invalid(["query", field], `There is no day ${day}`))
    : Effect.succeed(at_ms)
}

const groupings = {
  day: ({ day_ms: at_ms }: Spend) => ({ day: dayOf(at_ms), key: null, model: null }),
  key: ({ owner }: Spend) => ({ day: null, key: owner, model: null }),
  model: ({ model }: Spend) => ({ day: null, key: null, model })
}

const sumBy = (spends: ReadonlyArray<Spend>, by: keyof typeof groupings): ReadonlyArray<SpendRow> => {
  const rows = new Map<string, SpendRow>()
  for (const spend of spends) {
    const group = groupings[by](spend)
    const name = JSON.stringify(group)
    const before = rows.get(name) ?? { ...group, usd: "0", runs: 0, inputTokens: 0, outputTokens: 0 }
    rows.set(name, {
      ...before,
      usd: Decimal.add(before.usd, spend.cost),
      runs: before.runs + spend.turns,
      inputTokens: before.inputTokens + spend.inputTokens,
      outputTokens: before.outputTokens + spend.outputTokens
    })
  }
  return [...rows.values()]
}

const rowOfRun = (turn: Turn.Turn): SpendRow => ({
  day: null,
  key: turn.owner,
  model: turn.model,
  run: { id: turn.id, title: Turn.titleOf(turn) ?? turn.task },
  usd: turn.cost ?? "0",
  runs: 1,
  inputTokens: turn.tokens?.input ?? 0,
  outputTokens: turn.tokens?.output ?? 0
})

/** Cost of finished runs. */
export const layer = group("spend", function* (handlers) {
  const { lists } = yield* Engine
  return handlers.handleAll({
    get: Effect.fnUntraced(function* ({ query }) {
      const now_ms = yield* Clock.currentTimeMillis
      const last_ms = query.to === undefined ? now_ms - (now_ms % day_ms) : yield* beginOf("to", query.to)
      const first_ms =
        query.from === undefined
          ? Math.max(0, last_ms - (defaultDays - 1) * day_ms)
          : yield* beginOf("from", query.from)
      if (first_ms > last_ms) return yield* invalid(["query", "from"], "from is after to")
      if (last_ms - first_ms >= mostDays * day_ms) {
        return yield* invalid(["query", "from"], `Ask for at most ${mostDays} days`)
      }
      const days = { from_ms: first_ms, to_ms: last_ms + day_ms }
      const spends = yield* lists.spend(days)
      const { by = "day" } = query
      return {
        from: dayOf(first_ms),
        to: dayOf(last_ms),
        rows: by === "run" ? (yield* lists.costliest(days, mostRuns)).map(rowOfRun) : sumBy(spends, by),
        totalUsd: spends.reduce((sum, { cost }) => Decimal.add(sum, cost), "0")
      }
    })
  })
})
