import * as Context from "effect/Context"
import type { TrialLog } from "./TrialLog.ts"
import type { Seen } from "./Seen.ts"

/** Told of each attempt of a request when it has ended, and whose it was. */
export type ExchangeListener = (seen: Seen, log: TrialLog) => void

/** A listener for every request as it happens; none unless one is provided. */
export const ExchangeListener: Context.Reference<ExchangeListener | undefined> = Context.Reference<
  ExchangeListener | undefined
>("webagent-harness/ExchangeListener", { defaultValue: () => undefined })
