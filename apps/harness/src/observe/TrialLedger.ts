import { Ledger, LedgerMemory } from "@webagent/core"
import * as Effect from "effect/Effect"
import { TrialLog } from "./TrialLog.ts"

/** The ledger of a run: each trial's log has what it made, and so has a file once there is one. */
export interface TrialLedger extends Ledger.Ledger {
  /** Writes what happens from now on there, too. */
  readonly keepIn: (file: Ledger.Ledger) => Effect.Effect<void>
}

/** A ledger that nothing is in, and no file. */
export const make: Effect.Effect<TrialLedger> = Effect.gen(function* () {
  const memory = yield* LedgerMemory.make
  let file = Ledger.none
  return {
    write: (entry) =>
      Effect.flatMap(TrialLog, (log) => {
        log.ledger.add(entry)
        return Effect.andThen(memory.write(entry), file.write(entry))
      }),
    open: memory.open,
    keepIn: (kept) => Effect.sync(() => void (file = kept))
  }
})
