/** The same service by hand with Fastify, as its guide writes one. `node fastify.mjs PORT KEY RUN_MS` */
import Fastify from "fastify"
import { makeRuns } from "./runs.mjs"

const [port, key, duration_ms] = process.argv.slice(2)
const runs = makeRuns(Number(duration_ms))
const app = Fastify()

app.addHook("onRequest", (request, reply, done) => {
  if (request.headers["x-service-api-key"] === key) return done()
  reply.code(401).send({ detail: "Invalid API key" })
})

const idOf = (name, schema) => ({ params: { type: "object", properties: { [name]: schema }, required: [name] } })
const found = (reply, value, detail) => (value === undefined ? reply.code(404).send({ detail }) : reply.send(value))
const text = { type: "string", minLength: 1 }

app.get(
  "/api/v2/sessions/:session_id",
  { schema: idOf("session_id", { type: "string", format: "uuid" }) },
  (request, reply) => found(reply, runs.session(request.params.session_id), "Session not found")
)

app.post(
  "/api/v4/runs",
  { schema: { body: { type: "object", properties: { task: text }, required: ["task"] } } },
  (request, reply) => reply.code(201).send(runs.create(request.body.task))
)

app.get(
  "/api/v4/runs/:run_id/status",
  {
    schema: {
      ...idOf("run_id", text),
      response: { 200: { type: "object", properties: { status: { type: "string" } }, required: ["status"] } }
    }
  },
  (request, reply) => {
    const run = runs.find(request.params.run_id)
    found(reply, run && { status: run.status }, "Run not found")
  }
)

app.get("/api/v4/runs/:run_id", { schema: idOf("run_id", text) }, (request, reply) =>
  found(reply, runs.find(request.params.run_id), "Run not found")
)

await app.listen({ port: Number(port), host: "127.0.0.1" })
