import { ConsoleApi, NeedsAdmin } from "@webagent/admin"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { hostile, type World } from "../World.ts"
import type { Behavior } from "../Behavior.ts"

/** The operations that a key may use, as the server tells them. */
const operationsOf = (isAdmin: boolean): ReadonlyArray<string> =>
  Object.values<HttpApiGroup.Top>(ConsoleApi.groups as object as Record<string, HttpApiGroup.Top>).flatMap((group) =>
    Object.values(group.endpoints)
      .filter(({ annotations }) => isAdmin || !Context.get(annotations, NeedsAdmin))
      .map(({ identifier }) => `${group.identifier}.${identifier}`)
  )

/** The server itself. */
export const server = (behavior: Behavior, world: World) =>
  HttpApiBuilder.group(ConsoleApi, "server", (handlers) =>
    handlers.handleAll({
      get: () =>
        Effect.succeed({
          version: "0.1.0",
          node: "node-a",
          startedAt: "2026-11-28T08:00:00.000Z",
          uptimeMs: 3_600_000,
          has: [
            "runs",
            "sessions",
            "browsers",
            "keys",
            "spend",
            "nodes",
            "audit",
            "events",
            "marks",
            "shares",
            "live",
            "control",
            "profiles",
            "files",
            "replays",
            ...(world.webhooks.length > 0 ? ["webhooks"] : []),
            ...(world.schedules.length > 0 ? ["schedules"] : [])
          ],
          data: "memory",
          browsers: "chromium, isolated in namespaces",
          model: behavior.model,
          program: "npm run server --",
          command: behavior.isAdmin ? "npm run server -- serve --port 8080 --browsers chromium" : null,
          key: { name: "shop", admin: behavior.isAdmin, operations: operationsOf(behavior.isAdmin) }
        }),
      health: () =>
        Effect.succeed({
          status: "ok",
          reason: null,
          details: { store: { kind: "postgres", bytes: 12_300_000 }, runs: { queued: 3, running: 2 } }
        }),
      settings: () =>
        Effect.succeed([
          { name: "keep days", value: "30", flag: "--keep-days" },
          { name: "model", value: hostile[0], flag: null }
        ])
    })
  )
