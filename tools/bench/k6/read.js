/** Reads one address over and over, as plain as it goes: what a k6 costs, and not a script. */
// @boundaries-ignore k6 brings its own modules
import http from "k6/http"

export const options = {
  vus: Number(__ENV.BENCH_USERS),
  duration: __ENV.BENCH_DURATION,
  discardResponseBodies: true,
  summaryTrendStats: ["med", "p(95)", "p(99)", "count"]
}

const params = { headers: { "X-Service-API-Key": __ENV.BENCH_KEY }, tags: { name: "read" } }

export default function read() {
  http.get(__ENV.BENCH_URL, params)
}

export const handleSummary = (summary) => ({ [__ENV.WEBAGENT_LOAD_SUMMARY]: JSON.stringify(summary) })
