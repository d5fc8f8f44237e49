import { LedgerEntry } from "@webagent/core"
import { terminalRunStatuses } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import * as CutBound from "../../run/CutBound.ts"
import type { LearnedScenario } from "@webagent/nights/LearnedScenario"
import type { Planned } from "../../run/Plan.ts"
import { scenarioKey, trialKey } from "../../run/Runner.ts"
import type { Target } from "../../targets/Target.ts"
import type { Resumed } from "../Resumed.ts"

const decodeEntry = Schema.decodeUnknownOption(Schema.fromJsonString(LedgerEntry))
const decodeRun = Schema.decodeUnknownOption(
  Schema.Struct({ status: Schema.String, cost: Schema.optionalKey(Schema.NullOr(Schema.String)) })
)

/** The runs that a ledger says were made since a moment; what cannot be read says nothing. */
const runsSince = Effect.fnUntraced(function* (directory: string, from_ms: number) {
  const fs = yield* FileSystem.FileSystem
  const folder = join(directory, "ledger")
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
  const keys = new Set<string>()
  const ids = new Set<string>()
  for (const name of names.toSorted()) {
    const text = yield* Effect.orElseSucceed(fs.readFileString(join(folder, name)), () => "")
    for (const line of text.split("\n")) {
      const entry = Option.getOrUndefined(decodeEntry(line))
      if (entry?._tag === "opening" && entry.kind === "run" && entry.at_ms >= from_ms) keys.add(entry.key)
      if (entry?._tag === "opened" && entry.id !== undefined && keys.has(entry.key)) ids.add(entry.id)
    }
  }
  return ids
})

/** What is known of the cost of runs that no trial of the report has made, of those that are over. */
const knownCosts = Effect.fnUntraced(function* (target: Target, { cut, directory, traces }: Resumed) {
  const began_ms = Math.min(...cut.map(({ at_ms }) => at_ms))
  const ids = yield* runsSince(directory, began_ms)
  if (ids.size === 0) return []
  const fs = yield* FileSystem.FileSystem
  for (const { at_ms, trace } of traces) {
    if (at_ms < began_ms) continue
    const text = yield* Effect.orElseSucceed(fs.readFileString(join(directory, trace)), () => "")
    for (const id of ids) if (text.includes(id)) ids.delete(id)
  }
  const { request } = target.contextOf(0)
  return yield* Effect.forEach(
    ids,
    (id) =>
      request("v4", { method: "GET", path: `/runs/${encodeURIComponent(id)}` }).pipe(
        Effect.map(({ body }) => {
          const run = Option.getOrUndefined(decodeRun(body))
          const isOver = run !== undefined && terminalRunStatuses.some((status) => status === run.status)
          return isOver && typeof run.cost === "string" ? run.cost : "0"
        }),
        Effect.timeout("10 seconds"),
        Effect.orElseSucceed(() => "0")
      ),
    { concurrency: 8 }
  )
})

/**
 * What the trials cost that ran when the run was killed: what can be learnt of it from the ledger, the traces of the other
 * trials and the service, and what it is at most. A service inside the killed process can be asked no more.
 */
export const costOfCut = Effect.fnUntraced(function* (run: {
  readonly target: Target
  readonly resumed: Resumed
  readonly plan: ReadonlyArray<Planned>
  readonly learned: ReadonlyMap<string, LearnedScenario>
}) {
  const { learned, plan, resumed, target } = run
  const { cut, done, header, lost_usd } = resumed
  if (cut.length + lost_usd.length === 0) return undefined
  const bounds = cut.map(({ scenario, suite }) => {
    const planned = plan.find((one) => one.suite === suite && one.scenario.name === scenario)
    if (planned === undefined) return undefined
    return CutBound.mostOf(planned, {
      trials: header.trials,
      trialBudget_usd: header.limits.trialBudget_usd,
      learned: learned.get(scenarioKey(suite, scenario)),
      ended: [...done].flatMap(([key, trial]) => (key === trialKey(suite, scenario, trial.index) ? [trial] : []))
    })
  })
  const isAsked = target.introspection?.exclusive !== true && bounds.some((bound) => bound !== "0")
  const known = isAsked ? yield* knownCosts(target, resumed) : []
  return CutBound.sum([...bounds, ...lost_usd], [...known, ...lost_usd])
})
