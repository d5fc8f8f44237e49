import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Redacted from "effect/Redacted"
import type { World } from "../World.ts"
import { unknown } from "./unknown.ts"

/** Keys of the world. */
export const keys = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "keys", (handlers) => {
    const change = (name: string, edit: (key: World["keys"][number]) => World["keys"][number]) => {
      const index = world.keys.findLastIndex((key) => key.name === name)
      const key = world.keys[index]
      if (key === undefined) return Effect.fail(unknown(`key ${name}`))
      return Effect.sync(() => (world.keys[index] = edit(key)))
    }
    const make = (name: string): World["keys"][number] => ({
      name,
      prefix: "wak_new",
      scopes: ["read", "runs"],
      limits: { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null },
      createdAt: new Date().toISOString(),
      revokedAt: null,
      lastUsedAt: null,
      usage: { runs: 0, browsers: 0, usdToday: "0" }
    })
    const secret = Redacted.make("wak_newsecret0123456789")
    return handlers.handleAll({
      list: () => Effect.sync(() => [...world.keys]),
      create: ({ payload: { limits, name, scopes } }) =>
        Effect.sync(() => {
          const key = {
            ...make(name),
            ...(limits === undefined ? {} : { limits }),
            ...(scopes === undefined ? {} : { scopes })
          }
          world.keys.push(key)
          return { key, secret }
        }),
      rotate: ({ params }) =>
        Effect.map(
          change(params.name, (key) => ({ ...key, prefix: "wak_rot" })),
          (key) => ({ key, secret })
        ),
      revoke: ({ params }) => change(params.name, (key) => ({ ...key, revokedAt: new Date().toISOString() })),
      setLimits: ({ params, payload }) => change(params.name, (key) => ({ ...key, limits: payload }))
    })
  })
