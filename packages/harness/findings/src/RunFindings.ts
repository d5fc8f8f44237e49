import { defined } from "@webagent/cli/Defined"
import type { Comparison } from "@webagent/report/Comparison"
import { type Finding, type FindingKind, ofRunKey } from "@webagent/report/Finding"
import * as Outage from "@webagent/report/Outage"
import { costUnknownOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import { isHidden } from "@webagent/report/StoredArgument"
import { isScored } from "@webagent/report/Trial"
import { isCut, isUnrun, skipOf, unreachableOf } from "@webagent/report/CutShort"
import * as Shards from "./Shards.ts"
import { isCovered, isOf } from "./Tolerance.ts"

const error = (kind: FindingKind): Finding => ({ kind, severity: "error", scenarios: [] })

/**
 * True if no trial of a scenario finished within the scenario's time limit, so that a service that hangs fails the run.
 */
const isOverlong = ({ trials, verdict }: ScenarioResult): boolean =>
  verdict === "skipped" &&
  // those that were not begun have sent nothing
  trials.some(({ requests, skip }) => requests > 0 && skip?._tag === "ScenarioTimeLimit")

/** Flags that each shard has with its own value. */
const isOwnFlag = (word = "") => /^--(?:shard|report-dir|notify)$/u.test(word)

/** The words of a shard that another one can be run with. */
const commonArgs = ({ header, shards = [] }: RunReport) => {
  const args = shards.find((shard) => shard.args !== undefined)?.args
  if (args === undefined) return {}
  const common = args.filter((word, index) => !isOwnFlag(word.split("=")[0]) && !isOwnFlag(args[index - 1]))
  const hasSeed = common.some((word) => /^--seed(?:=|$)/u.test(word))
  return { args: hasSeed ? common : [...common, "--seed", String(header.seed)] }
}

/** A path's last number, if it is in the last part of the path or a whole part: `out/shard-1` or `1/out`, but not `run1/out`. */
const lastNumber = /^(?:.*\/)?(?:[^/]*?(?<inName>\d+)[^/\d]*\/?|(?<whole>\d+)\/\D*)$/u

/** The folders of the shards' reports, with `*` for a shard's number; undefined if a shard's folder doesn't have it. */
const foldersOf = ({ shards = [] }: RunReport): string | undefined => {
  const patterns = shards.map(({ args = [], index }) => {
    const at = args.findIndex((word) => /^--report-dir(?:=|$)/u.test(word))
    const folder = at === -1 ? undefined : (args[at]?.split("=")[1] ?? args[at + 1])
    const { inName, whole } = (folder === undefined ? undefined : lastNumber.exec(folder)?.groups) ?? {}
    return (inName ?? whole) === String(index) ? folder?.replace(/\d+(?=\D*$)/u, "*") : undefined
  })
  const [first] = patterns
  return patterns.every((pattern) => pattern === first) ? first : undefined
}

/** The words of a run, or those that its shards have in common, without addresses of webhooks, which aren't stored. */
const argsOf = (report: RunReport): { readonly args?: ReadonlyArray<string> } => {
  if (report.shards !== undefined) return commonArgs(report)
  const { args } = report.header
  if (args === undefined) return {}
  const isOfHidden = (index: number) => args[index] === "--notify" && isHidden(args[index + 1] ?? "")
  return { args: args.filter((word, index) => !isHidden(word) && !isOfHidden(index)) }
}

/** Finds the reasons why a run has too few results for a verdict. */
const incomplete = (report: RunReport): ReadonlyArray<Finding> => {
  const { header, interrupted, results, shards = [] } = report
  const open = results.filter((result) => !isCovered(result))
  const isShard = header.shard !== undefined
  const isCutWhole = results.some(isCut(report)) && !results.some(({ trials }) => trials.some(isScored))
  const hasNothing =
    !interrupted &&
    // the outage is a finding of its own
    !Outage.isWhole(report) &&
    (isCutWhole || (!isShard && results.every(({ verdict }) => verdict === "skipped")))
  const unreachable = open.some(({ verdict }) => verdict === "infra") ? undefined : unreachableOf(open)
  const missing = Shards.missingOf(report)
  const folders = foldersOf(report)
  const overlong = open.filter(isOverlong)
  return [
    ...(overlong.length === 0
      ? []
      : [
          {
            ...error({ _tag: "Incomplete", why: { _tag: "ScenarioTimeLimit" } }),
            scenarios: overlong.map(({ name, onset, suite }) => ({ suite, name, ...defined({ onset: onset?.trials }) }))
          }
        ]),
    ...(missing.length > 0
      ? [
          {
            ...error({
              _tag: "Incomplete",
              why: {
                _tag: "LostShards",
                missing: missing.length,
                of: shards[0]?.of ?? 0,
                shards: missing,
                ...commonArgs(report),
                ...(folders === undefined ? {} : { folders })
              }
            }),
            scenarios: results
              .filter(({ skip }) => skip?._tag === "MissingShard")
              .map(({ name, suite }) => ({ suite, name }))
          }
        ]
      : []),
    ...(hasNothing ? [error({ _tag: "Incomplete", why: { _tag: "NothingRan" } })] : []),
    ...(unreachable === undefined
      ? []
      : [error({ _tag: "Incomplete", why: { _tag: "TooManyUnreachable", ...unreachable } })]),
    ...(interrupted ? [error({ _tag: "Incomplete", why: { _tag: "Stopped" } })] : [])
  ]
}

/** Everything about the whole run that fails it. */
export const runFindings = (report: RunReport): ReadonlyArray<Finding> => {
  const { breaches, crossed = [], onsets = {}, outages = [], results } = report
  const unknown = results.flatMap(costUnknownOf)
  const all = [
    ...breaches.map((breach) => error({ _tag: "BrokenInvariant", invariant: breach.invariant, breach })),
    ...outages
      .filter(Outage.isSerious)
      .map((outage) => error({ _tag: "ServiceAway", outage, isWholeRun: Outage.isWhole(report), ...argsOf(report) })),
    ...crossed.map((limit) => error({ _tag: "RunLimitExceeded", limit })),
    // quarantine excuses failures, but no spending
    ...(unknown.length === 0 ? [] : [error({ _tag: "CostUnknown", runs: unknown })]),
    ...incomplete(report)
  ]
  return all.map((finding) => {
    const onset = onsets[ofRunKey(finding)]
    return onset === undefined ? finding : { ...finding, onset }
  })
}

/**
 * Figures that regressed, except for those that `isExplained` by another finding. Scenarios whose figure regressed in the
 * same night are one finding, because one change is the likely cause.
 */
export const regressions = (
  { judgement, results }: RunReport,
  isExplained: (row: Comparison) => boolean
): ReadonlyArray<Finding> => {
  const regressed = (judgement?.rows ?? []).filter(
    (row) =>
      row.verdict === "regressed" &&
      // a leak is a finding of its own
      row.figure !== "leaked browsers" &&
      !results.some((result) => isCovered(result) && isOf(result, row)) &&
      !isExplained(row)
  )
  const groups = Map.groupBy(regressed, (row) =>
    row.scenario === null || row.onset === undefined ? row : `${row.figure} ${row.onset.since}`
  )
  return [...groups.values()].flatMap((group): ReadonlyArray<Finding> => {
    // the first is the example of all: it has to be the worst
    const rows = group.toSorted((one, other) => (other.change ?? 0) - (one.change ?? 0))
    const [worst] = rows
    if (worst === undefined) return []
    return [
      {
        kind: { _tag: "Regressed", comparison: worst },
        severity: "error",
        scenarios: rows.flatMap((comparison) => {
          const { onset, scenario } = comparison
          return scenario === null ? [] : [{ ...scenario, comparison, ...(onset === undefined ? {} : { onset }) }]
        }),
        ...(worst.scenario === null && worst.onset !== undefined ? { onset: worst.onset } : {})
      }
    ]
  })
}

/** Resources that may still be running, by kind. */
const stillOpen = ({ leftovers = [] }: RunReport): ReadonlyArray<Finding> =>
  [
    ...Map.groupBy(
      leftovers.filter(({ state }) => state === "open"),
      ({ kind }) => kind
    )
  ].map(([resource, group]) => ({
    kind: { _tag: "StillOpen", resource, count: group.length },
    severity: "note",
    scenarios: []
  }))

/** Scenarios that were skipped, or not completed, by the reason. */
const notRun = (report: RunReport): ReadonlyArray<Finding> =>
  [...Map.groupBy(report.results.filter(isCut(report)), (result) => JSON.stringify(skipOf(result))).values()].map(
    (group) => ({
      kind: {
        _tag: "NotRun",
        skip: (group[0] && skipOf(group[0])) ?? null,
        partly: group.filter((result) => !isUnrun(result)).length
      },
      severity: "note",
      scenarios: group.map(({ name, suite }) => ({ suite, name }))
    })
  )

/** Notes about the whole run: they fail nothing. */
export const runNotes = (report: RunReport) => ({
  first: (report.outages ?? [])
    .filter((outage) => !Outage.isSerious(outage))
    .map((outage): Finding => ({
      kind: { _tag: "ServiceAway", outage, isWholeRun: false },
      severity: "note",
      scenarios: []
    })),
  last: [...notRun(report), ...stillOpen(report)]
})
