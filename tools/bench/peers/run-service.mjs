/**
 * The service that clients are measured against: node:http by hand, on loopback. `node run-service.mjs PORT KEY`
 *
 * A run says in its id when it is over: `p-30-1` with its 30th poll, `t-1790000000000-1` at that instant, any other is
 * over already. `GET /polls` tells when polls have come since it was asked last.
 */
import { createServer } from "node:http"

const [port, key] = process.argv.slice(2)
const polled = new Map()
let created = 0
let arrivals = []

const isOver = (id) => {
  const [kind, amount] = id.split("-")
  if (kind === "t") return Date.now() >= Number(amount)
  if (kind !== "p") return true
  const polls = (polled.get(id) ?? 0) + 1
  if (polls >= Number(amount)) polled.delete(id)
  else polled.set(id, polls)
  return polls >= Number(amount)
}

const finishedAt = (id) => {
  const [kind, amount] = id.split("-")
  return new Date(kind === "t" ? Number(amount) : 1_790_000_000_000).toISOString()
}

const run = (id) => ({
  id,
  sessionId: "0198a1f0-0000-7000-8000-000000000000",
  status: "completed",
  task: "Find the cheapest direct flight from Oslo to Rome in May",
  result: { price: 119.5, currency: "EUR", airline: "A", departs: "2026-05-04T06:40:00" },
  createdAt: "2026-05-01T12:00:00Z",
  startedAt: "2026-05-01T12:00:01Z",
  finishedAt: finishedAt(id),
  cost: "0.0264"
})

const send = (response, status, body) => {
  const text = JSON.stringify(body)
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
}

const create = (response, body) => {
  const { task } = JSON.parse(body)
  const [, polls] = /^polls (\d+)$/u.exec(task) ?? []
  const id = `${polls === undefined ? "r-0" : `p-${polls}`}-${++created}`
  send(response, 201, { ...run(id), status: "queued", result: null, startedAt: null, finishedAt: null, task })
}

createServer((request, response) => {
  if (request.url === "/polls") {
    send(response, 200, arrivals)
    arrivals = []
    return
  }
  // each client has its name for this header
  const { "x-service-api-key": ours, "x-browser-use-api-key": theirs } = request.headers
  if ((ours ?? theirs) !== key) return send(response, 401, { detail: "Invalid API key" })
  const [, , , , id, leaf] = request.url.split("/")
  if (request.method === "POST") {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk) => (body += chunk))
    return request.on("end", () => create(response, body))
  }
  if (leaf !== "status") return send(response, 200, run(id))
  if (id.startsWith("t-")) arrivals.push(Date.now())
  send(response, 200, { status: isOver(id) ? "completed" : "running" })
}).listen({ port: Number(port), host: "127.0.0.1", backlog: 4096 })
