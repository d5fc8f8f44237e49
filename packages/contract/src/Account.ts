import * as Schema from "effect/Schema"
import { answer, nullable, undescribed } from "./OpenRecord.ts"
import type { Operation } from "./Operation.ts"
import { accountOperations as operations } from "./Wire.ts"

const subscribed = Schema.optionalKey(Schema.NullOr(Schema.String))

/** The plan of an account; a field of a subscription is null without one. */
export const AccountPlan = Schema.Struct({
  planName: Schema.String,
  subscriptionStatus: subscribed,
  subscriptionId: subscribed,
  subscriptionCurrentPeriodEnd: subscribed,
  subscriptionCanceledAt: subscribed
})

/**
 * The use that an API key has made, and the use that it may make. Amounts are in USD, `rateLimit` in requests per minute,
 * and null is unlimited. A day begins at midnight UTC.
 */
export const Account = answer({
  name: nullable(Schema.String),
  totalCreditsBalanceUsd: undescribed(Schema.NullOr(Schema.Finite)),
  monthlyCreditsBalanceUsd: undescribed(Schema.Finite),
  additionalCreditsBalanceUsd: undescribed(Schema.NullOr(Schema.Finite)),
  planInfo: undescribed(AccountPlan),
  isFreeTier: undescribed(Schema.Boolean),
  tracingDisabled: undescribed(Schema.Boolean),
  rateLimit: undescribed(Schema.NullOr(Schema.Int)),
  // fields of our own: the cost of the runs that finished today, and the most runs and browsers at once
  usedTodayUsd: undescribed(Schema.Finite),
  maxRuns: undescribed(Schema.NullOr(Schema.Int)),
  maxBrowsers: undescribed(Schema.NullOr(Schema.Int))
}).annotate({ identifier: "Account" })
export type Account = typeof Account.Type

/** The operation on the account of an API key. */
export const AccountExtensions = {
  account: { ...operations.getAccount, success: Account }
} as const satisfies Readonly<Record<string, Operation>>
