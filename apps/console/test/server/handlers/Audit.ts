import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { World } from "../World.ts"

/** The audit log, and the exports that pages note. */
export const audit = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "audit", (handlers) =>
    handlers.handleAll({
      export: ({ payload }) => Effect.sync(() => void world.exports.push(payload)),
      list: ({ query: { action, key, target } }) =>
        Effect.sync(() => ({
          rows: world.audit.filter(
            (entry) =>
              (action === undefined || entry.action === action) &&
              (key === undefined || entry.key === key) &&
              (target === undefined || entry.targets.includes(target))
          ),
          next: null,
          complete: true
        }))
    })
  )
