import type { Feature, Setting } from "@webagent/admin"
import type { StoreUnavailable } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

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
  /** Parts that the program has in addition to the server's own, such as `simulation`. */
  readonly has: ReadonlyArray<typeof Feature.Type>
  /** The settings in force, without secrets. */
  readonly settings: ReadonlyArray<Setting>
  /** Number of sessions and browsers of each node, by node id. */
  readonly loads: Effect.Effect<ReadonlyMap<string, NodeLoad>, StoreUnavailable>
}

/** Facts about the program that serves; those of a server in memory by default. */
export const Installation: Context.Reference<InstallationService> = Context.Reference("@webagent/server/Installation", {
  defaultValue: (): InstallationService => ({
    data: "memory",
    browsers: "simulated: no browser runs",
    model: null,
    has: [],
    settings: [],
    loads: Effect.succeed(new Map())
  })
})
