import type { Breach } from "@webagent/report/Breach"
import type { JournalEntry } from "@webagent/control"
import { LedgerFile } from "@webagent/core"
import { ProcessOwner } from "@webagent/core/node"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import * as Breaches from "../observe/Breaches.ts"
import * as Leftover from "../leftovers/Leftover.ts"
import * as TrialLeftovers from "../leftovers/TrialLeftovers.ts"
import type { Limits } from "@webagent/report/RunReport"
import { settle } from "../leftovers/Settlement.ts"
import { isCostLimited, type Planned } from "./Plan.ts"
import { type EndedTrial, type RunnerOptions, scenarioKey } from "./RunnerOptions.ts"
import { most, type TrialLog } from "../observe/TrialLog.ts"
import type { Target } from "../targets/Target.ts"
import * as AgentSteps from "./AgentSteps.ts"
import { assemble } from "../observe/Assembly.ts"
import { JournalRows } from "../observe/JournalRows.ts"
import * as KeyScan from "../observe/KeyScan.ts"
import { stopAll, timeFor } from "../leftovers/EndOfRun.ts"
import * as TraceFiles from "../observe/TraceFiles.ts"
import type { Unawaited } from "../observe/Unawaited.ts"

/** Hooks that observe a run. */
export type Inspector = Required<Pick<RunnerOptions, "inspect" | "finish" | "stopBrowser">>

/** Number of attempts, and the pause before each, to read rows that the server writes after it sent a response. */
const patience = { looks: 5, pause: "4 millis" } as const

const mostRows = 2000

/** Number of requests that the server must have recorded. */
const answered = ({ exchanges }: TrialLog): number => exchanges.filter(({ status }) => status !== undefined).length

/**
 * Looks at each trial when it has ended: writes its trace, and says which invariants it broke. At the end of the run
 * everything that was left open is stopped. Without a directory nothing is written.
 */
export const make = Effect.fnUntraced(function* (
  target: Target,
  plan: ReadonlyArray<Planned>,
  {
    directory,
    limits,
    readsPassed = false,
    unawaited
  }: {
    readonly directory: string | undefined
    readonly limits: Limits
    /** True to read the agent's steps in passed trials as well. */
    readonly readsPassed?: boolean
    readonly unawaited: Unawaited
  }
): Effect.fn.Return<Inspector, never, FileSystem.FileSystem | Scope.Scope> {
  const { info, introspection } = target
  const planned = new Map(plan.map((one) => [scenarioKey(one.suite, one.scenario.name), one]))
  const files = directory === undefined ? undefined : yield* TraceFiles.make(directory)
  const fs = yield* FileSystem.FileSystem
  const journal = new JournalRows()
  const open: Array<Leftover.Leftover> = []
  const unstopped = new Set<string>()
  const blamed = new Set<string>()
  let journalError: string | undefined
  // a service inside this process ends with it, and leaves nothing to be stopped
  if (directory !== undefined && introspection?.exclusive !== true) {
    const owner = ProcessOwner.current()
    yield* target.ledger.keepIn(yield* LedgerFile.make({ directory: join(directory, "ledger"), owner }))
  }

  /** Takes in what the server has written since. */
  const readOn =
    introspection === undefined
      ? Effect.void
      : introspection.rows.pipe(
          Effect.map((rows) => journal.add(rows)),
          Effect.catch(({ message }) => Effect.sync(() => (journalError ??= message)))
        )

  const rowsOf = Effect.fnUntraced(function* (log: TrialLog) {
    if (introspection === undefined) return undefined
    const mark = target.markOf(log)
    const wanted = answered(log)
    const isWaiting = () => journalError === undefined && journal.requests(mark) < wanted
    yield* readOn
    for (let look = 1; look < patience.looks && isWaiting(); look++) {
      yield* Effect.sleep(patience.pause)
      yield* readOn
    }
    return journal.take(mark)
  })

  const traceOf = (ended: EndedTrial, rows: ReadonlyArray<JournalEntry>) => {
    const { duration_ms, index, log, scenario, seed, suite } = ended
    // the tries before the one that counts are a part of the story
    const began_ms = Math.min(log.began_ms, log.exchanges[0]?.at_ms ?? Infinity)
    const shift_ms = began_ms + (introspection?.ahead_ms ?? 0)
    return assemble({
      suite,
      scenario,
      index,
      seed,
      began_ms,
      duration_ms: Math.round((log.began_ms + duration_ms - began_ms) * 100) / 100,
      exchanges: log.exchanges,
      spans: log.spans,
      journal: rows
        .slice(0, mostRows)
        .map((row) => ({ at_ms: Math.round((row.realAt_ms - shift_ms) * 100) / 100, row }))
        .toSorted((a, b) => a.at_ms - b.at_ms),
      dropped: {
        exchanges: Math.max(0, log.requests - most),
        spans: log.spansDropped,
        journal: Math.max(0, rows.length - mostRows)
      },
      baseUrls: info.baseUrls,
      apiKeyHeader: info.apiKeyHeader,
      redact: target.redact
    })
  }

  const inspect = Effect.fnUntraced(function* (ended: EndedTrial) {
    const { log, scenario, suite, verdict } = ended
    unawaited.ended(log)
    const rows = yield* rowsOf(log)
    const of = planned.get(scenarioKey(suite, scenario))
    const states = yield* settle(target, log, {
      ended: TrialLeftovers.endedIn(rows ?? []),
      needsCosts: of !== undefined && isCostLimited(of, limits),
      time: timeFor(target)
    })
    const verdicts = introspection === undefined ? [] : introspection.verdictsOf(rows ?? [])
    for (const { findings, oracle } of verdicts) {
      for (const { seqs } of findings) for (const seq of seqs) blamed.add(`${oracle} ${seq}`)
    }
    const trial = { suite, scenario, index: ended.index }
    const leaked = Array.from(log.made.keys()).filter((id) => unstopped.has(id))
    open.push(
      ...TrialLeftovers.of(log, journalError === undefined ? rows : undefined, trial, states),
      ...leaked.map((id) => Leftover.of(TrialLeftovers.unlisted("browser", id), trial))
    )
    const breaches = Breaches.ofTrial({
      verdict,
      allows: of?.scenario.allows ?? [],
      log,
      states,
      verdicts,
      rows: rows ?? [],
      redact: target.redact
    })
    const isBad = verdict === "failed" || verdict === "claimed"
    const { agentSteps, pictures } =
      isBad || (readsPassed && verdict === "passed")
        ? yield* AgentSteps.of(target, log, { withPictures: isBad })
        : AgentSteps.nothing
    const seen = { ...traceOf(ended, rows ?? []), ...(pictures.length === 0 ? {} : { pictures }) }
    const trace = files === undefined ? undefined : yield* files.write(seen)
    return {
      breaches,
      ...(trace === undefined ? {} : { trace }),
      ...(agentSteps.length === 0 ? {} : { agentSteps })
    }
  })

  const redacted = (breach: Breach): Breach =>
    breach.facts._tag === "PromiseNotAwaited"
      ? { ...breach, facts: { ...breach.facts, error: target.redact(breach.facts.error) } }
      : breach

  const cleaned = Effect.provideService(KeyScan.clean(directory, target.apiKey), FileSystem.FileSystem, fs)

  return {
    inspect,
    stopBrowser: (id) =>
      Effect.tap(target.stopBrowser(id), (stopped) =>
        Effect.sync(() => (stopped ? unstopped.delete(id) : unstopped.add(id)))
      ),
    finish: Effect.gen(function* () {
      const ending = yield* stopAll({ target, open, blamed, journalError, keyIn: yield* cleaned })
      return { ...ending, breaches: [...ending.breaches, ...(yield* unawaited.breaches).map(redacted)] }
    })
  }
})
