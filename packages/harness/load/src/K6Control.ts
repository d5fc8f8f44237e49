import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Agent, request } from "node:http"
import { createServer } from "node:net"
import { text } from "node:stream/consumers"

const Status = Schema.Struct({ data: Schema.Struct({ attributes: Schema.Struct({ status: Schema.Number }) }) })
const decode = Schema.decodeUnknownEffect(Status)

// k6's lib.ExecutionStatusPausedBeforeRun
const ready = 4

/** An address of this machine at which nothing listens now. */
export const freeAddress = Effect.callback<string>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const bound = server.address()
    const port = typeof bound === "object" && bound !== null ? bound.port : 0
    server.close(() => resume(Effect.succeed(`127.0.0.1:${port}`)))
  })
})

// of its own: with NODE_USE_ENV_PROXY fetch and the global agent send through a proxy what is meant for this machine
const agent = new Agent()

const status = (address: string, change?: { readonly body: string }) =>
  Effect.tryPromise(
    (signal) =>
      new Promise<unknown>((resolve, reject) => {
        request(`http://${address}/v1/status`, { agent, signal, method: change === undefined ? "GET" : "PATCH" })
          .on("response", (answer) => resolve(text(answer).then(JSON.parse)))
          .on("error", reject)
          .end(change?.body)
      })
  )

/** Waits until a k6 that was started paused has made its virtual users. */
export const awaitReady = (address: string) =>
  status(address).pipe(
    Effect.flatMap(decode),
    Effect.filterOrFail(({ data }) => data.attributes.status === ready),
    Effect.retry(Schedule.spaced("20 millis"))
  )

const change = (address: string, attributes: { readonly paused: false } | { readonly stopped: true }) =>
  status(address, { body: JSON.stringify({ data: { type: "status", id: "default", attributes } }) })

/** Lets it begin. */
export const begin = (address: string) => change(address, { paused: false })

/** Asks k6 to end its iterations and to summarise. Its port is closed when it does so already. */
export const stop = (address: string) => change(address, { stopped: true })
