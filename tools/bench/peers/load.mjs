/** Makes one window of load and prints what came back, as JSON: `node load.mjs '{"url": ...}'` */
import autocannon from "autocannon"

const { apiKey, amount, connections, duration_s, kind, path, url } = JSON.parse(process.argv[2])
const headers = { "x-service-api-key": apiKey }
const create = {
  method: "POST",
  path: "/api/v4/runs",
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify({ task: "Find a red mug" })
}

// the id of the answer before is in every request after it
const about = (suffix) => ({
  method: "GET",
  headers,
  setupRequest: (request, context) => ({ ...request, path: `/api/v4/runs/${context.id}${suffix}` })
})
const remembering = {
  ...create,
  onResponse: (_status, body, context) => {
    context.id = JSON.parse(body).id
  }
}

const requests = {
  read: [{ method: "GET", path, headers }],
  create: [create],
  flow: [remembering, about("/status"), about("/status"), about("")]
}[kind]

const began_ms = performance.now()
let answered_ms = began_ms
const load = autocannon({
  url,
  connections,
  requests,
  ...(amount === undefined ? { duration: duration_s } : { amount })
})
load.on("response", () => {
  answered_ms = performance.now()
})
const result = await load
process.stdout.write(
  JSON.stringify({
    answers: result["2xx"],
    others: result.non2xx,
    errors: result.errors,
    // autocannon notices only once a second that all of an amount are answered
    duration_s: amount === undefined ? result.duration : (answered_ms - began_ms) / 1000,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99
  })
)
