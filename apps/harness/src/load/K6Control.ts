import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { createServer } from "node:net"

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

const status = (address: string, init: RequestInit = {}) =>
  Effect.tryPromise(async (signal) => {
    const answer = await fetch(`http://${address}/v1/status`, { ...init, signal })
    return answer.json()
  })

/** Waits until a k6 that was started paused has made its virtual users. */
export const awaitReady = (address: string) =>
  status(address).pipe(
    Effect.flatMap(decode),
    Effect.filterOrFail(({ data }) => data.attributes.status === ready),
    Effect.retry(Schedule.spaced("20 millis"))
  )

const change = (address: string, attributes: { readonly paused: false } | { readonly stopped: true }) =>
  status(address, {
    method: "PATCH",
    body: JSON.stringify({ data: { type: "status", id: "default", attributes } })
  })

/** Lets it begin. */
export const begin = (address: string) => change(address, { paused: false })

/** Asks it to end its iterations and to sum up; nobody answers when it does so already. */
export const stop = (address: string) => change(address, { stopped: true })
