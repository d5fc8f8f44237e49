import { apiKeyHeader, basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "../../src/targets/Target.ts"
import { apiKey } from "./inspected.ts"

/** The response of a service to a request. */
export interface Responses {
  readonly json: (status: number, body: unknown) => void
  readonly jpeg: (status: number, bytes: Uint8Array) => void
}

/** A service on a socket whose responses a test makes; a request that gets none is held. */
export const serveSteps = (respond: (incoming: IncomingMessage, responses: Responses) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((incoming, outgoing) =>
        respond(incoming, {
          json: (status, body) => {
            outgoing.writeHead(status, { "content-type": "application/json" })
            outgoing.end(JSON.stringify(body))
          },
          jpeg: (status, bytes) => {
            outgoing.writeHead(status, { "content-type": "image/jpeg", "content-length": bytes.length })
            outgoing.end(bytes)
          }
        })
      )
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
      return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** The service at an address as the target of a run. */
export const targetAt = (address: string): ReturnType<typeof connect> =>
  connect({
    simulated: false,
    apiKey: Redacted.make(apiKey),
    info: {
      name: "a service",
      address,
      baseUrls: { v2: address + basePath.v2, v3: address + basePath.v3, v4: address + basePath.v4 },
      apiKeyHeader,
      capabilities: new Set<never>()
    }
  })
