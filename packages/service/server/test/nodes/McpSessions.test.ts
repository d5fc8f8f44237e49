import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { assert, describe, it } from "@effect/vitest"
import { callTool, connectHttp } from "@webagent/test-fixtures/Mcp"
import * as Effect from "effect/Effect"
import { met, send, start, type Started, withNodes, withStore } from "./neighbours.ts"

describe("an MCP session", () => {
  /** A client whose requests go to one node after the other. */
  const spread = (nodes: ReadonlyArray<Started>) => {
    let turn = 0
    const next = (path: string | URL) => new URL(new URL(path).pathname, nodes[turn++ % nodes.length]?.url)
    return connectHttp("http://spread", { "X-Service-API-Key": "wak_test" }, (path, init) => fetch(next(path), init))
  }

  it.live("continues on every node, because its requests reach the node that opened it", () =>
    withNodes({ a: {}, b: {}, c: {} }, function* ({ a, b, c }) {
      const nodes = [a, b, c]
      const client = yield* spread(nodes)
      for (let round = 0; round < 4; round++) {
        const { answer, text } = yield* callTool(client, "run_task", { task: "look" })
        assert.deepInclude(answer.run, { status: "completed" }, text)
      }
      const transport = client.transport as StreamableHTTPClientTransport
      const session = transport.sessionId ?? ""
      yield* Effect.promise(() => transport.terminateSession())
      for (const node of nodes) {
        const headers = { "mcp-session-id": session, accept: "application/json, text/event-stream" }
        const body = { jsonrpc: "2.0", id: 1, method: "tools/list" }
        const { status, text } = yield* send(node, "POST", "/mcp", { body, headers })
        assert.deepStrictEqual([status, text.includes("initialize")], [404, true])
      }
    })
  )

  it.live("reports a run's progress through another node while it happens", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }) {
      let at = a
      const client = yield* connectHttp("http://any", { "X-Service-API-Key": "wak_test" }, (path, init) =>
        fetch(new URL(new URL(path).pathname, at.url), init)
      )
      at = b
      const told = yield* Effect.promise(
        (signal) =>
          new Promise<string | undefined>((resolve) => {
            const input = { name: "run_task", arguments: { task: "Wait", waitSeconds: 120 } }
            const options = {
              signal,
              onprogress: ({ message }: { readonly message?: string | undefined }) => resolve(message)
            }
            // it has no answer before the client leaves
            void client.callTool(input, undefined, options).then(
              () => resolve("answered"),
              (error: unknown) => resolve(String(error))
            )
          })
      )
      assert.match(told ?? "", /^The run is (queued|dispatching|running)\.$/u)
    })
  )

  it.live("hides node names from its clients, because they may be host names", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const a = yield* start(store, "ip-10-0-0-5", { start: "1" })
        const b = yield* start(store, "ip-10-0-0-6", { start: "2" })
        yield* met(store, 2)
        const { transport } = yield* spread([a, b])
        assert.match(transport?.sessionId ?? "", /^1\.[^.]+$/u)
      })
    )
  )

  it.live("ends on every node when the node that opened it is gone", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }, store) {
      const client = yield* spread([a])
      const { sessionId = "" } = client.transport ?? {}
      yield* store.leave(a.id)
      const headers = { "mcp-session-id": sessionId, accept: "application/json, text/event-stream" }
      const body = { jsonrpc: "2.0", id: 1, method: "tools/list" }
      const { status, text } = yield* send(b, "POST", "/mcp", { body, headers })
      assert.deepStrictEqual([status, text.includes("initialize")], [404, true])
    })
  )
})
