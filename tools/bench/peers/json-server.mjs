/** json-server with its data in memory, quiet. `node json-server.mjs PORT KEY DATABASE` */
import { readFileSync } from "node:fs"
import jsonServer from "json-server"

const [port, key, database] = process.argv.slice(2)
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu
const app = jsonServer.create()

app.use(jsonServer.defaults({ logger: false }))
app.use((request, response, next) => {
  if (request.headers["x-service-api-key"] !== key) return response.status(401).json({ detail: "Invalid API key" })
  next()
})
app.use("/api/v2/sessions/:session_id", (request, response, next) => {
  if (!uuid.test(request.params.session_id)) return response.status(422).json({ detail: [] })
  next()
})
app.use(jsonServer.bodyParser)
app.use(jsonServer.rewriter({ "/api/v4/runs/:run_id/status": "/runs/:run_id", "/api/v4/*": "/$1", "/api/v2/*": "/$1" }))
// an object in place of a file: nothing is written to disk
app.use(jsonServer.router(JSON.parse(readFileSync(database, "utf8"))))
app.listen(Number(port), "127.0.0.1")
