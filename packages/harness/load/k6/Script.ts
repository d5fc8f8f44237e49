import exec from "k6/execution"
import http from "k6/http"
import type { Options } from "k6/options"
import { preAllocatedVUs as usersOf } from "../src/LoadTest.ts"
import type { FlowName } from "../src/Mix.ts"
import { browsers } from "./flows/browsers.ts"
import { queue } from "./flows/queue.ts"
import { runs } from "./flows/runs.ts"
import { statusReads } from "./flows/status-reads.ts"
import { v2Sessions } from "./flows/v2-sessions.ts"
import { v3Sessions } from "./flows/v3-sessions.ts"
import type { Flow, Prepared } from "./Iteration.ts"
import { browsersLeaked, iterationsFailed } from "./Metrics.ts"
import * as Reaping from "./Reaping.ts"
import * as Sample from "./Sample.ts"
import * as Sampling from "./Sampling.ts"
import * as Service from "./Service.ts"
import * as Settings from "./Settings.ts"
import { closedModel, openModel, scheduled, shapes } from "./Shape.ts"
import * as Summary from "./Summary.ts"

const flows: Readonly<Record<FlowName, Flow>> = {
  runs,
  browsers,
  status: statusReads,
  queue,
  v3: v3Sessions,
  v2: v2Sessions
}

const runsToRead = 5

const idOf = (answer: Service.Answer): ReadonlyArray<string> => {
  const id = Service.text(answer, "id")
  return id === undefined ? [] : [id]
}

/** Makes the exports of the script for k6. */
export const make = () => {
  const settings = Settings.from(__ENV)
  const { duration_ms, mix, rate, runTimeout_ms, test, vus } = settings
  const shape = shapes[test]
  const executor = { duration_ms, gracefulStop: `${runTimeout_ms * 2 + 10_000}ms` }

  // k6 drops a start while it has to make another virtual user, so there are enough for runs a third as long as allowed
  const preAllocatedVUs = usersOf(rate, runTimeout_ms)

  const options: Options = {
    scenarios: {
      [test]:
        vus === undefined
          ? openModel(shape, {
              ...executor,
              rate,
              preAllocatedVUs,
              maxVUs: Math.ceil((rate * (runTimeout_ms + 5000)) / 1000) + 1
            })
          : closedModel(shape, { ...executor, vus })
    },
    thresholds: { ...settings.thresholds },
    tags: { load_test: test },
    summaryTrendStats: Summary.trendStatistics,
    setupTimeout: "60s"
  }

  http.setResponseCallback(http.expectedStatuses({ min: 200, max: 299 }))
  let sample: Sample.Sample | undefined
  const service = Service.make(settings, (operation, answer) => sample?.add(operation, answer))

  /** Later than now for no start, and earlier only where k6 has a schedule. */
  const dueNow = (): number => {
    const now_ms = Date.now()
    if (vus !== undefined) return now_ms
    const { iterationInTest, startTime } = exec.scenario
    return Math.min(now_ms, startTime + scheduled(shape, rate, duration_ms, iterationInTest))
  }

  /** Checks whether creates may be repeated. Until it's known what they created, that counts as leaked. */
  const probe = (execution: string): boolean => {
    browsersLeaked.add(Reaping.creates)
    const { keysAreHonoured, leaked } = Reaping.probe(service, Reaping.probeKey(execution))
    browsersLeaked.add(leaked - Reaping.creates)
    return keysAreHonoured
  }

  const setup = (): Prepared => {
    const execution =
      settings.execution ?? `${Date.now().toString(36)}-${Math.floor(Math.random() * 36 ** 6).toString(36)}`
    return {
      execution,
      keysAreHonoured: mix.weights.browsers > 0 && probe(execution),
      runs:
        mix.weights.status > 0
          ? service
              .sendAll(
                "v4.createRun",
                Array.from({ length: runsToRead }, () => ({ body: { task: settings.task } }))
              )
              .flatMap(idOf)
          : []
    }
  }

  const failed = (error: unknown): never => {
    // k6 logs an exception and goes on
    iterationsFailed.add(1)
    throw error
  }

  const iterate = (prepared: Prepared): Promise<void> | void => {
    const due_ms = dueNow()
    const index = exec.scenario.iterationInInstance
    const name = mix.at(index)
    exec.vu.metrics.tags["flow"] = name
    const { idInTest: vu, iterationInScenario: iteration } = exec.vu
    const isSampled = Sampling.includes({ share: settings.sample, vus: vus ?? preAllocatedVUs, vu, iteration })
    sample = isSampled ? Sample.make() : undefined
    try {
      flows[name]({ ordinal: mix.ordinal(index), due_ms, service, settings, prepared })
    } catch (error) {
      return failed(error)
    }
    return sample?.check().catch(failed)
  }

  /**
   * Stops what was cut off, and counts it so. Only now is it known what that is: k6 tells a teardown nothing of the
   * iterations, and what a summary asks of the service is in no metric.
   */
  const reaped = (summary: Summary.Summary): Summary.Summary => {
    const { execution } = settings
    const prepared = summary.setup_data
    const leaked = Summary.figure(summary, "browsers_leaked", "count")
    const cutOff = Summary.figure(summary, "browsers_cut_off", "count")
    if (prepared === null || prepared === undefined) {
      // the setup was cut off: by its key the probe is found again, where keys are honoured
      if (leaked === 0 || execution === undefined) return summary
      const again = Reaping.probe(service, Reaping.probeKey(execution))
      return Summary.adding(summary, "browsers_leaked", again.leaked - (again.keysAreHonoured ? leaked : 0))
    }
    if (cutOff === 0 || !prepared.keysAreHonoured) return summary
    const newest = Summary.figure(summary, "newest_browser", "max")
    const result = Reaping.reap(settings, service, prepared, { newest, cutOff, leaked })
    const changes = [
      ["browsers_leaked", result.leaked - result.settled],
      ["browsers_stopped", result.stopped],
      ["browsers_cut_off", -result.settled]
    ] as const
    return changes.reduce((changed, [metric, difference]) => Summary.adding(changed, metric, difference), summary)
  }

  /** Prints the thresholds and writes everything as JSON to WEBAGENT_LOAD_SUMMARY; its directory has to be there. */
  const handleSummary = (measured: Summary.Summary): Record<string, string> => {
    const summary = reaped(measured)
    return {
      stdout: Summary.table(settings, summary),
      ...(settings.summary === undefined ? {} : { [settings.summary]: JSON.stringify(summary, null, 2) })
    }
  }

  return { options, setup, iterate, handleSummary }
}
