import type { LeakedBrowser } from "@webagent/report/Trial"
import * as Effect from "effect/Effect"
import type { RunnerOptions } from "./RunnerOptions.ts"

/**
 * Stops the browsers that a trial left open, and returns those that it leaked. A trial that only the infrastructure ended
 * could not stop them, so then only a browser that the harness can't stop either is a leak.
 */
export const stop = Effect.fnUntraced(function* (
  ids: Iterable<string>,
  isInfra: boolean,
  { stopBrowser }: Pick<RunnerOptions, "stopBrowser">
): Effect.fn.Return<ReadonlyArray<LeakedBrowser>> {
  const browsers = yield* Effect.forEach(ids, (id) => Effect.map(stopBrowser(id), (stopped) => ({ id, stopped })))
  return browsers.filter(({ stopped }) => !stopped || !isInfra)
})
