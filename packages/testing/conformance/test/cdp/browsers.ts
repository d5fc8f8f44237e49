import { Server } from "@webagent/simulation"
import * as Effect from "effect/Effect"

/** A browser of the service, as its v4 answers tell of it. */
export interface Browser {
  readonly id: string
  readonly cdpUrl: string
  readonly status: string
}

const send = Effect.fnUntraced(function* (method: string, path: string, body: unknown) {
  const { apiKeys, baseUrls } = yield* Server
  return yield* Effect.promise(async (signal) => {
    const headers = { "content-type": "application/json", "x-service-api-key": apiKeys[0] ?? "" }
    const answer = await fetch(`${baseUrls.v4}${path}`, { method, headers, signal, body: JSON.stringify(body) })
    return (await answer.json()) as Browser
  })
})

/** A new browser of the server of this test. */
export const create = send("POST", "/browsers", {})

/** Stops a browser, by the only request that does. */
export const stop = ({ id }: Browser) => send("PATCH", `/browsers/${id}`, { action: "stop" })

/** Why a promise was rejected, in words. */
export const rejection = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "not rejected",
    (error: unknown) => (error instanceof Error ? error.message : JSON.stringify(error))
  )

/** A page with a title and a heading, all in its address. */
export const greeting = "data:text/html,<title>Red%20mug</title><h1>Caf%C3%A9</h1>"
