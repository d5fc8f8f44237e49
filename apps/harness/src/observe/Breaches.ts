import type { JournalEntry, OracleVerdict } from "@webagent/control"
import { type Allowance, allowances } from "@webagent/scenario"
import type { Breach } from "@webagent/report/Breach"
import type { TrialVerdict } from "@webagent/report/Trial"
import type { StateAfter, TrialLog } from "./TrialLog.ts"

/** Evidence for the judgment of one trial. */
interface Evidence {
  readonly verdict: TrialVerdict
  /** Violations that the scenario causes on purpose. */
  readonly allows: ReadonlyArray<Allowance>
  readonly log: Pick<TrialLog, "began_ms" | "made" | "results" | "ended">
  /** Verdicts of the server's oracles on the trial's rows; empty if there is no journal. */
  readonly verdicts: ReadonlyArray<OracleVerdict>
  readonly rows: ReadonlyArray<JournalEntry>
  /** Of runs and sessions that the trial didn't see end: their state after it. */
  readonly states: ReadonlyMap<string, StateAfter>
  readonly redact: (text: string) => string
}

const isAllowance = (oracle: string): oracle is Allowance => allowances.some((known) => known === oracle)

/** Runs that were cancelled, as the server saw it: they have no result. */
const cancelled = (rows: ReadonlyArray<JournalEntry>): ReadonlySet<string> =>
  new Set(rows.flatMap((row) => (row.type === "move" && row.of === "turn" && row.to === "cancelled" ? [row.id] : [])))

const isLeft = (state: StateAfter | undefined): boolean => state === "stopped" || state === "running"

const leftRunning = ({ log, states }: Evidence): ReadonlyArray<Breach> =>
  Array.from(states).flatMap(([id, state]) => {
    const made = log.made.get(id)
    if (made === undefined || made.at_ms < log.began_ms || !isLeft(state)) return []
    return [
      {
        invariant: "runs-left-running",
        resource: id,
        facts: { _tag: "LeftRunning", kind: made.kind, isStopped: state === "stopped" }
      }
    ]
  })

const neverFetched = ({ log, rows, states }: Evidence): ReadonlyArray<Breach> => {
  const over = cancelled(rows)
  return Array.from(log.made).flatMap(([id, { at_ms, kind }]): ReadonlyArray<Breach> => {
    // what an earlier try of the trial made was given up with it
    if (kind === "browser" || log.results.has(id) || at_ms < log.began_ms) return []
    if (over.has(id) || log.ended.get(id) === "cancelled" || isLeft(states.get(id))) return []
    return [{ invariant: "results-never-fetched", resource: id, facts: { _tag: "ResultNeverRead", kind } }]
  })
}

/** Returns the violation that an oracle of the service reported. */
export const ofOracle = (
  oracle: string,
  { resource, sentence, seqs }: OracleVerdict["findings"][number],
  redact: (text: string) => string
): Breach => ({
  invariant: oracle,
  resource,
  facts: { _tag: "Reported", text: redact(sentence), entries: seqs }
})

/**
 * Returns the invariants that a trial violated, regardless of its checks. The behavior of its clients counts only if
 * the trial passed, because a failed trial had no chance to clean up, and only if the scenario doesn't allow the
 * violation.
 */
export const ofTrial = (evidence: Evidence): ReadonlyArray<Breach> => {
  const { allows, redact, verdict, verdicts } = evidence
  const counts = (oracle: string) =>
    isAllowance(oracle) ? verdict === "passed" && !allows.includes(oracle) : oracle !== "browsers-left-open"
  const seen = verdicts
    // what was read is known from the wire, also where there is no journal, and whenever the run ends
    .filter(({ oracle }) => oracle !== "results-never-fetched" && counts(oracle))
    .flatMap(({ findings, oracle }) => findings.map((finding) => ofOracle(oracle, finding, redact)))
  return [
    ...seen,
    ...(counts("results-never-fetched") ? neverFetched(evidence) : []),
    ...(counts("runs-left-running") ? leftRunning(evidence) : [])
  ]
}
