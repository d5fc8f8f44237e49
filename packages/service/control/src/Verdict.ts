import * as Schema from "effect/Schema"

/** Checks of how clients used the service, judged by what the server observed. */
export const oracles = [
  /** A browser that is not stopped. */
  "browsers-left-open",
  /** A run that isn't over. */
  "runs-left-running",
  /** Two resources made for one intent: one Idempotency-Key, or a create repeated after its answer was lost. */
  "created-twice",
  /** A run that ended and whose result no client read. */
  "results-never-fetched",
  /** A status read after the caller had been told a terminal status. */
  "polls-after-terminal",
  /** Two polls of one resource closer together than the profile's `pollInterval`. */
  "polled-too-fast",
  /** A request before the `Retry-After` of the one before it was over. */
  "retry-after-ignored",
  /** An API key in the address of a request. */
  "key-in-url",
  /** An API key that followed a redirect to another origin. */
  "key-sent-elsewhere"
] as const

/** A check of how clients used the service. */
export const Oracle = Schema.Literals(oracles)

export type Oracle = typeof Oracle.Type

/** One finding: on which resource, what happened, and the rows of the journal that show it. */
export const Finding = Schema.Struct({
  resource: Schema.NullOr(Schema.String),
  sentence: Schema.String,
  seqs: Schema.Array(Schema.Int)
}).annotate({ identifier: "Finding" })

export type Finding = typeof Finding.Type

/** The verdict of one oracle: whether everything is fine, a sentence, the number of findings, and the first 20. */
export const OracleVerdict = Schema.Struct({
  oracle: Oracle,
  holds: Schema.Boolean,
  sentence: Schema.String,
  count: Schema.Int,
  findings: Schema.Array(Finding)
}).annotate({ identifier: "OracleVerdict" })

export type OracleVerdict = typeof OracleVerdict.Type

/** The verdicts of all oracles; `holds` if each of them holds. */
export const Verdicts = Schema.Struct({
  holds: Schema.Boolean,
  verdicts: Schema.Array(OracleVerdict)
}).annotate({ identifier: "Verdicts" })

export type Verdicts = typeof Verdicts.Type

/**
 * Leaves out the verdicts of oracles whose findings a test means to cause.
 *
 * @param allow - The oracles to leave out, for example `["runs-left-running"]`.
 * @returns The other verdicts; `holds` says whether each of them holds.
 * @example
 * ```ts
 * import { allowing } from "@webagent/control"
 * import { Control } from "@webagent/simulation"
 * import * as Effect from "effect/Effect"
 *
 * export const verdicts = Control.use((control) => Effect.map(control.verdicts, allowing(["runs-left-running"])))
 * ```
 */
export const allowing =
  (allow: ReadonlyArray<Oracle>) =>
  (all: Verdicts): Verdicts => {
    const verdicts = all.verdicts.filter(({ oracle }) => !allow.includes(oracle))
    return { holds: verdicts.every(({ holds }) => holds), verdicts }
  }
