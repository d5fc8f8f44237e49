import * as Effect from "effect/Effect"
import { coloured, plain } from "@webagent/cli/Style"
import type { RunEvent } from "@webagent/report/RunEvent"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { ExchangeListener } from "../../observe/ExchangeListener.ts"
import { exchangeLine } from "./ExchangeLine.ts"
import * as RepeatedPolls from "./RepeatedPolls.ts"

/** Shows a run's requests while it goes on. */
export interface Debugging {
  readonly emit: (event: RunEvent) => Effect.Effect<void>
  readonly listening: <A, E, R>(run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Shows nothing. */
export const none: Debugging = { emit: () => Effect.void, listening: (run) => run }

/** Writes each trial's name and each request of it to standard error; `redact` takes the key out. */
export const make = (redact: (text: string) => string): Debugging => {
  const isColoured = process.stderr.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb"
  const style = isColoured ? coloured : plain
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const polls = RepeatedPolls.make(say)
  return {
    emit: (event) =>
      Effect.sync(() => {
        if (event._tag === "TrialStarted" || event._tag === "RunFinished") polls.flush()
        if (event._tag === "TrialStarted") {
          say(`${style.strong(scenarioTitle({ suite: event.suite, name: event.scenario }))} · trial ${event.index + 1}`)
        }
      }),
    listening: Effect.provideService(ExchangeListener, (seen, log) => {
      if (seen.endedAt_ms === undefined) return
      polls.add(seen, log, () => exchangeLine(seen, log.exchanges, { redact, style }))
    })
  }
}
