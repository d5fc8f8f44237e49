import type { Breach } from "@webagent/report/Breach"
import { ofOracle } from "../observe/Breaches.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Report from "@webagent/report/Trial"
import type { Target } from "../targets/Target.ts"
import * as Leftover from "./Leftover.ts"
import * as Reaper from "./Reaper.ts"
import { unlisted } from "./TrialLeftovers.ts"

/** Input of the cleanup at the end of a run. */
export interface EndOfRun {
  readonly target: Target
  readonly open: ReadonlyArray<Leftover.Leftover>
  /** Findings of oracles that a trial was blamed for, as `oracle seq`. */
  readonly blamed: ReadonlySet<string>
  /** The reason why the server's journal could not be read. */
  readonly journalError: string | undefined
  /** Files of the report that had the API key in them. */
  readonly keyIn: ReadonlyArray<string>
}

/** Results of the cleanup at the end of a run. */
export interface Ending {
  readonly breaches: ReadonlyArray<Breach>
  /** Resources that were still open, and the result of stopping them. */
  readonly leftovers: ReadonlyArray<Report.Leftover>
}

/** Time limit for stopping open resources, and for a scenario to release its resources. */
export const timeFor = ({ simulated }: Target) => Duration.seconds(simulated ? 10 : 60)

/** A leftover as the report has it. The report omits what was over by itself. */
export const reported = (
  { item: { id, kind, reason }, state, trial, why }: Leftover.Leftover,
  { redact }: Pick<Target, "redact">
): ReadonlyArray<Report.Leftover> =>
  state === "over"
    ? []
    : [
        {
          kind,
          id: id ?? null,
          trial,
          state: state === "unknown" || state === "stopped" ? state : "open",
          ...(reason === undefined ? {} : { reason: redact(reason) }),
          ...(why === "" ? {} : { why: redact(why) })
        }
      ]

/** Browsers that are in no ledger, where no other program can have made them. */
const unheardOf = Effect.fnUntraced(function* ({ open, target: { introspection } }: EndOfRun) {
  if (introspection?.exclusive !== true) return []
  const known = new Set(open.map(({ item }) => item.id))
  const { browsers } = yield* Effect.orElseSucceed(introspection.open, () => ({ browsers: [] }))
  return browsers.filter(({ id }) => !known.has(id)).map(({ id }) => Leftover.of(unlisted("browser", id)))
})

/** Violations that the server's oracles found and that belong to no trial, unless another program uses the server. */
const unblamed = Effect.fnUntraced(function* ({ blamed, target: { redact, introspection } }: EndOfRun) {
  if (introspection?.exclusive !== true) return []
  const { verdicts } = yield* Effect.orElseSucceed(introspection.verdicts, () => ({ verdicts: [] }))
  const hard = new Set<string>(["created-twice", "key-in-url", "key-sent-elsewhere"])
  return verdicts
    .filter(({ oracle }) => hard.has(oracle))
    .flatMap(({ findings, oracle }) =>
      findings
        .filter(({ seqs }) => !seqs.some((seq) => blamed.has(`${oracle} ${seq}`)))
        .map((finding) => ofOracle(oracle, finding, redact))
    )
})

/** Stops everything that is open, tries again for a while, and lists it. */
export const stopAll = Effect.fnUntraced(function* (run: EndOfRun): Effect.fn.Return<Ending> {
  const { journalError, target } = run
  const strangers = yield* unheardOf(run)
  const open = [...run.open, ...strangers].toSorted(
    (one, other) => Number(one.state === "unknown") - Number(other.state === "unknown")
  )
  const leftovers = yield* Effect.orElseSucceed(Reaper.reapAt(target, open, timeFor(target)), () =>
    open.map((leftover): Leftover.Leftover =>
      leftover.state === "left"
        ? { ...leftover, state: "open", why: "the service does not take the API key" }
        : leftover
    )
  )
  return {
    leftovers: leftovers.flatMap((leftover) => reported(leftover, target)),
    breaches: [
      ...strangers.map(({ item: { id = null } }) => ({
        invariant: "browsers-left-open",
        resource: id,
        facts: { _tag: "UnknownBrowser" } as const
      })),
      ...(yield* unblamed(run)),
      ...run.keyIn.map((file) => ({
        invariant: "key-in-report",
        resource: null,
        facts: { _tag: "KeyInFile", file } as const
      })),
      ...(journalError === undefined
        ? []
        : [
            {
              invariant: "journal-not-read",
              resource: null,
              facts: { _tag: "JournalNotRead", error: target.redact(journalError) } as const
            }
          ])
    ]
  }
})
