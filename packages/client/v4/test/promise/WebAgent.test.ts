import { assert, describe, it } from "@effect/vitest"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import { afterEach, vi } from "vitest"
import { ClientConfigError, WebAgent, WebAgentClosedError } from "../../src/promise/index.ts"
import { rejection, sent } from "@webagent/scripted-server/Promises"
import { withAgent } from "./service.ts"

const key = "wak_canary"

/** What a program of process.ts prints, and how it ends. */
const run = (program: string, address: string) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number | null; readonly printed: string; readonly complained: string }>(
        (resolve) => {
          const child = spawn(
            process.execPath,
            ["--conditions=@webagent/source", fileURLToPath(new URL("process.ts", import.meta.url)), program, address],
            { env: { ...process.env, NODE_OPTIONS: "", WEBAGENT_API_KEY: key } }
          )
          let printed = ""
          let complained = ""
          child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
          child.stderr.on("data", (chunk: Buffer) => (complained += chunk.toString()))
          child.on("close", (code) => resolve({ code, printed, complained }))
        }
      )
  )

/** Interrupts a script at a request; tells how it ended and what it printed. */
const interrupted = (server: ScriptedServer["Service"], program: string, action: string, at: string) =>
  new Promise<readonly [signal: string | null, complained: string]>((resolve) => {
    const file = fileURLToPath(new URL("process.ts", import.meta.url))
    const args = ["--conditions=@webagent/source", file, program, server.address, action]
    const child = spawn(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: "", WEBAGENT_API_KEY: key } })
    let complained = ""
    child.stderr.on("data", (chunk: Buffer) => (complained += chunk.toString()))
    child.on("close", (_, signal) => resolve([signal, complained]))
    const ended = new Set<string>(["r-1"])
    let created = 0
    server.script = ({ method, url }) => {
      const [, id = ""] = /runs\/([^/]+)/u.exec(url) ?? []
      if (method === "POST" && id === "")
        return { status: 201, json: { id: program === "waits" ? "r-7" : `r-${++created}` } }
      if (url.endsWith("/cancel")) ended.add(id)
      else if (url.endsWith(at)) child.kill("SIGINT")
      return { json: { id, status: ended.has(id) ? "cancelled" : "running" } }
    }
  })

afterEach(() => void vi.unstubAllEnvs())

describe("a script that Ctrl-C interrupts", () => {
  it.live("names its unfinished run, and exits by the signal", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const [signal, complained] = yield* Effect.promise(() => interrupted(server, "waits", "continue", "/status"))
      assert.strictEqual(signal, "SIGINT")
      assert.strictEqual(complained, "The wait for run r-7 has ended: it may continue and cost money\n")
      assert.notInclude(sent(server).join(), "cancel")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("cancels its run with onAbort: cancel", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const [signal, complained] = yield* Effect.promise(() => interrupted(server, "waits", "cancel", "/status"))
      assert.strictEqual(signal, "SIGINT")
      assert.include(sent(server), "POST /runs/r-7/cancel")
      assert.strictEqual(complained, "")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("names unfinished runs that it doesn't wait for, but not a finished one", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const [signal, complained] = yield* Effect.promise(() => interrupted(server, "creates", "", "/r-3/status"))
      assert.strictEqual(signal, "SIGINT")
      assert.strictEqual(complained, "These may continue and cost money: run r-2, run r-3\n")
      assert.notInclude(sent(server).join(), "cancel")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("cancels them with onInterrupt: cancel", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const [signal, complained] = yield* Effect.promise(() => interrupted(server, "creates", "cancel", "/r-3/status"))
      assert.deepStrictEqual([signal, complained], ["SIGINT", "Canceled: run r-2, run r-3\n"])
      assert.sameMembers(sent(server).slice(-2), ["POST /runs/r-2/cancel", "POST /runs/r-3/cancel"])
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})

describe("new WebAgent", () => {
  it("names the remedy if the key or the address is missing", () => {
    vi.stubEnv("WEBAGENT_API_KEY", undefined)
    vi.stubEnv("WEBAGENT_BASE_URL", undefined)
    assert.throws(() => new WebAgent(), ClientConfigError, /^No API key: set apiKey or WEBAGENT_API_KEY to a key/u)
    assert.throws(
      () => new WebAgent({ apiKey: key }),
      ClientConfigError,
      /^No address: set baseUrl or WEBAGENT_BASE_URL to the service's, https:\/\/host\.$/u
    )
    assert.throws(() => new WebAgent({ apiKey: key, baseUrl: "here" }), /^baseUrl or WEBAGENT_BASE_URL is not a web/u)
  })

  it.live("reads missing options from the environment", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: { status: "running" } })
      vi.stubEnv("WEBAGENT_API_KEY", key)
      vi.stubEnv("WEBAGENT_BASE_URL", server.address)
      yield* Effect.promise(() => new WebAgent().runs.status("1"))
      // an address that is given is not overruled by one for a single version
      vi.stubEnv("WEBAGENT_V4_BASE_URL", "http://127.0.0.1:9/elsewhere")
      yield* Effect.promise(() => new WebAgent({ baseUrl: server.address, headers: { "x-a": "b" } }).runs.status("2"))
      assert.deepStrictEqual(
        server.requests.map(({ headers, url }) => [url, headers["x-service-api-key"], headers["x-a"]]),
        [
          ["/api/v4/runs/1/status", key, undefined],
          ["/api/v4/runs/2/status", key, "b"]
        ]
      )
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("uses undici in Node by default", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: { status: "running" } })
      for (const how of [{}, { fetch: globalThis.fetch }]) {
        const agent = new WebAgent({ apiKey: key, baseUrl: server.address, ...how })
        yield* Effect.promise(() => agent.runs.status("r-1"))
      }
      // what fetch says of itself
      assert.deepStrictEqual(
        server.requests.map(({ headers }) => headers["sec-fetch-mode"]),
        [undefined, "cors"]
      )
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("uses the provided fetch", () => {
    const urls: Array<string> = []
    const agent = new WebAgent({
      apiKey: key,
      baseUrl: "https://agents.example.com",
      fetch: async (url) => {
        urls.push(String(url))
        return Response.json({ status: "running" })
      }
    })
    return Effect.map(
      Effect.promise(() => agent.runs.status("r-1")),
      ({ status }) => {
        assert.strictEqual(status, "running")
        assert.deepStrictEqual(urls, ["https://agents.example.com/api/v4/runs/r-1/status"])
      }
    )
  })

  it("refuses invalid numbers before anything is sent", async () => {
    const options = { apiKey: key, baseUrl: "http://127.0.0.1:1" }
    for (const retries of [-1, Number.NaN, 1.5, Number.POSITIVE_INFINITY]) {
      assert.throws(
        () => new WebAgent({ ...options, retries }),
        new RegExp(`^retries must be a whole number from 0; got ${retries}\\.$`, "u")
      )
    }
    const agent = new WebAgent(options)
    for (const timeout of [Number.NaN, -1, "-1 seconds", "soon"] as ReadonlyArray<number>) {
      const error = await rejection(agent.runs.createAndWait({ task: "t" }, { timeout }))
      assert.match(String(error), /^TypeError: timeout must be a length of time, such as "30 seconds"; got/u)
    }
  })

  it("hides the key when it's printed, in its parts, its errors and its JSON", async () => {
    const agent = new WebAgent({ apiKey: key, baseUrl: "http://127.0.0.1:1" })
    assert.strictEqual(JSON.stringify(agent), '{"baseUrl":"http://127.0.0.1:1/api/v4"}')
    for (const shown of [agent, agent.runs, agent.browsers, await rejection(agent.runs.get("r"))]) {
      assert.notInclude(inspect(shown, { depth: 20, showHidden: true, getters: true }), key)
      assert.notInclude(`${JSON.stringify(shown)}${String(shown)}`, key)
    }
  })
})

describe("a closed WebAgent", () => {
  it.live(
    "refuses calls, and has ended running ones",
    withAgent(async (agent, server) => {
      const arrived = Promise.withResolvers<void>()
      server.script = () => () => arrived.resolve()
      const reading = agent.runs.get("r-1")
      await arrived.promise
      await agent.close()
      assert.instanceOf(await rejection(reading), WebAgentClosedError)
      assert.instanceOf(await rejection(agent.runs.get("r-1")), WebAgentClosedError)
      await agent[Symbol.asyncDispose]()
      assert.deepStrictEqual(sent(server), ["GET /runs/r-1"])
    })
  )

  it.live(
    "can be closed without having been used",
    withAgent(async (agent, server) => {
      await agent.close()
      assert.deepStrictEqual(server.requests, [])
    })
  )
})

describe("a process", () => {
  it.live("isn't ended by a create that is rejected before it's awaited", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 403 })
      const { code, complained, printed } = yield* run("eager", server.address)
      assert.deepStrictEqual(
        { code, printed, complained },
        { code: 0, printed: "caught TransportError\nand again\n", complained: "" }
      )
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("exits after the last call, whatever is still open", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = ({ method }) =>
        method === "POST" ? { json: { id: "b-1", cdpUrl: "ws://127.0.0.1:9" } } : { json: { status: "running" } }
      const { code, complained, printed } = yield* run("idle", server.address)
      assert.deepStrictEqual({ code, printed, complained }, { code: 0, printed: "", complained: "" })
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("shows the message, the line of the call, and no key when it crashes", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 403 })
      const { code, complained } = yield* run("uncaught", server.address)
      assert.strictEqual(code, 1)
      assert.match(
        complained,
        /^TransportError: GET http:\S+\/runs\/r-1: status 403\. The API key may not do this\. Request id \S+\.$/mu
      )
      assert.match(complained, /at .*process\.ts:\d+/u)
      assert.notInclude(complained, key)
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})
