/**
 * The load test "smoke": does the service work at all when a few people use it at once?
 *
 * New work starts at a fixed rate, whether or not earlier work is done (an open model), so a slow answer cannot hide
 * itself by slowing its own load down. Settings are environment variables; `tools/k6/README.md` says how to run it.
 */
// @boundaries-ignore k6 brings its own modules
import { check, sleep } from "k6"
// @boundaries-ignore k6 brings its own modules
import http from "k6/http"
import type { RefinedResponse } from "k6/http"
// @boundaries-ignore k6 brings its own modules
import { Counter, Trend } from "k6/metrics"
import type { Options } from "k6/options"
import { apiKeyHeader, basePath, operations, stopAction, terminalRunStatuses } from "@webagent/contract/Wire"

const required = (name: string): string => {
  const value = __ENV[name]
  if (value === undefined || value === "") throw new Error(`Set ${name}: the load test has no default for it.`)
  return value
}

const v4 = required("WEBAGENT_BASE_URL").replace(/(\/api\/v\d+)?\/*$/, "") + basePath.v4
const headers = {
  [__ENV["WEBAGENT_API_KEY_HEADER"] ?? apiKeyHeader]: required("WEBAGENT_API_KEY"),
  "Content-Type": "application/json"
}
const rate = Number(__ENV["WEBAGENT_LOAD_RATE"] ?? 5)
if (!Number.isInteger(rate) || rate < 1) throw new Error("WEBAGENT_LOAD_RATE is a whole number of starts per second.")
const duration = __ENV["WEBAGENT_LOAD_DURATION"] ?? "5s"
// A simulated agent does what the bracket says; another one greets.
const task = __ENV["WEBAGENT_LOAD_TASK"] ?? "Say hello [simulate outcome=completed duration=200ms]"

const runTimeout_s = 30
const browserTimeout_s = 10

const timeToTerminal = new Trend("time_to_terminal", true)
const pollsPerRun = new Trend("polls_per_run")
const runsCompleted = new Counter("runs_completed")
const runsLost = new Counter("runs_lost")
const browsersStopped = new Counter("browsers_stopped")
const browsersLeaked = new Counter("browsers_leaked")

/** As many virtual users as can be busy at once: k6 drops a start while it has to make another. */
const openModel = (exec: string, busy_s: number) =>
  ({
    executor: "constant-arrival-rate",
    exec,
    rate,
    timeUnit: "1s",
    duration,
    preAllocatedVUs: rate * busy_s,
    gracefulStop: `${busy_s}s`
  }) as const

// Exceptions in an iteration do not fail k6, and neither does doing nothing: each of those has a threshold here.
const thresholds = {
  http_req_failed: ["rate<0.01"],
  checks: ["rate>0.99"],
  dropped_iterations: ["count==0"],
  runs_completed: ["count>0"],
  runs_lost: ["count==0"],
  browsers_stopped: ["count>0"],
  browsers_leaked: ["count==0"]
}

export const options: Options = {
  scenarios: {
    runs: openModel("createAndWait", runTimeout_s + 5),
    browsers: openModel("createAndStop", browserTimeout_s * 2)
  },
  thresholds,
  summaryTrendStats: ["min", "med", "avg", "p(90)", "p(95)", "p(99)", "max", "count"]
}

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 299 }))

type Operation = keyof typeof operations.v4

/** Sends an operation of the contract, under its own name in every metric. */
const send = (name: Operation, id: string, body?: object): RefinedResponse<"text"> => {
  const { method, path } = operations.v4[name]
  return http.request(
    method,
    v4 + path.replace(/\{\w+\}/, encodeURIComponent(id)),
    body ? JSON.stringify(body) : null,
    {
      headers,
      tags: { name },
      responseType: "text",
      timeout: `${browserTimeout_s}s`,
      // the key goes to this service only
      redirects: 0
    }
  )
}

/** A field of a successful answer, or undefined: a bad answer is counted, it does not end the iteration. */
const field = (response: RefinedResponse<"text">, name: string): string | undefined => {
  if (response.status < 200 || response.status > 299) return undefined
  try {
    const value = response.json(name)
    return typeof value === "string" && value !== "" ? value : undefined
  } catch {
    return undefined
  }
}

const isTerminal = (status: string | undefined): boolean => terminalRunStatuses.some((terminal) => terminal === status)

/** Creates a run, polls its cheap status until it is terminal, and fetches the full run. */
export const createAndWait = (): void => {
  const start = Date.now()
  const id = field(send("createRun", "", { task }), "id")
  if (!check(id, { "a created run has an id": (id) => id !== undefined }) || id === undefined) return
  // lost until it is found: also a run whose iteration k6 cuts off
  runsLost.add(1)

  let polls = 0
  let status: string | undefined
  for (let pause_s = 0.05; !isTerminal(status) && Date.now() - start < runTimeout_s * 1000; pause_s *= 1.5) {
    sleep(Math.min(pause_s, 1))
    status = field(send("getRunStatus", id), "status")
    polls++
  }
  pollsPerRun.add(polls)
  if (isTerminal(status)) timeToTerminal.add(Date.now() - start)

  const run = isTerminal(status) ? send("getRun", id) : undefined
  const found = run !== undefined && field(run, "id") === id && field(run, "status") === status
  runsLost.add(found ? -1 : 0)
  runsCompleted.add(found && status === "completed" ? 1 : 0)
  check(status, {
    "a run is completed": (status) => status === "completed",
    "the full run agrees with its status": () => found
  })
}

/** Creates a browser and stops it, whatever it was like. */
export const createAndStop = (): void => {
  const browser = send("createBrowser", "", {})
  const id = field(browser, "id")
  if (!check(id, { "a created browser has an id": (id) => id !== undefined }) || id === undefined) return
  // leaked until it is stopped: also a browser whose iteration k6 cuts off
  browsersLeaked.add(1)

  check(browser, { "a browser has an address for CDP": () => field(browser, "cdpUrl") !== undefined })
  let stopped = false
  for (let attempt = 0; attempt < 3 && !stopped; attempt++) {
    const { status } = send("updateBrowser", id, { action: stopAction })
    stopped = status >= 200 && status <= 299
  }
  browsersStopped.add(stopped ? 1 : 0)
  browsersLeaked.add(stopped ? -1 : 0)
}

interface Summary {
  readonly metrics: Record<string, Metric>
}

interface Metric {
  readonly values: Record<string, number>
  readonly thresholds?: Record<string, { readonly ok: boolean }>
}

const thresholdLines = ({ metrics }: Summary): Array<string> =>
  Object.entries(thresholds).flatMap(([name, limits]) =>
    limits.map((limit) => {
      const measured = metrics[name]?.values[limit.replace(/[<>=].*/, "")] ?? 0
      const verdict = metrics[name]?.thresholds?.[limit]?.ok === true ? "ok" : "FAILED"
      return [name.padEnd(20), limit.padEnd(12), String(Number(measured.toFixed(4))).padStart(8), verdict].join("  ")
    })
  )

/** Prints the thresholds and writes everything as JSON to WEBAGENT_LOAD_SUMMARY; its directory has to be there. */
export const handleSummary = (summary: Summary): Record<string, string> => {
  const file = __ENV["WEBAGENT_LOAD_SUMMARY"]
  const outputs: Record<string, string> = { stdout: `${thresholdLines(summary).join("\n")}\n` }
  if (file !== undefined && file !== "") outputs[file] = JSON.stringify(summary, null, 2)
  return outputs
}
