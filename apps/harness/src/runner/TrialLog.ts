import * as Context from "effect/Context"
import type { Exchange } from "./RunReport.ts"

/** What is seen of one scenario from outside while it runs: its last request, open browsers and costs. */
export interface TrialLog {
  lastExchange: Exchange | undefined
  readonly openBrowsers: Set<string>
  /** USD by run id. */
  readonly costs: Map<string, number>
}

/** An empty log. */
export const make = (): TrialLog => ({ lastExchange: undefined, openBrowsers: new Set(), costs: new Map() })

/** The log of the scenario that the fiber belongs to. */
export const TrialLog: Context.Reference<TrialLog> = Context.Reference("webagent-harness/TrialLog", {
  defaultValue: make
})

/** What the runs of a log cost together, in USD. */
export const costOf = (log: TrialLog): number => [...log.costs.values()].reduce((sum, cost) => sum + cost, 0)
