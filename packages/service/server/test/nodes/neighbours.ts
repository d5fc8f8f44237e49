import type { ApiKeyAuth as ApiKeyAuthCheck } from "@webagent/contract"
import {
  type ApiKey,
  ApiKeys,
  BrowserPool,
  type CdpReceiver,
  type ConnectionEnd,
  ConsoleSessions,
  type ConsoleSessionsService,
  Engine,
  type KeyLimits,
  keyScopes,
  type KeyUsage,
  LaunchFailed,
  LiveViews,
  type LaunchedBrowser,
  MemoryStore,
  NodeId,
  nodeIdOf,
  Recordings,
  SharedWork,
  Store,
  TimeOrderedIds,
  type Turn,
  layerStreamingAgent
} from "@webagent/engine"
import {
  ApiKeyAuth,
  BrowserQueueTimeout,
  LinkTokens,
  Listener,
  Monitoring,
  Nodes,
  RequestValidation,
  Server
} from "@webagent/server"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type IncomingHttpHeaders, request } from "node:http"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WebSocket } from "ws"

/** How soon nodes of a test notice each other; none is lost, however busy the machine is. */
const soon = { lifetime: "1 minute", every: "100 millis", look: "50 millis" } as const

/** A pool whose browsers say what they are told, each with the name of its node before it. */
const poolOf = (name: string, { most = 2, queues = false, room }: StartOptions) => {
  const running = new Map<string, (how: ConnectionEnd) => void>()
  const launched = (id: string): LaunchedBrowser => {
    const ends = new Set<(how: ConnectionEnd) => void>()
    running.set(id, (how) => ends.forEach((end) => end(how)))
    return {
      connect: Effect.gen(function* () {
        const over = yield* Deferred.make<ConnectionEnd>()
        const end = (how: ConnectionEnd) => void Deferred.doneUnsafe(over, Effect.succeed(how))
        yield* Effect.acquireRelease(
          Effect.sync(() => ends.add(end)),
          () => Effect.sync(() => ends.delete(end))
        )
        let receiver: CdpReceiver | undefined
        return {
          send: (message) => {
            receiver?.onMessage(Buffer.from(`{"${name}":${String(message)}}`))
            return true
          },
          receive: (client) => (receiver = client),
          pause: () => undefined,
          resume: () => undefined,
          ended: Deferred.await(over)
        }
      }),
      stop: Effect.sync(() => {
        running.get(id)?.("stopped")
        running.delete(id)
      })
    }
  }
  const layer = Layer.succeed(BrowserPool, {
    room: Effect.sync(() => room ?? most - running.size),
    launch: ({ id }, wait) => {
      const full = new LaunchFailed({ reason: "full", message: `All ${most} browsers of ${name} are in use` })
      const now = Effect.suspend(() => {
        if (running.size < most) return Effect.sync(() => launched(id))
        wait?.onRefused(full, 1)
        return Effect.fail(full)
      })
      if (!queues || wait === undefined) return now
      const placed = Effect.retry(now, Schedule.spaced("20 millis"))
      return Effect.raceAllFirst([placed, wait.over, Effect.andThen(Effect.sleep(wait.within ?? 0), full)])
    }
  })
  return { layer, running }
}

/** What all nodes of a test have, for links and signatures. */
export const secret = Buffer.from("shared")

/** Uses the session's browser, and says what its task is, and where it is carried out; the task `Wait` has no end. */
const agentOf = (name: string) =>
  layerStreamingAgent({
    model: "test",
    version: "test-1",
    perform: ({ task }, { browser }) =>
      Stream.concat(
        Stream.succeed<Turn.TurnEvent>({ _tag: "Started" }),
        Stream.fromEffect(
          Effect.as(task === "Wait" ? Effect.never : Effect.orDie(Effect.scoped(browser)), {
            _tag: "Completed",
            report: { output: `${name}: ${task}` }
          } satisfies Turn.TurnEvent)
        )
      )
  })

/** A check of one key, which has these limits and uses that; it counts the key's requests and creates. */
export const limitedKey = (limits: Partial<KeyLimits>, usage: Partial<KeyUsage> = {}) => {
  const key: ApiKey = {
    name: "app",
    prefix: "wak_",
    scopes: keyScopes,
    limits: { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null, ...limits },
    createdAt_ms: 0,
    revokedAt_ms: null,
    lastUsedAt_ms: null
  }
  const counted = { requests: 0, creates: 0 }
  const keys = Layer.succeed(ApiKeys, {
    create: () => Effect.die("not asked for"),
    rotate: () => Effect.die("not asked for"),
    setLimits: () => Effect.die("not asked for"),
    list: Effect.succeed([key]),
    revoke: () => Effect.succeed(key),
    find: () => Effect.succeed(Option.some(key)),
    named: () => Effect.succeed(Option.some(key)),
    revokedOf: () => Effect.succeed(new Set<string>()),
    usage: () =>
      Effect.sync(() => {
        counted.creates++
        return { runs: 0, browsers: 0, usd: 0, ...usage }
      }),
    countRequest: () =>
      Effect.sync(() => {
        counted.requests++
        return 0
      })
  })
  return { auth: Layer.provide(ApiKeyAuth.layerManaged(), keys), counted }
}

/** A node of a test. */
export interface Started {
  readonly id: string
  readonly name: string
  /** The browsers that run at it, with what ends their connections. */
  readonly running: ReadonlyMap<string, (how: ConnectionEnd) => void>
  /** The browsers whose recordings it deleted. */
  readonly forgotten: ReadonlySet<string>
  readonly url: string
}

interface StartOptions {
  /** Where it says that it is; where it is unless given. */
  readonly address?: string | null
  /** How many browsers it takes; 2 unless given. */
  readonly most?: number
  /** True if creates wait for room. */
  readonly queues?: boolean
  /** Maximum time for which creates wait; 20 seconds by default. */
  readonly queueTimeout?: Duration.Input
  /** How much room it says that it has; as much as it has unless given. */
  readonly room?: number
  /** Which start of the node it is, as no other start; the node's first unless given. */
  readonly start?: string
  /** How it checks keys; takes `wak_test` without limits unless given. */
  readonly auth?: Layer.Layer<ApiKeyAuthCheck>
  /** Where its console keeps sessions; in its own memory unless given. */
  readonly sessions?: ConsoleSessionsService
  /** Further options of its listener. */
  readonly listen?: Pick<Listener.ListenerOptions, "publicUrl" | "trustProxy">
}

/** A file that is gone after the test, as a recording. */
const fileOf = (text: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "webagent-nodes-"))
      const path = join(folder, "recording.webm")
      writeFileSync(path, text)
      return { folder, path, contentType: "video/webm", bytes: text.length, finishedAt_ms: 0 }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

/** Starts a server over a store that it shares with others; the key is `wak_test`. */
export const start = (
  store: Store["Service"],
  name: string,
  options: StartOptions = {}
): Effect.Effect<Started, Listener.ListenError | Listener.PortInUseError, Scope.Scope> =>
  Effect.gen(function* () {
    const { address, auth = ApiKeyAuth.layer(["wak_test"]), listen, sessions, start = `${name}-1` } = options
    const queueTimeout = Duration.fromInputUnsafe(options.queueTimeout ?? "20 seconds")
    const { layer: pool, running } = poolOf(name, options)
    const id = nodeIdOf(name, start)
    const files = yield* fileOf(`recorded at ${name}`)
    const work = Layer.unwrap(
      Effect.map(Effect.all([HttpServer.HttpServer, BrowserPool]), ([server, { room = Effect.succeed(0) }]) =>
        SharedWork.layer({
          ...soon,
          about: Effect.map(room, (room) => ({
            name,
            address: address === undefined ? HttpServer.formatAddress(server.address) : address,
            room,
            draining: false,
            startedAt_ms: 0
          }))
        })
      )
    )
    const seen = Layer.succeed(LiveViews, {
      has: (id) => running.has(id),
      open: () =>
        Effect.succeed({
          views: Stream.concat(
            Stream.succeed({
              picture: { jpeg: Buffer.from(`picture of ${name}`), at_ms: 0 },
              tab: { title: `at ${name}`, address: "https://shop.example" }
            }),
            Stream.never
          ),
          input: () => Effect.void,
          isConcealed: () => false
        }),
      conceal: () => Effect.void
    })
    const forgotten = new Set<string>()
    const recorded = Layer.succeed(Recordings, {
      find: () => Effect.succeed(Option.some(files)),
      keep: () => Effect.succeed(null),
      forget: (browserId) => Effect.sync(() => forgotten.add(browserId)),
      prune: () => Effect.succeed(0)
    })
    const layer = Server.layerServed({ linkTokens: LinkTokens.layerFrom(secret), around: Monitoring.measured }).pipe(
      Layer.provide([auth, RequestValidation.layer]),
      Layer.provide(Layer.provide(Engine.layerOf, [agentOf(name), TimeOrderedIds.layer])),
      Layer.provide([Nodes.layer(secret), seen, recorded, Layer.succeed(ConsoleSessions, sessions ?? null)]),
      Layer.provide(work),
      Layer.provide(pool),
      Layer.provide([Layer.succeed(Store, store), Layer.succeed(NodeId, id)]),
      Layer.provide(Layer.succeed(BrowserQueueTimeout, queueTimeout)),
      Layer.provide(Listener.layer({ host: "127.0.0.1", port: 0, ...listen }))
    )
    const { address: url } = Context.get(yield* Layer.build(Layer.fresh(layer)), Server)
    return { id, name, running, forgotten, url }
  })

/** Sends a request to a node, with its key. */
export const send = (
  { url }: Pick<Started, "url">,
  method: string,
  path: string,
  { body, headers = {} }: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> } = {}
) =>
  Effect.callback<{
    readonly status: number
    readonly headers: IncomingHttpHeaders
    readonly text: string
    readonly body: Readonly<Record<string, unknown>>
  }>((resume) => {
    // not fetch, which sends again what is misdirected
    const asked = request(`${url}${path}`, {
      method,
      headers: { "x-service-api-key": "wak_test", "content-type": "application/json", ...headers }
    })
    asked.once("error", (error) => resume(Effect.die(error)))
    asked.once("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk))
      response.once("end", () => {
        const { headers, statusCode: status = 0 } = response
        resume(Effect.succeed({ status, headers, text, body: text.startsWith("{") ? JSON.parse(text) : {} }))
      })
    })
    asked.end(body === undefined ? undefined : JSON.stringify(body))
    return Effect.sync(() => asked.destroy())
  })

/** Creates a browser at a node, whichever node it then runs at. */
export const create = (node: Started, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(send(node, "POST", "/api/v4/browsers", { body: {}, headers }), ({ body, status }) => {
    const { pathname, search } = new URL(String(body["cdpUrl"] ?? "http://none"))
    return { status, id: String(body["id"]), cdp: `${pathname}${search}`, detail: body["detail"] }
  })

/** A WebSocket to a node, with what came and how it ended. */
export const connect = ({ url }: Started, path: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly socket: WebSocket; readonly heard: Array<string>; how: string }>((resolve) => {
          const socket = new WebSocket(`${url.replace(/^http/u, "ws")}${path}`, { headers, perMessageDeflate: false })
          const client = { socket, heard: [] as Array<string>, how: "" }
          socket.on("message", (data) => client.heard.push(String(data)))
          socket.on("error", () => undefined)
          socket.on("unexpected-response", (_, { statusCode }) => {
            client.how = `refused ${statusCode}`
            resolve(client)
          })
          socket.on("close", (code, reason) => {
            client.how = `${code} ${reason}`.trim()
          })
          socket.on("open", () => resolve(client))
        })
    ),
    ({ socket }) => Effect.sync(() => socket.terminate())
  )

/** Waits until the nodes know each other. */
export const met = (store: Store["Service"], count: number): Effect.Effect<void> =>
  Effect.flatMap(Effect.orDie(store.nodes), (nodes) =>
    nodes.length === count ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), met(store, count))
  )

/** A test over nodes that it starts itself. */
export const withStore = <A, E, R>(use: (store: Store["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.provide(Effect.flatMap(Store, use), MemoryStore.layer))

/** A test over nodes of these names that share a store and know each other. */
export const withNodes = <Name extends string, Yielded extends Effect.Effect<unknown, unknown, unknown>, A>(
  options: Readonly<Record<Name, StartOptions>>,
  test: (nodes: Readonly<Record<Name, Started>>, store: Store["Service"]) => Generator<Yielded, A, never>
) =>
  withStore(
    Effect.fnUntraced(function* (store) {
      const nodes: Partial<Record<Name, Started>> = {}
      const names = Object.keys(options) as Array<Name>
      for (const name of names) nodes[name] = yield* start(store, name, options[name])
      yield* met(store, names.length)
      return yield* Effect.gen(() => test(nodes as Record<Name, Started>, store))
    })
  )

/** Waits for what is to come; what never comes ends the test by its own time. */
export const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), until(isSo))))
