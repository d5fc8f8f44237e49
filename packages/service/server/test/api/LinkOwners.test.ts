import { assert, describe, it } from "@effect/vitest"
import { type ApiKey, ApiKeys, MemoryStore, StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WebSocket } from "ws"
import * as LinkOwners from "../../src/api/LinkOwners.ts"
import * as ApiKeyAuth from "../../src/http/policy/ApiKeyAuth.ts"
import { send } from "../http/send.ts"
import { layerOver } from "../http/served.ts"
import { makeShown, recordings, until, watch } from "../http/shown.ts"

const shop: ApiKey = {
  name: "shop",
  prefix: "wak_shop",
  scopes: ["read", "runs", "browsers"],
  limits: { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null },
  createdAt_ms: 0,
  revokedAt_ms: null,
  lastUsedAt_ms: null
}

/** The keys of a test. Names in `revoked` have no key left. */
const makeKeys = () => {
  const revoked = new Set<string>()
  const asked: Array<ReadonlyArray<string>> = []
  const state = { isAway: false }
  const layer = Layer.succeed(ApiKeys, {
    create: () => Effect.die("not used"),
    rotate: () => Effect.die("not used"),
    setLimits: () => Effect.die("not used"),
    list: Effect.succeed([shop]),
    revoke: () => Effect.die("not used"),
    named: () => Effect.succeed(Option.none()),
    revokedOf: (names) =>
      Effect.suspend(() => {
        asked.push(names)
        if (state.isAway) return Effect.fail(new StoreUnavailable({ applied: "no", cause: "a test" }))
        return Effect.succeed(new Set(names.filter((name) => revoked.has(name))))
      }),
    find: (secret) => Effect.succeed(secret === "wak_test" ? Option.some(shop) : Option.none()),
    usage: () => Effect.succeed({ runs: 0, browsers: 0, usd: 0 }),
    countRequest: () => Effect.succeed(0)
  })
  return { asked, layer, revoked, state }
}

/** Connects to a browser and notes how the connection ended. */
const connect = Effect.fnUntraced(function* (cdpUrl: string) {
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocket(cdpUrl)),
    (open) => Effect.sync(() => open.terminate())
  )
  const state: { isOpen: boolean; how?: string } = { isOpen: false }
  socket.on("error", () => undefined)
  socket.on("open", () => (state.isOpen = true))
  socket.on("unexpected-response", (_, { statusCode }) => (state.how = `refused ${statusCode}`))
  socket.on("close", (code, reason) => (state.how ??= `${code} ${reason}`))
  return state
})

const get = (url: string) =>
  Effect.map(send("GET", `${new URL(url).pathname}${new URL(url).search}`, { key: null }), ({ status }) => status)

const create = Effect.map(send("POST", "/api/v4/browsers", { body: { enableRecording: true } }), ({ body }) => ({
  id: String(body["id"]),
  cdpUrl: String(body["cdpUrl"]),
  liveUrl: String(body["liveUrl"]),
  controlUrl: String(body["controlUrl"])
}))

/** A server with managed keys and viewable, recorded browsers. */
const served = <A, E, R>(keys: ReturnType<typeof makeKeys>, test: Effect.Effect<A, E, R>) => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-test-owners-"))
  const ports = Layer.mergeAll(makeShown().layer, recordings(join(folder, "a.webm"), "0123456789"))
  const auth = Layer.provide(ApiKeyAuth.layerManaged(), keys.layer)
  const layer = Layer.fresh(
    Layer.provide(layerOver(MemoryStore.layer, { auth }), [ports, Layer.provide(LinkOwners.layer, keys.layer)])
  )
  return Effect.ensuring(
    Effect.scoped(Effect.provide(test, layer)),
    Effect.sync(() => rmSync(folder, { recursive: true }))
  )
}

const sentence = LinkOwners.revokedSentence

describe("links of a revoked key", () => {
  it.live("don't open, and their open connections are closed", () => {
    const keys = makeKeys()
    return served(
      keys,
      Effect.gen(function* () {
        const recorded = yield* create
        const stopped = yield* send("PATCH", `/api/v4/browsers/${recorded.id}`, { body: { action: "stop" } })
        const recordingUrl = String(stopped.body["recordingUrl"])
        const { cdpUrl, controlUrl, liveUrl } = yield* create
        const cdp = yield* connect(cdpUrl)
        const live = yield* watch(liveUrl)
        const control = yield* watch(controlUrl)
        yield* until(() => cdp.isOpen && [live, control].every(({ socket }) => socket.readyState === WebSocket.OPEN))
        assert.strictEqual(yield* get(recordingUrl), 200)
        keys.revoked.add("shop")
        yield* until(() => [cdp, live.ended, control.ended].every(({ how }) => how !== undefined))
        assert.strictEqual(cdp.how, `1008 ${sentence}`)
        assert.deepStrictEqual([live.ended.how, control.ended.how], [`1008 ${sentence}.`, `1008 ${sentence}.`])
        const again = yield* connect(cdpUrl)
        yield* until(() => again.how !== undefined)
        assert.strictEqual(again.how, "refused 403")
        const version = cdpUrl.replace(/^ws/u, "http").replace(/\?/u, "/json/version?")
        const all = [version, liveUrl, controlUrl, recordingUrl]
        assert.deepStrictEqual(yield* Effect.forEach(all, get), [403, 403, 403, 403])
        // a new key of the same name
        keys.revoked.clear()
        const rotated = yield* connect(cdpUrl)
        yield* until(() => rotated.isOpen)
        assert.deepStrictEqual(yield* Effect.forEach([liveUrl, controlUrl, recordingUrl], get), [200, 200, 200])
      })
    )
  })

  it.live("are checked with one query for all connections, which stay open while the database is unavailable", () => {
    const keys = makeKeys()
    return served(
      keys,
      Effect.gen(function* () {
        const { cdpUrl } = yield* create
        const connections = yield* Effect.forEach(Array.from({ length: 10 }), () => connect(cdpUrl))
        yield* until(() => connections.every(({ isOpen }) => isOpen))
        keys.asked.length = 0
        yield* until(() => keys.asked.length > 0)
        assert.isBelow(keys.asked.length, connections.length)
        assert.deepStrictEqual(keys.asked[0], ["shop"])
        keys.state.isAway = true
        keys.revoked.add("shop")
        const before = keys.asked.length
        yield* until(() => keys.asked.length > before + 1)
        assert.isTrue(connections.every(({ how }) => how === undefined))
        keys.state.isAway = false
        yield* until(() => connections.every(({ how }) => how === `1008 ${sentence}`))
      })
    )
  })
})
