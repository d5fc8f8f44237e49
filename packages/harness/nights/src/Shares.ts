import type * as Fisher from "@webagent/statistics/Fisher"
import type { NightScenario } from "./Night.ts"

/** All trials together. */
export const pooled = (shares: ReadonlyArray<Fisher.Share>): Fisher.Share => ({
  passed: shares.reduce((sum, { passed }) => sum + passed, 0),
  of: shares.reduce((sum, { of }) => sum + of, 0)
})
/** Number of trials that did not pass. */
export const failed = ({ of, passed }: Fisher.Share) => of - passed
/** The same, with failures for successes. */
export const failures = (share: Fisher.Share): Fisher.Share => ({ passed: failed(share), of: share.of })
/** Number of a scenario's trials that passed, out of those that are scored. */
export const shareOf = ({ passed, scored }: NightScenario): Fisher.Share => ({ passed, of: scored })
