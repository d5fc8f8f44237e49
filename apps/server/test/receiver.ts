import * as Effect from "effect/Effect"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A message of a webhook. */
export interface Received {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly status: string
}

/** The request that had a message. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A program that receives webhooks until the test ends. */
export const receiver = (
  respond: (response: ServerResponse, count: number) => void = (response) => void response.end()
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Received> = []
      const requests: Array<ReceivedRequest> = []
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (text: string) => (body += text))
        request.on("end", () => {
          const { headers } = request
          const { data, type } = JSON.parse(body) as {
            readonly type: string
            readonly data: { readonly id?: string; readonly key?: string; readonly status?: string }
          }
          const id = String(headers["webhook-id"])
          received.push({ id, type, subject: data.id ?? data.key ?? "", status: data.status ?? "" })
          requests.push({ headers, body })
          respond(response, received.length)
        })
      })
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
      return { received, requests, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((resolve) => void server.close(resolve))
      })
  )

/** Waits until a request came, or something else that a test watches is true. */
export const untilTrue = (isTrue: () => boolean) =>
  Effect.repeat(Effect.sleep("20 millis"), { while: () => !isTrue() }).pipe(
    Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.die(new Error("It didn't happen in time")) })
  )
