// @boundaries-ignore k6 brings its own modules
import exec from "k6/execution"
// @boundaries-ignore k6 brings its own modules
import http from "k6/http"
import type { Options } from "k6/options"
import { browsers } from "./flows/browsers.ts"
import { queue } from "./flows/queue.ts"
import { runs } from "./flows/runs.ts"
import { statusReads } from "./flows/status-reads.ts"
import { v2Sessions } from "./flows/v2-sessions.ts"
import { v3Sessions } from "./flows/v3-sessions.ts"
import type { Flow, Prepared } from "./Iteration.ts"
import { iterationsFailed } from "./Metrics.ts"
import type { FlowName } from "./Mix.ts"
import { keysAreHonoured, reap } from "./Reaping.ts"
import * as Sample from "./Sample.ts"
import * as Sampling from "./Sampling.ts"
import * as Service from "./Service.ts"
import * as Settings from "./Settings.ts"
import { closedModel, type LoadTestName, openModel, scheduled, shapes } from "./Shape.ts"
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

/** What the script of a load test exports to k6. */
export const make = (test: LoadTestName, defaults: Settings.Defaults) => {
  const settings = Settings.from(__ENV, test, defaults)
  const { duration_ms, mix, rate, runTimeout_ms, vus } = settings
  const shape = shapes[test]
  const executor = { duration_ms, gracefulStop: `${runTimeout_ms * 2 + 10_000}ms` }

  // k6 drops a start while it has to make another virtual user, so there are enough for runs a third as long as allowed
  const preAllocatedVUs = Math.ceil((rate * runTimeout_ms) / 3000) + 1

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
    setupTimeout: "60s",
    teardownTimeout: "2m"
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

  const setup = (): Prepared => {
    const execution = `${Date.now().toString(36)}-${Math.floor(Math.random() * 36 ** 6).toString(36)}`
    const found = {
      keysAreHonoured: mix.weights.browsers > 0 && keysAreHonoured(service, `load-${execution}-probe`),
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
    return { ...found, execution, ready_ms: Date.now() }
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
    const { idInInstance: vu, iterationInScenario: iteration } = exec.vu
    const isSampled = Sampling.includes({ share: settings.sample, vus: vus ?? preAllocatedVUs, vu, iteration })
    sample = isSampled ? Sample.make() : undefined
    try {
      flows[name]({ ordinal: mix.ordinal(index), due_ms, service, settings, prepared })
    } catch (error) {
      return failed(error)
    }
    return sample?.check().catch(failed)
  }

  const teardown = (prepared: Prepared): void => reap(settings, service, prepared)

  /** Prints the thresholds and writes everything as JSON to WEBAGENT_LOAD_SUMMARY; its directory has to be there. */
  const handleSummary = (summary: Summary.Summary): Record<string, string> => ({
    stdout: Summary.table(settings, summary),
    ...(settings.summary === undefined ? {} : { [settings.summary]: JSON.stringify(summary, null, 2) })
  })

  return { options, setup, iterate, teardown, handleSummary }
}
