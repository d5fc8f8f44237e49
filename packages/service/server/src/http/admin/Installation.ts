import type { Feature, Setting } from "@webagent/admin"
import type { StoreUnavailable } from "@webagent/engine"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Number of sessions and browsers of a node. */
export interface NodeLoad {
  readonly sessions: number
  readonly browsers: number
}

/** Facts about the program that serves, which only it knows. */
export interface InstallationService {
  /** Kind of the store: `memory`, `sqlite` or `postgres`. */
  readonly data: string
  /** Description of the browsers. */
  readonly browsers: string
  /** The model that carries out runs. */
  readonly model: string | null
  /** The program as one calls it on this machine, such as `npx webagent-server`. */
  readonly program: string
  /** The command line that started it, without secrets; null if it's unknown. */
  readonly command: string | null
  /** Parts that the program has in addition to the server's own, such as `simulation`. */
  readonly has: ReadonlyArray<typeof Feature.Type>
  /** The settings in force, without secrets. */
  readonly settings: ReadonlyArray<Setting>
  /** Number of sessions and browsers of each node, by node id; null for a server with a store of its own in memory. */
  readonly loads: Effect.Effect<ReadonlyMap<string, NodeLoad>, StoreUnavailable> | null
}

/** Facts about the program that serves; those of a server in memory by default. */
export const Installation: Context.Reference<InstallationService> = Context.Reference("@webagent/server/Installation", {
  defaultValue: (): InstallationService => ({
    data: "memory",
    browsers: "simulated: no real browser is started",
    model: null,
    program: "webagent-server",
    command: null,
    has: [],
    settings: [],
    loads: null
  })
})
