import type { OpenItem } from "@webagent/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { LooseEnd } from "./LooseEnds.ts"
import * as Reaper from "./Reaper.ts"
import type { Breach, Leftover } from "@webagent/report/Trial"
import type { Target } from "../targets/Target.ts"

/** Something that may go on, and the trial that left it. */
export interface LeftOpen {
  readonly end: LooseEnd
  readonly trial: Leftover["trial"]
}

/** What the end of a run is made of. */
export interface EndOfRun {
  readonly target: Target
  readonly open: ReadonlyArray<LeftOpen>
  /** Findings of oracles that a trial was blamed for, as `oracle seq`. */
  readonly blamed: ReadonlySet<string>
  /** Why the server's journal could not be read. */
  readonly trouble: string | undefined
  /** Files of the report that had the API key in them. */
  readonly keyIn: ReadonlyArray<string>
}

/** What the end of a run has found. */
export interface Ending {
  readonly breaches: ReadonlyArray<Breach>
  /** What was still open, and what became of it. */
  readonly leftovers: ReadonlyArray<Leftover>
}

/** How long what is open is tried to be stopped, and a scenario may take to release what it holds. */
export const timeFor = ({ simulated }: Target) => Duration.seconds(simulated ? 10 : 60)

const itemOf = ({ id, key, kind }: LooseEnd, at_ms: number): OpenItem => ({
  kind,
  key: key ?? "",
  state: "opened",
  at_ms,
  method: "POST",
  path: "",
  origin: "",
  requestId: "",
  ...(id === null ? {} : { id })
})

const because = (reason: string | null) => (reason === null ? "" : ` (${reason})`)

/** What has become of something that was left going, in a sentence; nothing is said of what was over by itself. */
const leftoverOf = Effect.fnUntraced(function* (target: Target, { end, trial }: LeftOpen, finding: Reaper.Finding) {
  const { id, kind, reason } = end
  const said = (state: Leftover["state"], sentence: string): ReadonlyArray<Leftover> => [
    { kind, id, trial, state, sentence: target.redact(sentence) }
  ]
  if (finding._tag === "Stopped")
    return said("stopped", `The ${kind} ${id} was left open${because(reason)} and was stopped.`)
  if (finding._tag === "Over") return []
  const ended =
    id !== null && kind !== "browser" && (yield* target.introspection?.end(kind, id) ?? Effect.succeed(false))
  if (ended) return said("stopped", `The ${kind} ${id} still ran${because(reason)} and was stopped.`)
  const why = finding._tag === "Open" ? finding.why : "it cannot be reached"
  return said("open", `The ${kind} ${id} may still run and cost${because(reason)}: ${why}.`)
})

/** Browsers that are in no ledger, where no other program can have made them. */
const unheardOf = Effect.fnUntraced(function* ({ open, target: { introspection } }: EndOfRun) {
  if (introspection?.exclusive !== true) return []
  const known = new Set(open.map(({ end }) => end.id))
  const { browsers } = yield* Effect.orElseSucceed(introspection.open, () => ({ browsers: [] }))
  return browsers
    .filter(({ id }) => !known.has(id))
    .map(({ id }): LeftOpen => ({
      end: { kind: "browser", id, reason: null, key: null },
      trial: null
    }))
})

/** What the server's oracles have found without a trial to blame, where no other program uses the server. */
const unblamed = Effect.fnUntraced(function* ({ blamed, target: { redact, introspection } }: EndOfRun) {
  if (introspection?.exclusive !== true) return []
  const { verdicts } = yield* Effect.orElseSucceed(introspection.verdicts, () => ({ verdicts: [] }))
  const hard = new Set<string>(["created-twice", "key-in-url", "key-sent-elsewhere"])
  return verdicts
    .filter(({ oracle }) => hard.has(oracle))
    .flatMap(({ findings, oracle }) =>
      findings
        .filter(({ seqs }) => !seqs.some((seq) => blamed.has(`${oracle} ${seq}`)))
        .map(({ resource, sentence }): Breach => ({ invariant: oracle, sentence: redact(sentence), resource }))
    )
})

/** Stops everything that is open, tries again for a while, and lists it. */
export const stopAll = Effect.fnUntraced(function* (run: EndOfRun): Effect.fn.Return<Ending> {
  const { target, trouble } = run
  const now_ms = yield* Clock.currentTimeMillis
  const strangers = yield* unheardOf(run)
  const all = [...run.open, ...strangers]
  const found = all.filter(({ end }) => end.id !== null)
  const claims = found.map(({ end }) => ({
    _tag: "Left" as const,
    item: itemOf(end, now_ms),
    id: end.id ?? "",
    version: "v4" as const
  }))
  const findings =
    claims.length === 0
      ? []
      : yield* Effect.orElseSucceed(Reaper.reapAt(target, claims, timeFor(target)), () =>
          claims.map(({ item }): Reaper.Finding => ({
            _tag: "Open",
            item,
            why: "the service does not take the API key"
          }))
        )
  const leftovers: Array<Leftover> = []
  for (const [index, left] of found.entries()) {
    const finding = findings[index]
    if (finding !== undefined) leftovers.push(...(yield* leftoverOf(target, left, finding)))
  }
  for (const { end, trial } of all) {
    if (end.id !== null) continue
    const sentence = `A ${end.kind} may exist: ${end.reason}`
    leftovers.push({ kind: end.kind, id: null, trial, state: "unknown", sentence: target.redact(sentence) })
  }
  return {
    leftovers,
    breaches: [
      ...strangers.map(({ end: { id } }) => ({
        invariant: "browsers-left-open",
        sentence: `Browser ${id} was open, and no trial created it.`,
        resource: id
      })),
      ...(yield* unblamed(run)),
      ...run.keyIn.map((file) => ({
        invariant: "key-in-report",
        sentence: `${file} contained the API key, which was removed.`,
        resource: null
      })),
      ...(trouble === undefined
        ? []
        : [{ invariant: "journal-not-read", sentence: `${target.redact(trouble)}.`, resource: null }])
    ]
  }
})
