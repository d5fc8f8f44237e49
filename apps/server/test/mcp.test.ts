import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { assert, describe, it } from "@effect/vitest"
import * as Mcp from "@webagent/test-fixtures/Mcp"
import * as Effect from "effect/Effect"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { bundle, ready, run, start } from "./program.ts"

/** A client that starts the program, as desktop clients do. */
const connect = (address: string, apiKey: string) =>
  Mcp.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["--conditions=@webagent/source", bundle, "mcp", "--url", `${address}/api/v4`],
      env: { WEBAGENT_API_KEY: apiKey }
    })
  )

/** A port that takes connections and never answers. */
const silent = Effect.acquireRelease(
  Effect.promise(async () => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => void sockets.add(socket.on("error", () => undefined)))
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    return { server, sockets, port: (server.address() as AddressInfo).port }
  }),
  ({ server, sockets }) =>
    Effect.sync(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
)

describe("webagent-server mcp", () => {
  it.live("runs a task on a server, with the key from the environment, as the server itself does", () =>
    Effect.gen(function* () {
      const { key = "", v4 = "" } = yield* ready(yield* start(["simulate", "--port", "0"]))
      const { origin } = new URL(v4)
      const client = yield* connect(origin, key)
      const { answer } = yield* Mcp.callTool(client, "run_task", {
        task: "Find a mug [simulate output=found duration=20ms]"
      })
      assert.deepInclude(answer.run, { status: "completed", result: "found" })
      const direct = yield* Mcp.connectHttp(origin, { "X-Service-API-Key": key })
      const same = yield* Mcp.callTool(direct, "get_run", { runId: answer.run.id })
      assert.deepStrictEqual(same.answer.run, answer.run)
    }).pipe(Effect.scoped)
  )

  it.live("exits immediately if the server refuses its key", () =>
    Effect.gen(function* () {
      const { v4 = "" } = yield* ready(yield* start(["simulate", "--port", "0"]))
      const { origin } = new URL(v4)
      const { code, stderr } = yield* run(["mcp", "--url", origin], { WEBAGENT_API_KEY: "wak_wrong" })
      assert.strictEqual(code, 2)
      assert.include(stderr, `${origin} refuses the API key in WEBAGENT_API_KEY.`)
      assert.notInclude(stderr, "wak_wrong")
    }).pipe(Effect.scoped)
  )

  it.live("reports that no server responds, and waits for one", () =>
    Effect.gen(function* () {
      const program = yield* start(["mcp", "--url", "http://127.0.0.1:2"], { WEBAGENT_API_KEY: "wak_k" })
      // it ends with its input, which is empty
      const { code, stderr } = yield* program.ended
      assert.deepStrictEqual([code, program.stdout()], [0, ""])
      assert.include(stderr, "http://127.0.0.1:2 doesn't respond. Tools fail until a server responds there.")
      assert.notInclude(stderr, "wak_k")
    }).pipe(Effect.scoped)
  )

  it.live("reports a server that doesn't respond", () =>
    Effect.gen(function* () {
      const { port } = yield* silent
      const program = yield* start(["mcp", "--url", `http://127.0.0.1:${port}`], { WEBAGENT_API_KEY: "wak_k" })
      const { code, stderr } = yield* program.ended
      assert.strictEqual(code, 0)
      assert.include(stderr, `http://127.0.0.1:${port} doesn't respond. Tools fail until a server responds there.`)
    }).pipe(Effect.scoped)
  )

  it.live("names the variable that it needs", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(["mcp", "--url", "http://127.0.0.1:8080"])
      assert.strictEqual(code, 2)
      assert.include(stderr, "Set WEBAGENT_API_KEY to an API key of http://127.0.0.1:8080.")
    })
  )
})
