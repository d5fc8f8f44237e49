import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { World } from "../World.ts"
import { notTested } from "./unknown.ts"

/** Schedules of the world. */
export const schedules = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "schedules", (handlers) =>
    handlers.handleAll({
      list: () => Effect.succeed(world.schedules),
      create: () => notTested,
      get: () => notTested,
      update: () => notTested,
      remove: () => notTested,
      run: () => notTested
    })
  )
