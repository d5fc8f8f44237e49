import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it arrived. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The response to a request: JSON, text, or a function that writes it. */
export type Answer =
  | {
      readonly status?: number
      readonly headers?: Record<string, string>
      readonly json?: unknown
      readonly text?: string
    }
  | ((response: ServerResponse) => void)

/** Writes an answer. */
export const write = (response: ServerResponse, answer: Answer): void => {
  if (typeof answer === "function") return answer(response)
  const body = answer.text ?? (answer.json === undefined ? undefined : JSON.stringify(answer.json))
  response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers }).end(body)
}

/** An address without a server. A system hands this port out to no program, and fetch does not refuse it. */
export const unreachable = "http://127.0.0.1:2"

/** A real HTTP server on a free port that answers as the test says and remembers what it was sent. */
export class ScriptedServer extends Context.Service<
  ScriptedServer,
  {
    readonly address: string
    readonly requests: Array<Received>
    script: (request: Received, count: number) => Answer
  }
>()("@webagent/scripted-server/ScriptedServer") {
  static readonly layer = Layer.effect(
    this,
    Effect.acquireRelease(
      Effect.callback<{ readonly service: ScriptedServer["Service"]; readonly close: () => void }>((resume) => {
        const requests: Array<Received> = []
        const server = createServer(async (request, response) => {
          const chunks: Array<string> = []
          for await (const chunk of request.setEncoding("utf8")) chunks.push(String(chunk))
          const { headers, method = "", url = "" } = request
          const received = { method, url, headers, body: chunks.join("") }
          requests.push(received)
          write(response, service.script(received, requests.length))
        })
        const service: ScriptedServer["Service"] = { address: "", requests, script: () => ({ status: 500 }) }
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resume(Effect.succeed({ service: Object.assign(service, { address: `http://127.0.0.1:${port}` }), close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ).pipe(Effect.map(({ service }) => service))
  )
}
