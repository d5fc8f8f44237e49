import { features } from "@webagent/admin"
import { fromMillis } from "@webagent/contract"
import { LiveViews, NodeId, nodeNameIn, Recordings } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Caller } from "../../api/Caller.ts"
import { Monitoring } from "../endpoints/Monitoring.ts"
import { version } from "../endpoints/Version.ts"
import { Installation } from "./Installation.ts"
import type { Operations } from "./Operations.ts"

/** The server itself: version, parts, health and settings. */
export const layer = (api: Operations) =>
  HttpApiBuilder.group(
    api,
    "server",
    Effect.fnUntraced(function* (handlers) {
      const { health } = yield* Monitoring
      const installation = yield* Installation
      const node = yield* NodeId
      const started_ms = yield* Clock.currentTimeMillis
      const groups = new Set<string>(Object.keys(api.groups))
      const parts: Readonly<Record<string, boolean>> = {
        recordings: (yield* Recordings) !== null,
        live: (yield* LiveViews) !== null
      }
      const has = features.filter((feature) => parts[feature] ?? groups.has(feature))
      return handlers.handleAll({
        get: () =>
          Effect.gen(function* () {
            const { isAdmin, name } = yield* Caller
            const now_ms = yield* Clock.currentTimeMillis
            const { browsers, data, model } = installation
            return {
              version,
              node: nodeNameIn(node),
              startedAt: fromMillis(started_ms),
              uptimeMs: Math.max(0, now_ms - started_ms),
              has: [...has, ...installation.has],
              data,
              browsers,
              model,
              key: { name, admin: isAdmin }
            }
          }),
        health: () => Effect.map(health, ({ reason = null, status, ...details }) => ({ status, reason, details })),
        settings: () => Effect.succeed(installation.settings)
      })
    })
  )
