import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { World } from "../World.ts"
import { notTested } from "./unknown.ts"

/** Webhooks of the world. */
export const webhooks = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "webhooks", (handlers) =>
    handlers.handleAll({
      list: () => Effect.succeed(world.webhooks),
      create: () => notTested,
      get: () => notTested,
      update: () => notTested,
      remove: () => notTested,
      rotate: () => notTested,
      test: () => notTested,
      deliveries: () => notTested,
      delivery: () => notTested,
      redeliver: () => notTested
    })
  )
