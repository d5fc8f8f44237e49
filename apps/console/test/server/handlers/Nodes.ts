import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { World } from "../World.ts"
import { notTested } from "./unknown.ts"

/** Nodes of the world. */
export const nodes = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "nodes", (handlers) =>
    handlers.handleAll({ list: () => Effect.succeed(world.nodes), drain: () => notTested, undrain: () => notTested })
  )
