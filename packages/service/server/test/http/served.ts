import type { ApiKeyAuth as Auth } from "@webagent/contract"
import {
  type AgentIdentity,
  BrowserPool,
  Engine,
  IdSource,
  MemoryProfiles,
  MemoryStore,
  MemoryWorkspaces,
  type Store,
  type StreamingAgent,
  layerStreamingAgent
} from "@webagent/engine"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ApiKeyAuth from "../../src/http/policy/ApiKeyAuth.ts"
import * as Monitoring from "../../src/http/endpoints/Monitoring.ts"
import * as RequestValidation from "../../src/http/policy/RequestValidation.ts"
import { type ListenOptions, Server } from "../../src/Server.ts"

const ids = Layer.sync(IdSource, () => {
  let count = 0
  return {
    next: () => Effect.sync(() => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`)
  }
})

const layerBrowsers = (usesProfiles: boolean) =>
  Layer.succeed(BrowserPool, {
    countries: ["DE"],
    usesProfiles,
    launch: () =>
      Effect.succeed({
        connect: Effect.succeed({
          send: () => true,
          receive: constVoid,
          pause: constVoid,
          resume: constVoid,
          ended: Effect.never
        }),
        stop: Effect.void
      })
  })

export type Perform = StreamingAgent["perform"]

/** Repeats its task at once. */
const repeats: Perform = ({ task }) =>
  Stream.make({ _tag: "Started" } as const, { _tag: "Completed", report: { output: task } } as const)

export interface Choices {
  readonly perform?: Perform
  /** Further fields of the agent. */
  readonly agent?: Partial<AgentIdentity>
  readonly auth?: Layer.Layer<Auth, never, Store>
  /** The listener's options. */
  readonly listen?: ListenOptions
  /** True for a server with profiles and workspaces, as in `layerFiles`, or the layer that has them. */
  readonly keepsFiles?: boolean | typeof layerFiles
  /** True for browsers that start with profiles. */
  readonly usesProfiles?: boolean
}

/** Profiles, and workspaces of 1000 bytes each. */
export const layerFiles = Layer.mergeAll(MemoryProfiles.layer, MemoryWorkspaces.layer({ maxBytes: 1000 })).pipe(
  Layer.provide(ids)
)

/** A server over a socket and this store whose runs are over at once; the key is `wak_test`. */
export const layerOver = (
  store: Layer.Layer<Store>,
  {
    agent = {},
    auth = ApiKeyAuth.layer(["wak_test"]),
    keepsFiles = false,
    listen = {},
    perform = repeats,
    usesProfiles = false
  }: Choices = {}
): Layer.Layer<Server> =>
  Layer.orDie(
    Server.layerWithAuth({ apiKeys: ["wak_test"], ...listen, about: { of: "a test" }, around: Monitoring.measured })
  ).pipe(
    Layer.provide([Layer.provide(auth, store), RequestValidation.layer]),
    Layer.provide(
      Layer.provide(Engine.layer, [
        layerStreamingAgent({ model: "test", version: "test-1", ...agent, perform }),
        layerBrowsers(usesProfiles),
        store,
        ids
      ])
    ),
    // one instance, for the engine and for the operations
    Layer.provide(keepsFiles === false ? Layer.empty : keepsFiles === true ? layerFiles : keepsFiles),
    Layer.fresh
  )

/** The same over a store in memory. */
export const layerTest: Layer.Layer<Server> = layerOver(MemoryStore.layer)
