import { assert, describe, it } from "@effect/vitest"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"
import { hastened } from "@webagent/scripted-server/Haste"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { ClientConfig, type ClientOptions, ContractClient, Ledger, RetryPolicy, Transport } from "../src/index.ts"
import { V4Operations } from "@webagent/contract/v4"
import { layerUndici } from "../src/node.ts"

const transport = (baseUrl: string, options: Partial<ClientOptions> = {}) =>
  Transport.layer.pipe(
    Layer.provide(layerUndici),
    Layer.provide(ClientConfig.layer({ baseUrl, apiKey: "canary", ...options })),
    Layer.provide(Layer.succeed(RetryPolicy.Current, { ...RetryPolicy.standard, base: Duration.millis(1) })),
    Layer.orDie
  )

const create = Effect.flatMap(ContractClient.make("v4", V4Operations), ({ runs }) =>
  runs.create({ payload: { task: "t" } })
)

/** What is written in the ledger while `effect` fails, and how it does. */
const written = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const entries: Array<string> = []
    const ledger: Ledger.Ledger = {
      write: ({ _tag }) => Effect.sync(() => void entries.push(_tag)),
      open: Effect.succeed([])
    }
    const error = yield* Effect.flip(Effect.provideService(effect, Ledger.Current, ledger))
    return { error, entries }
  })

/** Something that listens, and does with each connection what it is told to. */
const listener = (onConnection: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly address: string; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket.on("error", () => undefined))
        onConnection(socket)
      }).listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ address: `127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe("a create that undici hasn't started to send", () => {
  it.live.each([
    ["closes", (socket: Socket): void => void socket.end()],
    ["resets", (socket: Socket): void => void socket.resetAndDestroy()],
    ["is no TLS", (socket: Socket): void => void socket.end("220 mail.example.com\r\n")]
  ] as const)("is sent again, and has made nothing: the connection %s before there is TLS", ([, onConnection]) =>
    Effect.gen(function* () {
      let connections = 0
      const { address } = yield* listener((socket) => {
        connections++
        // when it has something to say
        socket.once("data", () => onConnection(socket))
      })
      const { entries, error } = yield* written(Effect.provide(create, transport(`https://${address}`)))
      assert.deepStrictEqual([connections, ...entries], [5, "opening", "refused"])
      assert.match(error.message, /\(5 attempts\): nothing answers at https:\S+ \(.+\)\. Is the service running/u)
    }).pipe(Effect.scoped)
  )

  it.live("has created nothing if it times out before it connects", () =>
    Effect.gen(function* () {
      const connected = yield* Deferred.make<void>()
      // TLS never begins
      const { address } = yield* listener(() => Deferred.doneUnsafe(connected, Exit.void))
      const options = { timeouts: { connect: "10 hours", total: "1 minute" } } as const
      const call = Effect.provide(create, transport(`https://${address}`, options))
      const { entries, error } = yield* written(hastened(Deferred.await(connected))(call))
      assert.match(error.message, /\(5 attempts\): no connection within 1m\. Request id \S+\.$/u)
      assert.deepStrictEqual(entries, ["opening", "refused"])
    }).pipe(Effect.scoped)
  )

  it.live("reports that it wasn't sent if a header is invalid", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const request = { kind: "run", method: "POST", path: "/api/v4/runs", origin: server.address, requestId: "q-1" }
      const create = Effect.flatMap(Transport, (client) =>
        client.create({ ...request, idOf: () => undefined }, (headers) =>
          client.exchange("v4", { method: "POST", url: "/runs", headers: { ...headers, expect: "100-continue" } })
        )
      )
      const { entries, error } = yield* written(Effect.provide(create, transport(server.address)))
      assert.match(error.message, /: not sent, the request cannot be encoded: look at its headers$/u)
      assert.deepStrictEqual(entries, ["opening", "refused"])
      assert.deepStrictEqual(server.requests, [])
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})

describe("a response that is larger than the limit", () => {
  const piece = Buffer.alloc(1024 * 1024, " ")

  /** Goes on for as long as someone reads it. */
  const endless: Answer = (response) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write(piece)) continue
    }
    response.on("drain", more)
    more()
  }

  const bomb = gzipSync(Buffer.alloc(101 * piece.length))

  it.live.each([
    ["never ends", endless],
    ["was compressed", (response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb)]
  ] satisfies ReadonlyArray<readonly [string, Answer]>)("is given up: one that %s", ([, answer]) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => answer
      const read = Effect.flatMap(Transport, (transport) => transport.exchange("v4", { method: "GET", url: "/x" }))
      const error = yield* Effect.flip(
        Effect.provide(read, transport(server.address, { timeouts: { total: "1 hour" } }))
      )
      assert.match(error.message, /: the response is larger than 100 MiB\. Request id \S+\.$/u)
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})
