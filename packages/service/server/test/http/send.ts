import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { Server } from "@webagent/server"

/** A request as raw as fetch lets it be. */
export interface Question {
  readonly key?: string | null
  readonly body?: unknown
  /** Sent as it is, instead of `body` as JSON. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Status, headers, and the body as JSON where it is JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Sends one request to the server of this test, with its key unless told otherwise. */
export const send = Effect.fnUntraced(function* (method: string, path: string, question: Question = {}) {
  const { address, apiKeys } = yield* Server
  const { body, headers, key = apiKeys[0] ?? "", text } = question
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  return yield* Effect.promise(async (signal): Promise<Answer> => {
    const response = await fetch(`${address}${path}`, {
      method,
      signal,
      headers: {
        ...(key === null ? {} : { "x-service-api-key": key }),
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(sent === undefined ? {} : { body: sent })
    })
    const received = await response.text()
    const json = (response.headers.get("content-type") ?? "").startsWith("application/json")
    return {
      status: response.status,
      headers: response.headers,
      text: received,
      body: json && received !== "" ? JSON.parse(received) : {}
    }
  })
})

/** Writes bytes that fetch would not send, and reads what comes until the server hangs up. */
export const raw = Effect.fnUntraced(function* (...parts: ReadonlyArray<string | Uint8Array>) {
  const { address } = yield* Server
  const { hostname, port } = new URL(address)
  return yield* Effect.callback<string>((resume) => {
    const socket = connect(Number(port), hostname)
    let received = ""
    socket.setEncoding("latin1")
    socket.on("data", (chunk) => (received += String(chunk)))
    socket.on("error", () => resume(Effect.succeed(received)))
    socket.on("close", () => resume(Effect.succeed(received)))
    for (const part of parts) socket.write(part)
    return Effect.sync(() => socket.destroy())
  })
})

/** Reads `path` until `until` says that it is enough. */
export const poll = (path: string, until: (body: Answer["body"]) => boolean): Effect.Effect<Answer, never, Server> =>
  Effect.flatMap(send("GET", path), (answer) =>
    until(answer.body) ? Effect.succeed(answer) : Effect.andThen(Effect.sleep("2 millis"), poll(path, until))
  )
