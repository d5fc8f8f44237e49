/**
 * What people do with the service, as plain as it goes: a run created, polled to its end and fetched, a browser created and
 * stopped. Starts come at their rate whether or not earlier ones have ended.
 */
// @boundaries-ignore k6 brings its own modules
import http from "k6/http"
// @boundaries-ignore k6 brings its own modules
import { sleep } from "k6"
// @boundaries-ignore k6 brings its own modules
import { Counter } from "k6/metrics"

const rate = Number(__ENV.BENCH_RATE)

export const options = {
  scenarios: {
    flow: {
      executor: "constant-arrival-rate",
      rate,
      timeUnit: "1s",
      duration: __ENV.BENCH_DURATION,
      gracefulStop: "5s",
      preAllocatedVUs: Math.ceil(rate / 2),
      maxVUs: rate * 2
    }
  },
  summaryTrendStats: ["med", "p(95)", "p(99)", "max", "count"]
}

const lost = new Counter("lost")
const base = `${__ENV.BENCH_URL}/api/v4`
const of = (name) => ({
  headers: { "X-Service-API-Key": __ENV.BENCH_KEY, "Content-Type": "application/json" },
  tags: { name },
  timeout: "10s"
})
const [createRun, getStatus, getRun, createBrowser, stopBrowser] = [
  "createRun",
  "getRunStatus",
  "getRun",
  "createBrowser",
  "updateBrowser"
].map(of)
const run = JSON.stringify({ task: "Find a red mug" })
const stop = JSON.stringify({ action: "stop" })

const polls = 50

export default function flow() {
  const { id } = http.post(`${base}/runs`, run, createRun).json()
  let status
  for (let poll = 0; status !== "completed" && poll < polls; poll++) {
    sleep(0.02)
    status = http.get(`${base}/runs/${id}/status`, getStatus).json("status")
  }
  const full = http.get(`${base}/runs/${id}`, getRun)
  lost.add(full.json("status") === "completed" && full.json("result") !== null ? 0 : 1)
  const browser = http.post(`${base}/browsers`, "{}", createBrowser).json("id")
  const stopped = http.patch(`${base}/browsers/${browser}`, stop, stopBrowser)
  lost.add(stopped.json("status") === "stopped" ? 0 : 1)
}

export const handleSummary = (summary) => ({ [__ENV.WEBAGENT_LOAD_SUMMARY]: JSON.stringify(summary) })
