import { features } from "@webagent/admin"
import { fromMillis } from "@webagent/contract"
import {
  Engine,
  LiveViews,
  NodeId,
  nodeNameIn,
  Profiles,
  Recordings,
  Schedules,
  Webhooks,
  Workspaces
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as LazyGroup from "../../api/LazyGroup.ts"
import { Caller } from "../../api/Caller.ts"
import * as AdminAuth from "../policy/AdminAuth.ts"
import type * as ApiKeyAuth from "../policy/ApiKeyAuth.ts"
import { Monitoring } from "../endpoints/Monitoring.ts"
import { version } from "../endpoints/Version.ts"
import { Installation } from "./Installation.ts"
import { StartedAt } from "./StartedAt.ts"
import type { Operations } from "./Operations.ts"

const nameOf = ({ endpoint, group }: ApiKeyAuth.Operation) => `${group.identifier}.${endpoint.identifier}`

/** The server itself: version, parts, health and settings. */
export const layer = (api: Operations) =>
  LazyGroup.make(api, "server", function* (handlers) {
    const engine = yield* Engine
    const { health } = yield* Monitoring
    const installation = yield* Installation
    const node = yield* NodeId
    const started_ms = yield* StartedAt
    const all = Object.values<HttpApiGroup.Top>(api.groups as object as Record<string, HttpApiGroup.Top>).flatMap(
      (group) => Object.values(group.endpoints).map((endpoint): ApiKeyAuth.Operation => ({ group, endpoint }))
    )
    const groups = new Set<string>(Object.keys(api.groups))
    const profiles = yield* Profiles
    const parts: Readonly<Record<string, boolean>> = {
      recordings: (yield* Recordings) !== null,
      live: (yield* LiveViews) !== null,
      profiles: profiles !== null && profiles.unusable === undefined,
      files: (yield* Workspaces) !== null,
      webhooks: (yield* Webhooks) !== null,
      schedules: (yield* Schedules) !== null,
      replays: yield* engine.replays
    }
    const has = features.filter((feature) => parts[feature] ?? groups.has(feature))
    return handlers.handleAll({
      get: Effect.fnUntraced(function* () {
        const caller = yield* Caller
        const { isAdmin, name } = caller
        const operations = all.filter((one) => AdminAuth.allows(caller, one)).map(nameOf)
        const now_ms = yield* Clock.currentTimeMillis
        const { browsers, command, data, model, program } = installation
        return {
          version,
          node: nodeNameIn(node),
          startedAt: fromMillis(started_ms),
          uptimeMs: Math.max(0, now_ms - started_ms),
          has: [...has, ...installation.has],
          data,
          browsers,
          model,
          models: yield* engine.models,
          program,
          command: isAdmin ? command : null,
          key: { name, admin: isAdmin, operations }
        }
      }),
      health: () => Effect.map(health, ({ reason = null, status, ...details }) => ({ status, reason, details })),
      settings: () => Effect.succeed(installation.settings)
    })
  })
