import type { JournalEntry, Oracle, OracleVerdict, Verdicts } from "@webagent/control"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Turn } from "@webagent/engine"
import { Behavior } from "../behavior/Behavior.ts"
import { Journal } from "../journal/Journal.ts"
import * as BrowsersLeftOpen from "./BrowsersLeftOpen.ts"
import * as CreatedTwice from "./CreatedTwice.ts"
import { type Detector, type FaultRow, type RequestRow, verdictOf } from "./Detector.ts"
import * as KeyInUrl from "./KeyInUrl.ts"
import * as KeySentElsewhere from "./KeySentElsewhere.ts"
import * as PolledTooFast from "./PolledTooFast.ts"
import * as PollsAfterTerminal from "./PollsAfterTerminal.ts"
import * as BoundedMap from "../journal/BoundedMap.ts"
import * as ResultsNeverFetched from "./ResultsNeverFetched.ts"
import * as RetryAfterIgnored from "./RetryAfterIgnored.ts"
import { SimulatedState } from "../state/SimulatedState.ts"
import * as RunsLeftRunning from "./RunsLeftRunning.ts"

/** Faults after which an answer is still what the service meant to say. */
const harmless: ReadonlySet<FaultRow["kind"]> = new Set(["slow-headers", "slow-body", "clock-skew"])

const identityOf = ({ attempt, create, operation, resource }: RequestRow | FaultRow) =>
  `${operation} ${resource ?? create ?? ""} ${attempt}`

/** Without rows the verdict is unknown. */
const unseen = (oracle: Oracle): OracleVerdict => ({
  oracle,
  holds: false,
  sentence: "The journal is off, so this cannot be checked. Set its capacity above 0.",
  count: 0,
  findings: []
})

/** Every oracle, and what tells them whether an answer arrived. */
const begin = (pollInterval_ms: () => number | undefined) => {
  const detectors: ReadonlyArray<Detector> = [
    BrowsersLeftOpen.make(),
    RunsLeftRunning.make(),
    CreatedTwice.make(),
    ResultsNeverFetched.make(),
    PollsAfterTerminal.make(),
    PolledTooFast.make(pollInterval_ms),
    RetryAfterIgnored.make(),
    KeyInUrl.make(),
    KeySentElsewhere.make()
  ]
  const onRequest = detectors.flatMap(({ request }) => request ?? [])
  const onMove = detectors.flatMap(({ move }) => move ?? [])
  /** Requests that a fault made say something else, or say it elsewhere; their own rows follow. */
  const mangled = BoundedMap.make<true>()

  const isIntact = (row: RequestRow): boolean => {
    const isWhole = row.answered === "whole"
    if (row.fault === null) return isWhole
    const identity = identityOf(row)
    const isMangled = mangled.get(identity) === true
    // also where nothing of the answer arrived: the client does not ask again
    mangled.delete(identity)
    return isWhole && !isMangled
  }

  return {
    detectors,
    see: (entry: JournalEntry) => {
      if (entry.type === "request") {
        const intact = isIntact(entry)
        for (const request of onRequest) request(entry, intact)
      } else if (entry.type === "move") {
        for (const move of onMove) move(entry)
      } else if (entry.type === "fault" && !harmless.has(entry.kind)) {
        mangled.set(identityOf(entry), true)
      }
    }
  }
}

/**
 * Judges some rows only, such as those about one trial. Running browsers and runs are read from the state, so
 * `browsers-left-open` and `runs-left-running` aren't among the verdicts.
 *
 * @param rows - Rows of the journal, in the order of their numbers.
 * @param options - `pollInterval_ms` is the shortest pause between two polls in milliseconds.
 * @returns One verdict for each oracle.
 * @example
 * ```ts
 * import type { JournalEntry } from "@webagent/control"
 * import { verdictsOf } from "@webagent/simulation"
 *
 * export const problems = (rows: ReadonlyArray<JournalEntry>) =>
 *   verdictsOf(rows, { pollInterval_ms: 1000 }).flatMap(({ holds, sentence }) => (holds ? [] : [sentence]))
 * ```
 */
export const verdictsOf = (
  rows: Iterable<JournalEntry>,
  options: { readonly pollInterval_ms: number | undefined }
): ReadonlyArray<OracleVerdict> => {
  const { detectors, see } = begin(() => options.pollInterval_ms)
  for (const row of rows) see(row)
  return detectors
    .filter(({ ofState }) => ofState !== true)
    .map((detector) => verdictOf(detector, { now_ms: 0, browsers: [], runs: [] }))
}

/**
 * Finds problems with how the service was used. It judges every row of the journal, including those that are no longer
 * kept. Each oracle remembers at most 20,000 items.
 *
 * @example
 * ```ts
 * import { Oracles } from "@webagent/simulation"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const { holds, verdicts } = yield* (yield* Oracles).verdicts
 *   if (!holds) yield* Effect.forEach(verdicts, ({ sentence }) => Effect.log(sentence))
 * })
 * ```
 */
export class Oracles extends Context.Service<
  Oracles,
  {
    readonly verdicts: Effect.Effect<Verdicts>
    /** Forgets what was seen. */
    readonly reset: Effect.Effect<void>
  }
>()("@webagent/simulation/Oracles") {
  /** Sees what the journal sees from now on. */
  static get layer(): Layer.Layer<Oracles, never, Behavior | Journal | SimulatedState> {
    return Layer.effect(Oracles, make)
  }
}

const make = Effect.gen(function* () {
  const behavior = yield* Behavior
  const journal = yield* Journal
  const state = yield* SimulatedState
  const pollInterval_ms = () => {
    const { pollInterval } = behavior.profile()
    return pollInterval === undefined ? undefined : Duration.toMillis(pollInterval)
  }
  let oracles = begin(pollInterval_ms)
  yield* journal.observe((entry) => oracles.see(entry))

  const verdicts = Effect.gen(function* () {
    const now_ms = yield* Clock.currentTimeMillis
    const store = state.store()
    const { browsers: ids, sessions } = yield* store.unfinished(Number.MAX_SAFE_INTEGER)
    const browsers = (yield* Effect.forEach(ids, store.browser)).flatMap(Option.toArray)
    const states = (yield* Effect.forEach(sessions, store.sessionState)).flatMap(Option.toArray)
    const present = {
      now_ms,
      browsers: browsers.filter(({ status }) => status === "active"),
      runs: states.flatMap(({ turns }) => turns.filter(({ status }) => !Turn.isTerminal(status)))
    }
    const verdicts = oracles.detectors.map((detector) =>
      journal.enabled || detector.ofState ? verdictOf(detector, present) : unseen(detector.oracle)
    )
    return { holds: verdicts.every(({ holds }) => holds), verdicts: verdicts }
  }).pipe(Effect.orDie)

  return Oracles.of({ verdicts, reset: Effect.sync(() => (oracles = begin(pollInterval_ms))) })
})
