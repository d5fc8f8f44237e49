import { Server } from "@webagent/server"
import { SqlWorkspaces } from "@webagent/sql"
import { TestPostgres } from "@webagent/test-postgres"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { tmpdir } from "node:os"
import { dataOf } from "../src/data.ts"
import * as Durable from "../src/durable.ts"
import { roundRobin } from "./proxy.ts"

/**
 * A server that is one node of several over a database, also over a file, which servers otherwise have to themselves. It
 * has workspaces if there is a folder for their files.
 */
export const layer = (
  data: string,
  name: string,
  lost: Effect.Effect<void> = Effect.void,
  drainWithin = Duration.zero,
  files?: string,
  shared: Durable.DurableOptions["shared"] | null = {}
) =>
  Durable.layer(
    {
      data: dataOf(data),
      node: name,
      ...(shared === null ? {} : { shared }),
      sqlite: {},
      host: "127.0.0.1",
      port: 0,
      allowedHosts: undefined,
      apiKeys: ["K"],
      adminKeys: [],
      console: true,
      settings: [],
      command: "webagent-server serve",
      allowPrivateWebhooks: true,
      simulated: { seed: 1, turnDuration: undefined },
      drainWithin,
      files: { folder: files, limits: SqlWorkspaces.defaultFileLimits, keep_ms: 30 * 86_400_000 },
      retention: { keep_ms: 30 * 86_400_000, keepRuns: 1_000_000 },
      browsers: "simulated",
      agent: undefined,
      limits: {},
      chromium: { isolation: "none", folder: tmpdir(), egress: {} }
    },
    Effect.void,
    lost
  )

/** Such a node in this process: its HTTP, limits and work are those of a process. */
export const node = Effect.fnUntraced(function* (
  data: string,
  name: string,
  drainWithin = Duration.zero,
  files?: string
) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const told: Array<string> = []
  const lost = Effect.sync(() => void told.push("lost"))
  const built = Layer.buildWithScope(Layer.fresh(layer(data, name, lost, drainWithin, files)), scope)
  const { address, baseUrls } = Context.get(yield* built, Server)
  return { address, at: baseUrls.v4, told, close: Scope.close(scope, Exit.void) }
})

/** Three of them over one Postgres, each request to the next: the address of their proxy. */
export const threeNodes = Effect.gen(function* () {
  const { database } = yield* TestPostgres
  const data = yield* database
  const nodes = yield* Effect.forEach(["east", "west", "north"], (name) => node(data, name))
  return yield* roundRobin(nodes.map(({ address }) => address))
})
