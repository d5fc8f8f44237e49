import { ControlClient } from "@webagent/control"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"

/** Our server's own findings about the requests that it received. */
export interface Findings {
  /** Number of findings of each oracle; 0 is expected. */
  readonly verdicts: Readonly<Record<string, number>>
  /** Browsers that are not stopped. */
  readonly browsersOpen: number
  /** Runs that are not over. */
  readonly turnsOpen: number
}

/** Asks the control API of a server on a port of this machine. */
export const findings = (port: number, key: string): Promise<Findings> =>
  Effect.gen(function* () {
    const { record } = yield* ControlClient.make({ address: `http://127.0.0.1:${port}`, key })
    const { verdicts } = yield* record.getVerdicts()
    const { browsers, turns } = yield* record.getOpen()
    return {
      verdicts: Object.fromEntries(verdicts.map(({ count, oracle }) => [oracle, count])),
      browsersOpen: browsers.length,
      turnsOpen: turns.length
    }
  }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise)
