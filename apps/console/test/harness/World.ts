import type {
  AcknowledgeNight,
  CompareOutput,
  NightDetail,
  NightFigure,
  NightFigures,
  NightsMap,
  Project,
  RunSummary,
  SuiteTree,
  Trend
} from "@webagent/harness-api"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { hostile } from "../server/World.ts"
import { liveRun, nameOf, newest_ms, randomOf, trials } from "./world/Facts.ts"
import { loadsOf } from "./world/Loads.ts"
import { mapOf } from "./world/Nights.ts"
import { runOf } from "./world/Runs.ts"
import { suitesOf } from "./world/Suites.ts"

type Held = NonNullable<NightsMap["rows"][number]["quarantine"]>

/** Size of a made-up project. */
export interface WorldOptions {
  readonly scenarios?: number
  readonly nights?: number
  readonly program?: string
}

/** A project with made-up suites, runs, nights and load tests. */
export const makeWorld = ({ nights = 60, program = "npx webagent-harness", scenarios = 40 }: WorldOptions = {}) => {
  const isEmpty = scenarios === 0
  const map = mapOf(scenarios, isEmpty ? 0 : nights)
  const run = runOf(map)
  const loads = loadsOf()
  const project: Project = {
    tool: { name: "webagent-harness", version: "0.1.0" },
    folder: "/srv/shop-suites",
    config: "webagent.config.ts",
    runs: ".webagent/runs",
    history: "webagent.history.jsonl",
    quarantine: "webagent.quarantine.json",
    commands: { program, history: "", quarantine: "" },
    baseline: null,
    targets: [
      { name: "simulated", address: null, isSimulated: true },
      { name: "staging", address: "https://agents.example.com", isSimulated: false }
    ],
    maxCost_usd: null,
    can: { run: true, change: true, pay: false },
    problems: [],
    exportedAt: null
  }
  const { files: _, reap: __, replays: ___, report: ____, ...summary } = run
  const live: RunSummary = {
    ...summary,
    id: liveRun,
    state: "running",
    startedAt: new Date(newest_ms + 7 * 3_600_000).toISOString(),
    duration_ms: null,
    status: null,
    findings: [],
    counts: null,
    night: null,
    isOurs: true
  }
  const acknowledged: Array<NightDetail["acknowledged"][number]> = []
  const held = new Map<string, Held>()
  const night = (id: string): NightDetail | undefined => {
    const index = map.nights.findIndex((one) => one.id === id)
    const column = map.nights[index]
    if (column === undefined) return undefined
    return {
      night: {
        version: 2,
        kind: "night",
        id,
        startedAt: column.startedAt,
        duration_ms: column.duration_ms,
        findings: column.findings,
        ...(column.status === null ? {} : { status: column.status }),
        fingerprint: { target: column.target, tool: column.tool, concurrency: 8, trials },
        seed: 1,
        cost_usd: column.cost_usd,
        requests: 12_000,
        breaches: 0,
        regressed: [{ figure: "duration", scenario: nameOf(0), since: column.startedAt }],
        scenarios: map.rows.map(({ name, suite }, n) => ({
          suite,
          name,
          verdict: column.cells[n] === "p" ? "passed" : column.cells[n] === "k" ? "flaky" : "failed",
          passed: column.cells[n] === "p" ? 5 : column.cells[n] === "k" ? 3 : 0,
          scored: 5,
          failed: column.cells[n] === "p" ? 0 : 5,
          claimed: 0,
          infra: 0,
          spent_ms: 6000,
          trials,
          cost_usd: "0.06",
          requests: 45,
          breaches: 0,
          leaks: 0,
          durations: { count: 5, mean_log: 7, median_ms: 1300 }
        }))
      },
      run: column.run,
      previous: map.nights[index - 1]?.id ?? null,
      next: map.nights[index + 1]?.id ?? null,
      accepted: [],
      acknowledged: acknowledged.filter((one) => one.night === id)
    }
  }
  const trend = (name: string | undefined, suite: string | undefined): Trend => {
    const row = map.rows.findIndex((one) => one.name === name && one.suite === suite)
    const random = randomOf(row + 11)
    return {
      scenario: name === undefined || suite === undefined ? null : { suite, name },
      points: map.nights.map((column) => ({
        night: column.id,
        startedAt: column.startedAt,
        verdict: row < 0 ? null : column.cells[row] === "p" ? "passed" : column.cells[row] === "k" ? "flaky" : "failed",
        passed: row < 0 ? 190 : column.cells[row] === "p" ? 5 : column.cells[row] === "k" ? 3 : 0,
        scored: row < 0 ? 200 : 5,
        duration_ms: 1200 + random() * 400,
        cost_usd: 0.01 + random() * 0.004,
        ...(row < 0
          ? { whole: { ran: 40, passed: 37, flaky: 1 + (random() > 0.5 ? 1 : 0), leaks: 0, requests: 12_000 } }
          : {})
      }))
    }
  }
  const figures = (figure: NightFigure): NightFigures => ({
    nights: map.nights.map(({ id }) => id),
    // scenario 4 took twice as long tonight
    rows: map.rows.map((_, row) =>
      map.nights.map((_, night) =>
        figure === "cost" ? 0.06 : row === 4 && night === map.nights.length - 1 ? 2600 : 1300 + (night % 5) * 20
      )
    )
  })
  const compare = (after: string, before: string): CompareOutput | undefined => {
    const [one, other] = [night(after), night(before)]
    if (one === undefined || other === undefined) return undefined
    const of = ({ night: { fingerprint, id, startedAt } }: NightDetail) => ({ id, startedAt, ...fingerprint })
    return {
      verdict: "worse",
      because: [{ _tag: "Scenarios", kind: "newly failing", count: 1 }],
      also: [],
      needs: {},
      changes: [
        {
          kind: "newly failing",
          ...nameOf(4),
          now: { _tag: "Trials", verdict: "failed", passed: 0, scored: 5, leaks: 0 },
          before: { _tag: "Trials", verdict: "passed", passed: 5, scored: 5, leaks: 0 },
          isCertain: true,
          cause: { key: "cart", facts: { _tag: "Check", message: hostile[0] } }
        }
      ],
      before: of(other),
      after: of(one),
      scenarios: map.rows.length,
      pairs: 0,
      differences: ["tool 0.1.0, was 0.0.9"],
      rows: run.report?.judgement?.rows ?? []
    }
  }
  return {
    project,
    map,
    run,
    live,
    night,
    trend,
    figures,
    compare,
    runs: isEmpty ? [] : [live, summary],
    get suites(): SuiteTree {
      const rows = map.rows.map((row) => ({ ...row, quarantine: held.get(scenarioTitle(row)) ?? row.quarantine }))
      return isEmpty ? { files: [], problem: null } : suitesOf({ ...map, rows })
    },
    /** Quarantines a scenario. */
    hold: (entry: Held) => held.set(scenarioTitle({ suite: entry.suite, name: entry.scenario }), entry),
    /** Says who works on the problems of a night. */
    acknowledge: (night: string, payload: AcknowledgeNight) => {
      const at = new Date(newest_ms).toISOString()
      acknowledged.push({ version: 1, kind: "acknowledged", id: "b00000", at, night, ...payload })
    },
    loads: isEmpty ? { ...loads, summaries: [], comparisons: [] } : loads,
    /** Changes that a page made. */
    changes: [] as Array<{ readonly what: string; readonly value: unknown }>
  }
}

export type World = ReturnType<typeof makeWorld>
