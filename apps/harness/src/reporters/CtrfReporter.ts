import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import * as Moment from "@webagent/report/Moment"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import * as Attention from "./Attention.ts"
import type { Replay, Reporter } from "./Reporter.ts"
import * as AtomicFile from "@webagent/report/AtomicFile"

type Status = "passed" | "failed" | "skipped" | "other"

const statusOf = (result: ScenarioResult, items: ReadonlyArray<Attention.Item>): Status => {
  const { verdict } = result
  if (items.some((item) => !Attention.isVerdict(item))) return "failed"
  if (verdict === "skipped" || verdict === "passed") return verdict
  if (items.length === 0) return verdict === "flaky" && !Attention.isQuarantined(result) ? "passed" : "other"
  return verdict === "infra" || verdict === "unscored" ? "other" : "failed"
}

const whereOf = (where: string | undefined) => {
  const [, filePath, line] = /^(.*):(\d+)$/u.exec(where ?? "") ?? []
  return filePath === undefined ? {} : { filePath, line: Number(line) }
}

const testOf = (report: RunReport, result: ScenarioResult, red: ReadonlyArray<Attention.Item>, replay: Replay) => {
  const at = (after_ms: number) => Math.round(Moment.of(report, result, after_ms))
  const { failure, reason, suite, name, trials, verdict } = result
  const items = red.length > 0 ? red : Attention.itemsOf(result)
  const message = items.map(({ evidence }) => evidence).join("\n") || reason
  const reruns = trials.flatMap((trial) => trial.reruns)
  const traces = trials.flatMap(({ index, trace }) => (trace === undefined ? [] : [{ index, trace }]))
  return {
    testId: `${suite} › ${name}`,
    name,
    suite: [suite],
    status: statusOf(result, red),
    rawStatus: verdict,
    duration: Math.round(result.duration_ms),
    start: at(result.started_ms),
    stop: at(result.started_ms + result.duration_ms),
    ...(message === undefined ? {} : { message }),
    ...whereOf(failure?.where),
    ...(result.tags.length === 0 ? {} : { tags: result.tags }),
    ...(verdict === "flaky" || (verdict === "passed" && reruns.length > 0) ? { flaky: true } : {}),
    retries: reruns.length,
    ...(reruns.length === 0
      ? {}
      : {
          retryAttempts: reruns.map((rerun, index) => ({
            attempt: index + 1,
            status: "other",
            duration: Math.round(rerun.duration_ms),
            start: at(rerun.started_ms),
            stop: at(rerun.started_ms + rerun.duration_ms),
            message: Attention.failureLine(rerun.failure)
          }))
        }),
    ...(traces.length === 0
      ? {}
      : {
          attachments: traces.map(({ index, trace }) => ({
            name: `trace of trial ${index + 1}`,
            contentType: "application/json",
            path: trace
          }))
        }),
    extra: {
      cost_usd: result.cost_usd,
      checks: result.checks,
      replay: replay(result),
      ...(result.quarantine === undefined ? {} : { quarantine: result.quarantine }),
      ...(result.onset === undefined ? {} : { onset: result.onset }),
      trials: trials.map(({ cost_usd, duration_ms, index, requests, seed, verdict }) => ({
        index,
        seed,
        verdict,
        duration_ms,
        requests,
        cost_usd
      }))
    }
  }
}

/** The report in the Common Test Report Format: one test a scenario; its trials are in `extra`. */
export const render = (report: RunReport, replay: Replay): string => {
  const { header } = report
  const start = Date.parse(header.startedAt)
  const items = Attention.itemsByResult(report)
  const tests = report.results.map((result) => testOf(report, result, items.get(result) ?? [], replay))
  const count = (status: Status) => tests.filter((test) => test.status === status).length
  const ctrf = {
    reportFormat: "CTRF",
    specVersion: "0.0.0",
    timestamp: header.startedAt,
    generatedBy: header.tool.name,
    results: {
      tool: { name: header.tool.name, version: header.tool.version },
      summary: {
        tests: tests.length,
        passed: count("passed"),
        failed: count("failed"),
        skipped: count("skipped"),
        pending: 0,
        other: count("other"),
        flaky: tests.filter((test) => test.flaky === true).length,
        suites: header.suites.length,
        start,
        stop: start + Math.round(report.duration_ms),
        duration: Math.round(report.duration_ms),
        extra: { cost_usd: report.cost_usd, interrupted: report.interrupted, ...report.counts }
      },
      tests,
      environment: {
        testEnvironment: header.target.name,
        ...(header.shard === undefined ? {} : { shardId: `${header.shard.index}/${header.shard.of}` }),
        extra: { address: header.target.address, seed: header.seed, concurrency: header.concurrency }
      },
      ...(report.breaches.length === 0 ? {} : { extra: { breaches: report.breaches } })
    }
  }
  return `${JSON.stringify(ctrf, null, 2)}\n`
}

/** Writes the report in the Common Test Report Format. */
export const make =
  (path: string, replay: Replay): Reporter<FileSystem.FileSystem> =>
  (events) =>
    Stream.runForEach(events, (event) =>
      event._tag === "RunFinished" ? AtomicFile.write(path, render(event.report, replay)) : Effect.void
    )
