import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { join } from "node:path"
import { reapLedger } from "./reapLedger.ts"
import type { Resumed } from "./Resumed.ts"
import type { RunOptions } from "./RunOptions.ts"

/**
 * Stops what the killed process of a run left open at its target, by the run's ledger. A simulated service inside that
 * process has died with all that it had. What cannot be stopped is said, and does not keep the run from going on.
 */
export const stopLeftovers = Effect.fnUntraced(function* (options: RunOptions, { directory }: Resumed) {
  const fs = yield* FileSystem.FileSystem
  const ledger = join(directory, "ledger")
  if (options.target === "simulated" || !(yield* Effect.orElseSucceed(fs.exists(ledger), () => false))) return
  yield* reapLedger({
    ledger,
    target: Option.some(options.target),
    apiKeyEnv: options.apiKeyEnv,
    owner: Option.none(),
    olderThan: Duration.zero,
    for: Duration.minutes(1),
    forget: [],
    dryRun: false
  }).pipe(Effect.catchTag("NotGreen", () => Effect.void))
})
