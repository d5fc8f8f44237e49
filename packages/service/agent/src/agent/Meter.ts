import type { Attempt, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as ModelCost from "../model/ModelCost.ts"
import type { Spent } from "../model/Models.ts"

/** Counts what the model calls of a turn use, and stores it before anything else happens: also of a cancelled turn. */
export const make = (used: Attempt["used"]) => {
  let cost: ModelCost.ModelCost = 0n
  let estimate: ModelCost.ModelCost = 0n
  let input = 0
  let output = 0
  let calls = 0

  const usage = (): Turn.Usage => ({
    ...(cost === null ? {} : { cost: ModelCost.format(cost) }),
    tokens: { input, output }
  })

  return {
    /** Returns the cost that counts toward the cost limit. */
    estimate: () => (calls === 0 ? null : estimate),
    tokens: () => input + output,
    spent: (spent: Spent): Effect.Effect<void> =>
      Effect.suspend(() => {
        calls += 1
        cost = ModelCost.add(cost, spent.cost)
        estimate = ModelCost.add(estimate, spent.estimate)
        input += spent.usage.inputTokens.total ?? 0
        output += spent.usage.outputTokens.total ?? 0
        // an agent whose lease is lost is ended by the engine
        return Effect.uninterruptible(Effect.ignore(used(usage())))
      })
  }
}
