import * as Context from "effect/Context"
import { totalCost } from "./RunReport.ts"
import type { Exchange } from "./Trial.ts"

/** What is seen of one trial from outside while it runs: its last request, open browsers and costs. */
export interface TrialLog {
  lastExchange: Exchange | undefined
  requests: number
  readonly openBrowsers: Set<string>
  /** USD by run id, as exact decimals. */
  readonly costs: Map<string, string>
}

/** An empty log. */
export const make = (): TrialLog => ({
  lastExchange: undefined,
  requests: 0,
  openBrowsers: new Set(),
  costs: new Map()
})

/** The log of the trial that the fiber belongs to. */
export const TrialLog: Context.Reference<TrialLog> = Context.Reference("webagent-harness/TrialLog", {
  defaultValue: make
})

/** What the runs of a log cost together, in USD, as an exact decimal. */
export const costOf = (log: TrialLog): string => totalCost(log.costs.values())
