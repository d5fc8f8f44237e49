/**
 * Reads the statuses of a run as a stream, one for each change.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 14_progress
 */
import { Runs } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const { id } = yield* runs.create({
    task: "Compare the prices of the red mug in ten shops [simulate duration=100ms]"
  })
  return yield* runs.watch(id).pipe(
    Stream.map(({ status }) => status),
    Stream.tap((status) => Effect.log(`run ${id} is ${status}`)),
    Stream.runCollect
  )
})
