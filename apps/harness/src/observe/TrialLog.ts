import { OpenItems } from "@webagent/core"
import * as Context from "effect/Context"
import type * as Tracer from "effect/Tracer"
import type { Seen } from "./Seen.ts"
import * as Money from "@webagent/cli/Money"
import type { Printed, SentRequest } from "@webagent/report/Trial"

/** A resource that a create request made. */
export interface Made {
  readonly kind: "run" | "session" | "browser"
  /** The session of a run, where the answer named it. */
  readonly sessionId: string | undefined
  /** When its answer had come, in milliseconds since 1970. */
  readonly at_ms: number
}

/**
 * The state of a run or session after its trial. `stopped`: it was running, and was stopped. `running`: it couldn't be
 * stopped. `unknown`: the service didn't report it.
 */
export type StateAfter = "over" | "stopped" | "running" | "unknown"

/** Observations of one trial from outside while it runs. All of them are bounded. */
export interface TrialLog {
  /** Tells it from all other logs of this process. */
  readonly serial: number
  /** Its suite and scenario. */
  readonly name: string
  /** The index of the trial in its scenario. */
  readonly index: number
  /** When it began, in milliseconds since 1970. */
  began_ms: number
  lastExchange: SentRequest | undefined
  /** The status of a run, session or task that was told last. */
  lastStatus: string | undefined
  /** The error in the latest response, if it has one. */
  answerError: string | undefined
  /** The reason why the latest failed run or task failed, in the service's words. */
  runError: string | undefined
  requests: number
  /** Browsers that it made and did not stop. */
  readonly openBrowsers: Set<string>
  /** USD by the id of a run, session or browser, as exact decimals. */
  readonly costs: Map<string, string>
  /** In the order in which they were sent; what is beyond `most` is only counted in `requests`. */
  readonly exchanges: Array<Seen>
  /** In the order in which they began. */
  readonly spans: Array<Tracer.Span>
  spansDropped: number
  /** Resources that its create requests made, by id. */
  readonly made: Map<string, Made>
  /** Runs and sessions whose end it was shown: their results were read. */
  readonly results: Set<string>
  /** Runs that it was told are over, and their last status. */
  readonly ended: Map<string, string>
  /** Runs and sessions that were over, or were stopped, when the harness looked after the trial. */
  readonly settled: Set<string>
  /** Create requests that its typed clients recorded. */
  readonly ledger: OpenItems
  /** The agent's opinion of its success, and the judge's, as last seen; null while there is none. */
  agent: boolean | null
  judge: boolean | null
  /** Captured output, bounded; `printed` counts all characters. */
  readonly output: Array<Printed>
  printed: number
  /** Reasons of rejected promises that the trial did not await, since its verdict once that is decided. */
  readonly rejections: Array<unknown>
}

/** Maximum number of exchanges, and of spans, that are stored for one trial. */
export const most = 2000

let logs = 0

/** An empty log. */
export const make = (name = "", index = 0): TrialLog => ({
  serial: ++logs,
  name,
  index,
  began_ms: 0,
  lastExchange: undefined,
  lastStatus: undefined,
  answerError: undefined,
  runError: undefined,
  requests: 0,
  openBrowsers: new Set(),
  costs: new Map(),
  exchanges: [],
  spans: [],
  spansDropped: 0,
  made: new Map(),
  results: new Set(),
  ended: new Map(),
  settled: new Set(),
  ledger: new OpenItems(),
  agent: null,
  judge: null,
  output: [],
  printed: 0,
  rejections: []
})

/** The log of the trial that the fiber belongs to. */
export const TrialLog: Context.Reference<TrialLog> = Context.Reference("webagent-harness/TrialLog", {
  defaultValue: () => make()
})

/** True if a run or session is finished according to the log. */
export const isOver = ({ ended, results, settled }: TrialLog, id: string): boolean =>
  results.has(id) || ended.has(id) || settled.has(id)

/** The ids of runs and sessions whose final cost isn't known. */
export const unpriced = ({ costs, made, results, settled }: TrialLog): ReadonlyArray<string> =>
  Array.from(made).flatMap(([id, { kind, sessionId }]) => {
    const isKnown = costs.has(id) && (results.has(id) || settled.has(id))
    // the cost of a session includes its runs
    const isIncluded = sessionId !== undefined && made.has(sessionId)
    return kind === "browser" || isKnown || isIncluded ? [] : [id]
  })

/** True if the trial created, or may have created, a resource whose cost isn't final yet. */
export const mayCostMore = (log: TrialLog): boolean =>
  unpriced(log).length > 0 ||
  Array.from(log.made).some(([id, { kind }]) => kind === "browser" && !log.costs.has(id)) ||
  log.ledger.list().some(({ id }) => id === undefined)

/** The cost of everything the trial created, in USD, as an exact decimal. A run of a session that it created is part of that. */
export const costOf = ({ costs, made }: TrialLog): string => {
  const ofSession = new Map<string, Array<string>>()
  for (const [id, { sessionId }] of made) {
    const cost = costs.get(id)
    if (sessionId === undefined || !made.has(sessionId) || cost === undefined) continue
    ofSession.set(sessionId, [...(ofSession.get(sessionId) ?? []), cost])
  }
  return Money.sum(
    Array.from(costs).flatMap(([id, cost]) => {
      const sessionId = made.get(id)?.sessionId
      if (sessionId !== undefined && made.has(sessionId)) return costs.has(sessionId) ? [] : [cost]
      // the session may have been read before its last run
      const runs = Money.sum(ofSession.get(id) ?? [])
      return [Money.isMore(runs, cost) ? runs : cost]
    })
  )
}
