import { assert, describe, it } from "@effect/vitest"
import { ClientConfig, Ledger, LedgerMemory, type OpenItem, Transport } from "@webagent/core"
import { V3 } from "@webagent/v3"
import { V4 } from "@webagent/v4"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Leftover from "../../src/leftovers/Leftover.ts"
import { reap } from "../../src/leftovers/Reaper.ts"

/** The address of a service whose sessions read so, on a real socket. */
const serviceOf = (session: object) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "s-1", ...session }))
      ).listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

/** What the reaper finds of a session that a service shows so, and how much the ledger has open after it. */
const reaped = Effect.fnUntraced(function* (session: object) {
  const origin = yield* serviceOf(session)
  const ledger = yield* LedgerMemory.make
  const create = { key: "k", kind: "session", method: "POST", path: "/api/v3/sessions", origin, requestId: "q" }
  const item: OpenItem = { ...create, id: "s-1", state: "opened", at_ms: 1 }
  yield* ledger.write({ _tag: "opening", at_ms: 1, ...create })
  yield* ledger.write({ _tag: "opened", at_ms: 2, key: "k", id: "s-1" })
  const leftovers = yield* reap([Leftover.of(item)], Duration.seconds(5), () => Effect.void).pipe(
    Effect.provide(
      Layer.mergeAll(V3.layerServices, V4.layerServices).pipe(
        Layer.provideMerge(Transport.layer),
        Layer.provide([FetchHttpClient.layer, ClientConfig.layer({ baseUrl: origin, apiKey: "wak_test" })])
      )
    ),
    Effect.provideService(Ledger.Current, ledger)
  )
  return [...leftovers.flatMap(({ state, why }) => [state, why]), (yield* ledger.open).length]
})

describe("a session that is reaped", () => {
  it.live.each([
    [{ status: "idle" }, ["over", "idle", 0]],
    [{ status: "error" }, ["over", "error", 0]],
    [{ result: "hello" }, ["over", "with a result", 0]],
    [{ status: "running", result: "hello" }, ["open", "running; the service describes no way to end it", 1]],
    [{ result: null }, ["open", "without a status; the service describes no way to end it", 1]]
  ] as const)("that reads %j is %j", ([session, expected]) =>
    Effect.scoped(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* reaped(session), [...expected])
      })
    )
  )
})
