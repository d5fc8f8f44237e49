import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

/** What a scripted service is like. */
export interface Script {
  readonly key: string
  readonly simulated: boolean
  /** The tasks of a v2 session. */
  readonly tasks?: ReadonlyArray<unknown>
  /** The status to answer the nth load request with, instead of what it asks for; null for no answer at all. */
  readonly fail?: (request: IncomingMessage, ordinal: number) => number | null | undefined
}

export interface ScriptedService {
  readonly address: string
  /** `POST /api/v4/runs` and so on, without what the look before the load asked for. */
  readonly seen: ReadonlyArray<string>
  readonly close: () => void
}

/** As little of a service as `load` and its scripts need, on a real socket; all work is done at once. */
export const start = async ({ fail, key, simulated, tasks }: Script): Promise<ScriptedService> => {
  const seen: Array<string> = []
  const server = createServer((request, response) => {
    const { method, url = "" } = request
    const answer = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    request.resume().on("end", () => {
      if (url === "/") return answer(200, { name: "webagent-server", version: "0.1.0", simulated })
      if (request.headers["x-service-api-key"] !== key) return answer(401, { detail: "Invalid API key" })
      const version = /^\/api\/(v[234])\//u.exec(url)?.[1]
      // also the look before the load
      if (version === undefined || (version === "v2" && !url.includes("/a0000000-"))) {
        return answer(404, { detail: "Session not found" })
      }
      // the other request of that look: this service has no lists
      if (url === "/api/v4/runs?limit=1") return answer(405, { detail: "Method Not Allowed" })
      const status = fail?.(request, seen.push(`${method} ${url}`))
      if (status === null) return undefined
      if (status !== undefined) return answer(status, { detail: "scripted" })
      const id =
        /^\/api\/v\d\/\w+\/([^/]+)/u.exec(url)?.[1] ??
        `a0000000-0000-4000-8000-${String(seen.length).padStart(12, "0")}`
      return answer(method === "POST" ? 201 : 200, {
        id,
        sessionId: id,
        status: version === "v3" ? "idle" : "completed",
        result: "hello",
        startedAt: "2026-01-01T00:00:00Z",
        tasks: tasks ?? [
          {
            id,
            sessionId: id,
            llm: "none",
            task: "hello",
            status: "finished",
            createdAt: "2026-01-01T00:00:00",
            output: "hello"
          }
        ],
        cdpUrl: "ws://127.0.0.1:9"
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    seen,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
