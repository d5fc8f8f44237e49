import { OpenItems } from "@webagent/core"
import * as Context from "effect/Context"
import type * as Tracer from "effect/Tracer"
import type { Seen } from "./Seen.ts"
import * as Money from "@webagent/report/Money"
import type { Printed, SentRequest } from "@webagent/report/Trial"

/** What a create made. */
export interface Made {
  readonly kind: "run" | "session" | "browser"
  /** The session of a run, where the answer named it. */
  readonly sessionId: string | undefined
  /** When its answer had come, in milliseconds since 1970. */
  readonly at_ms: number
}

/** What is seen of one trial from outside while it runs. All of it is bounded. */
export interface TrialLog {
  /** Tells it from all other logs of this process. */
  readonly serial: number
  /** Its suite and scenario. */
  readonly name: string
  /** When it began, in milliseconds since 1970. */
  began_ms: number
  lastExchange: SentRequest | undefined
  /** The status of a run, session or task that was told last. */
  lastStatus: string | undefined
  /** What the last answer says is wrong, where it says anything. */
  answerError: string | undefined
  /** Why the run or task that failed last did so, in the service's words. */
  runError: string | undefined
  requests: number
  /** Browsers that it made and did not stop. */
  readonly openBrowsers: Set<string>
  /** USD by run id, as exact decimals. */
  readonly costs: Map<string, string>
  /** In the order in which they were sent; what is beyond `most` is only counted in `requests`. */
  readonly exchanges: Array<Seen>
  /** In the order in which they began. */
  readonly spans: Array<Tracer.Span>
  spansDropped: number
  /** What its creates made, by id. */
  readonly made: Map<string, Made>
  /** Runs and sessions whose end it was shown: their results were read. */
  readonly results: Set<string>
  /** Runs that it was told are over, and their last status. */
  readonly ended: Map<string, string>
  /** What its typed clients have noted of their creates. */
  readonly ledger: OpenItems
  /** The agent's opinion of its success, and the judge's, as last seen; null while there is none. */
  agent: boolean | null
  judge: boolean | null
  /** What it printed, bounded; `printed` counts all characters. */
  readonly output: Array<Printed>
  printed: number
  /** Why promises were rejected that it did not await, since its verdict if that is known. */
  readonly rejections: Array<unknown>
}

/** How many exchanges, and how many spans, are kept of one trial. */
export const most = 2000

let logs = 0

/** An empty log. */
export const make = (name = ""): TrialLog => ({
  serial: ++logs,
  name,
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

/** Whether it has made, or may have made, something whose cost is not known yet. */
export const mayCostMore = ({ costs, ledger, made, results }: TrialLog): boolean =>
  Array.from(made.keys()).some((id) => !costs.has(id) || !results.has(id)) ||
  ledger.list().some(({ id }) => id === undefined)

/** What the runs of a log cost together, in USD, as an exact decimal. */
export const costOf = (log: TrialLog): string => Money.sum(log.costs.values())
