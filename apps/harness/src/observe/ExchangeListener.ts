import * as Context from "effect/Context"
import type { TrialLog } from "./TrialLog.ts"
import type { Seen } from "./Seen.ts"

/** Receives each attempt of a request twice, when it begins and when it has ended, and the log of its trial. */
export type ExchangeListener = (seen: Seen, log: TrialLog) => void

/** A listener for every request as it happens; none unless one is provided. */
export const ExchangeListener: Context.Reference<ExchangeListener | undefined> = Context.Reference<
  ExchangeListener | undefined
>("webagent-harness/ExchangeListener", { defaultValue: () => undefined })
