/** The floor: node:http by hand, nothing around it. `node node-http.mjs PORT KEY RUN_MS` */
import { createServer } from "node:http"
import { makeRuns } from "./runs.mjs"

const [port, key, duration_ms] = process.argv.slice(2)
const runs = makeRuns(Number(duration_ms))
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu

const send = (response, status, body) => {
  const text = JSON.stringify(body)
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
}
const found = (response, value, detail) =>
  value === undefined ? send(response, 404, { detail }) : send(response, 200, value)

const readJson = (request, done) => {
  const chunks = []
  request.on("data", (chunk) => chunks.push(chunk))
  request.on("end", () => {
    try {
      done(JSON.parse(Buffer.concat(chunks).toString("utf8")))
    } catch {
      done(undefined)
    }
  })
}

createServer((request, response) => {
  if (request.headers["x-service-api-key"] !== key) return send(response, 401, { detail: "Invalid API key" })
  const [, , version, resource, id, leaf] = request.url.split("/")
  if (version === "v2" && resource === "sessions" && request.method === "GET") {
    if (!uuid.test(id)) {
      return send(response, 422, {
        detail: [{ loc: ["path", "session_id"], msg: "not a uuid", type: "uuid_parsing" }]
      })
    }
    return found(response, runs.session(id), "Session not found")
  }
  if (version === "v4" && resource === "runs") {
    if (request.method === "POST" && id === undefined) {
      return readJson(request, (body) =>
        typeof body?.task === "string"
          ? send(response, 201, runs.create(body.task))
          : send(response, 422, { detail: [{ loc: ["body", "task"], msg: "Field required", type: "missing" }] })
      )
    }
    const run = runs.find(id)
    return found(response, leaf === "status" && run !== undefined ? { status: run.status } : run, "Run not found")
  }
  return send(response, 404, { detail: "Not Found" })
}).listen(Number(port), "127.0.0.1")
