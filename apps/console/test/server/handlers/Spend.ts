import { ConsoleApi, type Run, type SpendRow } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { present_ms, type World } from "../World.ts"

/** A day before the made-up present. */
const dayOf = (ago: number) => new Date(present_ms - ago * 86_400_000).toISOString().slice(0, 10)

const days = Array.from({ length: 14 }, (_, n): SpendRow => ({
  day: dayOf(n),
  key: null,
  model: null,
  usd: (0.4 + ((n * 7) % 5) * 0.31).toFixed(4),
  runs: 20 + n,
  inputTokens: 1000,
  outputTokens: 100
}))

const rowOf = ({ id, model, owner, task, totalCostUsd, totalInputTokens, totalOutputTokens }: Run): SpendRow => ({
  day: null,
  key: owner,
  model,
  run: { id, title: task },
  usd: totalCostUsd ?? "0",
  runs: 1,
  inputTokens: totalInputTokens ?? 0,
  outputTokens: totalOutputTokens ?? 0
})

/** The cost of runs, by day whatever the grouping is, except for runs. */
export const spend = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "spend", (handlers) =>
    handlers.handleAll({
      get: ({ query }) =>
        Effect.sync(() => ({
          from: "2026-11-01",
          to: "2026-11-28",
          totalUsd: "12.3456",
          rows:
            query.by === "run"
              ? [...world.runs.values()]
                  .map(rowOf)
                  .toSorted((a, b) => Number(b.usd) - Number(a.usd))
                  .slice(0, 12)
              : days
        }))
    })
  )
