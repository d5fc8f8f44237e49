import type { Account } from "@webagent/contract/v4"
import { Decimal, Engine } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Caller } from "./Caller.ts"

const day_ms = 86_400_000

/** Published clients read the plan of an account; no server of ours has plans. */
const plan = {
  planName: "none",
  subscriptionStatus: null,
  subscriptionId: null,
  subscriptionCurrentPeriodEnd: null,
  subscriptionCanceledAt: null
}

/** The operation on the account of a key, the same in every version that has it. */
export const make = Effect.map(Engine, ({ lists }) => ({
  account: Effect.gen(function* () {
    const { key, name, owner } = yield* Caller
    const now_ms = yield* Clock.currentTimeMillis
    const from_ms = now_ms - (now_ms % day_ms)
    const spend = yield* lists.spend({ from_ms, to_ms: from_ms + day_ms, ...(owner === null ? {} : { owner }) })
    const used = Number(spend.reduce((sum, { cost }) => Decimal.add(sum, cost), "0"))
    const usdPerDay = key?.limits.usdPerDay ?? null
    const rest = usdPerDay === null ? null : Math.max(0, usdPerDay - used)
    const account: Account = {
      name,
      totalCreditsBalanceUsd: rest,
      // the limit of a key is no monthly credit of a plan
      monthlyCreditsBalanceUsd: 0,
      additionalCreditsBalanceUsd: rest,
      planInfo: plan,
      isFreeTier: false,
      tracingDisabled: true,
      rateLimit: key?.limits.requestsPerMinute ?? null,
      usedTodayUsd: used,
      maxRuns: key?.limits.runs ?? null,
      maxBrowsers: key?.limits.browsers ?? null
    }
    return account
  })
}))
